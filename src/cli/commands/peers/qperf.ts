import { lookup } from 'node:dns/promises';
import { cpus, hostname, release, type } from 'node:os';
import { KelpieError } from '../../../error.js';
import { SoftwareProvider } from '../../../providers/software/index.js';
import {
  askQperf,
  QPERF_TESTS,
  type QperfOptions,
  type QperfResult,
  type QperfTestName,
  serveQperf,
} from '../../../services/index.js';
import { defineCommand } from '../../command.js';
import { ExitCode } from '../../exit-code.js';
import { numberFlag } from '../../flag-value.js';
import { acceptEachTcp, connectTcp, ownAddressTowards } from '../../perftest/tcp-channel.js';

/** qperf's own port. */
const QPERF_PORT = 19765;

/** `kelpie qperf [SERVER] [TESTS...]`: the other side of qperf. */
export const qperf = defineCommand({
  options: [
    { flags: '-p, --port <number>', description: 'TCP port of the exchange', default: String(QPERF_PORT) },
    { flags: '--bind <address>', description: 'address of the device; a server needs it' },
    { flags: '-m, --msg-size <bytes>', description: "bytes of a message; default: the test's" },
    { flags: '-t, --time <seconds>', description: 'how long each test lasts', default: '2' },
    { flags: '-c, --clients <number>', description: 'tests to serve; default: until interrupted' },
    { flags: '--json', description: 'print the results as JSON' },
  ],
  examples: [
    'kelpie qperf --bind 192.0.2.2                            # serves a stock qperf -cm1 192.0.2.2 rc_bw rc_lat',
    'kelpie qperf 192.0.2.1 rc_bw rc_lat --bind 192.0.2.2     # the client of a stock qperf',
  ],
  async run({ options, arguments: [server, ...tests], terminal, signal }) {
    const port = numberFlag(options, '--port', { min: 1, max: 65535 });
    const sizeBytes = numberFlag(options, '--msg-size', { min: 1, max: 2 ** 26 });
    const seconds = numberFlag(options, '--time', { min: 1, max: 3600 });
    const clients = numberFlag(options, '--clients', { min: 1, max: 1e9 }) ?? Number.POSITIVE_INFINITY;
    const names = tests.map(testOf);
    if (server !== undefined && names.length === 0) testOf('nothing');
    const address = server === undefined ? null : (await lookup(server, 4)).address;
    const bind = options.bind ?? (address === null ? requireBind() : await ownAddressTowards(address));
    const context = await new SoftwareProvider().open(bind);
    const manager = context.createConnectionManager();
    const machine: QperfOptions = { ...machineOptions(), signal };
    try {
      if (server === undefined || address === null) {
        let served = 0;
        const onListening = () => terminal.err(`qperf: ready on ${bind}, TCP port ${port}\n`);
        for await (const channel of acceptEachTcp(port, signal, { onListening, address: bind })) {
          // A client that is refused, or hangs up, is no reason to stop for the others.
          const said = await serveQperf(context, manager, channel, machine).catch(String);
          terminal.err(`qperf: ${said}\n`);
          await channel.close();
          if (++served === clients) break;
        }
        return ExitCode.GOOD;
      }
      const results: QperfResult[] = [];
      for (const name of names) {
        const channel = await connectTcp(server, port, signal, (line) => terminal.err(line));
        const choices = { address, seconds, ...(sizeBytes === undefined ? {} : { sizeBytes }) };
        const asking = askQperf(context, manager, channel, name, choices, machine);
        const result = await asking.finally(() => channel.close());
        results.push(result);
        if (options.json !== true) terminal.out(format(result));
      }
      if (options.json === true) terminal.out(`${JSON.stringify(results)}\n`);
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
});

/** What qperf tells of the machine that it runs on. */
function machineOptions(): QperfOptions {
  return {
    ...{ node: hostname(), os: `${type()} ${release()}`, processors: cpus().length },
    usage: () => {
      const { user, system } = process.cpuUsage();
      return { userNs: user * 1000, kernelNs: system * 1000 };
    },
  };
}

function testOf(name: string): QperfTestName {
  if (Object.hasOwn(QPERF_TESTS, name)) return name as QperfTestName;
  throw new KelpieError('BAD_ARGUMENT', 'there is no such test over RoCE', {
    field: 'test',
    given: name,
    allowed: Object.keys(QPERF_TESTS).join(', '),
  });
}

function requireBind(): never {
  throw new KelpieError('BAD_FLAG', 'an RDMA-CM server needs the address of its device', {
    field: '--bind',
    given: 'nothing',
    allowed: 'an address of this machine',
  });
}

/** As qperf prints it. */
function format({ test, measure, bytesPerSecond, messagesPerSecond, latencyNs }: QperfResult): string {
  const line =
    measure === 'bandwidth'
      ? `bw  =  ${rounded(bytesPerSecond / 1e6)} MB/sec`
      : measure === 'latency'
        ? `latency  =  ${rounded(latencyNs / 1e3)} us`
        : `msg_rate  =  ${rounded(messagesPerSecond / 1e3)} K/sec`;
  return `${test}:\n    ${line}\n`;
}

/** Three digits, as qperf has them, and no exponent. */
function rounded(value: number): string {
  return String(Number(value.toPrecision(3)));
}
