import { KelpieError } from '../../error.js';
import { RPING_PORT, rpingClient, rpingServer } from '../../jobs/rping/index.js';
import { SoftwareProvider } from '../../providers/software/index.js';
import type { CommandSpec } from '../command.js';
import { ExitCode } from '../exit-code.js';
import { numberFlag } from '../flag-value.js';

/** `kelpie rping`: the other side of librdmacm's rping. */
export const rping: CommandSpec = {
  options: [
    { flags: '--bind <address>', description: 'address of the device', default: '127.0.0.1' },
    { flags: '-p, --port <number>', description: 'port of RDMA-CM', default: String(RPING_PORT) },
    { flags: '-S, --size <bytes>', description: 'bytes of each ping', default: '64' },
    { flags: '-C, --count <number>', description: 'pings; a server goes on until the client ends' },
    { flags: '-v, --verbose', description: 'print what goes round' },
    { flags: '--json', description: 'print the result as JSON' },
  ],
  examples: ['kelpie rping --bind 192.0.2.2', 'kelpie rping --bind 192.0.2.2 192.0.2.1 -C 10 -v'],
  async run({ options, arguments: [server], terminal, signal }) {
    const port = numberFlag(options, 'port', '--port', { min: 1, max: 65535 }) as number;
    const sizeBytes = numberFlag(options, 'size', '--size', { min: 32, max: 65536 }) as number;
    const count = numberFlag(options, 'count', '--count', { min: 1, max: 1e9 });
    if (server !== undefined && count === undefined)
      throw new KelpieError('BAD_FLAG', 'a client needs an end', {
        field: '--count',
        given: 'nothing',
        allowed: 'a number of pings',
      });
    const onPing =
      options['verbose'] === true ? (text: string) => terminal.out(`ping data: ${text}\n`) : undefined;
    const context = await new SoftwareProvider().open(options['bind'] as string);
    const manager = context.createConnectionManager();
    try {
      const given = { sizeBytes, count, onPing };
      const pings = await Promise.race([
        server === undefined
          ? rpingServer(context, manager, port, given)
          : rpingClient(context, manager, server, port, given),
        new Promise<number>((_, reject) =>
          signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true }),
        ),
      ]);
      terminal.out(options['json'] === true ? `${JSON.stringify({ pings })}\n` : `${pings} pings\n`);
      return ExitCode.GOOD;
    } catch (error) {
      if (!signal.aborted) throw error;
      terminal.out('PARTIAL: interrupted\n');
      return ExitCode.GOOD;
    } finally {
      manager.close();
      await context.close();
    }
  },
};
