import { KelpieError } from '../../../error.js';
import { SoftwareProvider } from '../../../providers/software/index.js';
import { noSuch } from '../../../schema/index.js';
import {
  CM_PROGRAM_PORT,
  CM_PROGRAMS,
  type CmProgramName,
  runCmProgram,
  runUdaddy,
  UDADDY_PORT,
} from '../../../services/index.js';
import { aborted } from '../../aborted.js';
import { defineCommand } from '../../command.js';
import { ExitCode } from '../../exit-code.js';
import { numberFlag } from '../../flag-value.js';

/** The names of both roles, each for the program whose other side is meant. */
const NAMES: Readonly<Record<string, CmProgramName>> = {
  ...(Object.fromEntries(Object.keys(CM_PROGRAMS).map((name) => [name, name])) as Record<
    string,
    CmProgramName
  >),
  rdma_server: 'rdma_client',
  rdma_xserver: 'rdma_xclient',
};
const UDADDY = 'udaddy';

/** Programs of librdmacm that have no other side here, and why. */
const ABSENT: Readonly<Record<string, string>> = {
  mckey: 'there is no multicast here: datagrams to a group are nobody’s',
  ...Object.fromEntries(
    ['rstream', 'riostream', 'rcopy', 'udpong'].map((name) => [
      name,
      'there are no rsockets here: a stock client is rejected',
    ]),
  ),
};

/** `kelpie rdmacm PROGRAM [SERVER]`: the other side of librdmacm's small programs. */
export const rdmacm = defineCommand({
  options: [
    { flags: '--bind <address>', description: 'address of the software device', default: '127.0.0.1' },
    {
      flags: '-p, --port <number>',
      description: `port of RDMA-CM; default: ${CM_PROGRAM_PORT}, udaddy ${UDADDY_PORT}`,
    },
    { flags: '-c, --connections <number>', description: 'connections to make or to serve', default: '1' },
    { flags: '--json', description: 'print the result as JSON' },
  ],
  examples: [
    'kelpie rdmacm ucmatose --bind 192.0.2.2             # serves a stock ucmatose -s 192.0.2.2',
    'kelpie rdmacm udaddy 192.0.2.1 --bind 192.0.2.2     # the client of a stock udaddy',
  ],
  async run({ options, arguments: [name, server], terminal, signal }) {
    const program = NAMES[name];
    const why = ABSENT[name];
    if (why !== undefined)
      throw new KelpieError('BAD_ARGUMENT', why, {
        ...{ field: 'program', given: name, allowed: [...Object.keys(NAMES), UDADDY].join(', ') },
      });
    if (program === undefined && name !== UDADDY)
      throw noSuch('BAD_ARGUMENT', 'program', name, [...Object.keys(NAMES), UDADDY], { field: 'program' });
    const port =
      numberFlag(options, '--port', { min: 1, max: 65535 }) ??
      (name === UDADDY ? UDADDY_PORT : CM_PROGRAM_PORT);
    const connections = numberFlag(options, '--connections', { min: 1, max: 16384 });
    const context = await new SoftwareProvider().open(options.bind);
    const manager = context.createConnectionManager();
    const stopped = aborted(signal);
    const onReady = () => terminal.err(`${name}: ready on ${options.bind}, port ${port}\n`);
    const target = { ...(server === undefined ? {} : { address: server }), port, onReady };
    try {
      const running =
        program === undefined
          ? runUdaddy(context, manager, target).then((datagrams) => ({ datagrams }))
          : runCmProgram(context, manager, program, { ...target, connections }).then((made) => ({
              connections: made,
            }));
      const outcome = await Promise.race([running, stopped]);
      const [[what, count]] = Object.entries(outcome);
      terminal.out(options.json === true ? `${JSON.stringify(outcome)}\n` : `${name}: ${count} ${what}\n`);
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
