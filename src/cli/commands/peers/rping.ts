import { KelpieError } from '../../../error.js';
import { SoftwareProvider } from '../../../providers/software/index.js';
import { RPING_PORT, type RpingOptions, rpingClient, rpingServer } from '../../../services/index.js';
import { openTestbed } from '../../../testbeds/index.js';
import { aborted } from '../../aborted.js';
import { defineCommand, type InvocationOf } from '../../command.js';
import { ExitCode } from '../../exit-code.js';
import { numberFlag, seedFlag } from '../../flag-value.js';
import type { OptionSpec } from '../../option.js';
import { chooseProvider, providerFlags } from '../../providers.js';
import { congestionSettings, softwareOptions, transportFlags } from '../../run/transport-flags.js';

const SOFTWARE = 'software';

/** What a run came to. */
interface Outcome {
  pings: number;
  /** On a virtual clock: how long it took there. */
  timeNs?: number;
}

const flags = [
  { ...providerFlags[0], default: SOFTWARE },
  ...providerFlags.slice(1),
  ...transportFlags,
  { flags: '--loopback', description: 'both ends in this process; required with other providers' },
  { flags: '--bind <address>', description: 'address of the software device', default: '127.0.0.1' },
  { flags: '-p, --port <number>', description: 'port of RDMA-CM', default: String(RPING_PORT) },
  { flags: '-S, --size <bytes>', description: 'bytes of each ping', default: '64' },
  { flags: '-C, --count <number>', description: 'pings; a server runs until the client ends' },
  { flags: '-P, --persistent', description: 'serve any number of clients, several at a time' },
  { flags: '-v, --verbose', description: 'print the data of each ping' },
  { flags: '--json', description: 'print the result as JSON' },
] as const satisfies readonly OptionSpec[];

type RpingInvocation = InvocationOf<typeof flags>;

/** `kelpie rping`: the other side of librdmacm's rping. */
export const rping = defineCommand({
  options: flags,
  examples: [
    'kelpie rping --bind 192.0.2.2',
    'kelpie rping --bind 192.0.2.2 192.0.2.1 -C 10 -v',
    'kelpie rping --provider simulated -C 10',
  ],
  async run(invocation) {
    const { options, terminal, signal } = invocation;
    const stopped = aborted(signal);
    try {
      const inside = options.provider !== SOFTWARE || options.loopback === true;
      const outcome = await (inside ? insideProcess(invocation, stopped) : withPeer(invocation, stopped));
      const took =
        outcome.timeNs === undefined ? '' : ` in ${(outcome.timeNs / 1000).toFixed(1)} us of virtual time`;
      terminal.out(
        options.json === true ? `${JSON.stringify(outcome)}\n` : `${outcome.pings} pings${took}\n`,
      );
      return ExitCode.GOOD;
    } catch (error) {
      if (!signal.aborted) throw error;
      terminal.out('PARTIAL: interrupted\n');
      return ExitCode.GOOD;
    }
  },
});

/** One end here, the other in another process or on another machine. */
async function withPeer(invocation: RpingInvocation, stopped: Promise<never>): Promise<Outcome> {
  const { options, arguments: given, terminal, signal } = invocation;
  const [server] = given;
  const port = portOf(invocation);
  if (server !== undefined) requireCount(invocation, 'a client');
  if (server !== undefined && options.persistent === true)
    throw refused('--persistent', true, 'for a server alone');
  const { entry } = chooseProvider(options);
  const context = await new SoftwareProvider(softwareOptions(options, entry)).open(options.bind);
  const manager = context.createConnectionManager();
  try {
    if (server !== undefined) {
      const pinging = rpingClient(context, manager, server, port, choices(invocation, 'ping data'));
      return { pings: await Promise.race([pinging, stopped]) };
    }
    const persistent = options.persistent === true;
    const serving = rpingServer(context, manager, port, {
      ...choices(invocation, 'server ping data'),
      persistent,
      signal,
      onReady: () => terminal.err(`rping: ready on ${options.bind}, port ${port}\n`),
      onClient: (address, pings) => {
        if (persistent) terminal.err(`rping: ${pings} pings with ${address}\n`);
      },
    });
    return { pings: await (persistent ? serving : Promise.race([serving, stopped])) };
  } finally {
    manager.close();
    await context.close();
  }
}

/** Both ends here, on two hosts of any provider. */
async function insideProcess(invocation: RpingInvocation, stopped: Promise<never>): Promise<Outcome> {
  const { options, arguments: given } = invocation;
  const { entry, chosen } = chooseProvider(options);
  if (given[0] !== undefined)
    throw refused('server', given[0], 'left out: both ends are in this process here');
  if (options.persistent === true) throw refused('--persistent', true, 'with --provider software alone');
  requireCount(invocation, 'a client');
  const port = portOf(invocation);
  const testbed = await openTestbed({
    ...chosen,
    hosts: 2,
    seed: seedFlag(options),
    settings: congestionSettings(options, entry),
  });
  try {
    const [client, server] = testbed.hosts.map(({ context }) => context);
    const { clock } = client;
    const beganNs = clock.nowNs;
    const [asking, answering] = [client, server].map((context) => context.createConnectionManager());
    const serving = rpingServer(server, answering, port, choices(invocation, 'server ping data'));
    const pinging = rpingClient(
      client,
      asking,
      server.queryGid(1, 0),
      port,
      choices(invocation, 'ping data'),
    );
    const [pings] = await Promise.race([Promise.all([pinging, serving]), stopped]);
    return clock.virtual ? { pings, timeNs: clock.nowNs - beganNs } : { pings };
  } finally {
    await testbed.close();
  }
}

/** The flags that both roles take. */
function choices({ options, terminal }: RpingInvocation, prefix: string): RpingOptions {
  const verbose = options.verbose === true;
  return {
    sizeBytes: numberFlag(options, '--size', { min: 32, max: 65536 }),
    count: numberFlag(options, '--count', { min: 1, max: 1e9 }),
    ...(verbose ? { onPing: (text: string) => terminal.out(`${prefix}: ${text}\n`) } : {}),
  };
}

function portOf({ options }: RpingInvocation): number {
  return numberFlag(options, '--port', { min: 1, max: 65535 });
}

function requireCount({ options }: RpingInvocation, who: string): void {
  if (options.count === undefined)
    throw new KelpieError('BAD_FLAG', `${who} needs an end`, {
      field: '--count',
      given: 'nothing',
      allowed: 'a number of pings',
    });
}

function refused(field: string, given: unknown, allowed: string): KelpieError {
  return new KelpieError('BAD_FLAG', 'this cannot be combined', { field, given, allowed });
}
