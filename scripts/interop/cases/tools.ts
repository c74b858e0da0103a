import { randomInt } from 'node:crypto';
import { connectTcp } from '../../../src/cli/perftest/tcp-channel.js';
import {
  type ByteChannel,
  MessageChannel,
  type PeerOptions,
  type PeerVerb,
  rpingClient,
  rpingServer,
  runPerftestPeer,
  runPingPong,
  runSrqPingPong,
  type SrqPingPongOptions,
} from '../../../src/services/index.js';
import type { QpType } from '../../../src/verbs/index.js';
import { type CaseBench, check, GUEST, GUEST_ROW, OWN } from '../bench.js';
import { GUEST_TOOL_PORT, HOST_IN_GUEST, type Outcome } from '../virtual-machine.js';
import type { InteropCase, Requester } from './case.js';
import { listenOnce, untilListening } from './listening.js';
import { retry } from './retry.js';

/** A second: an emulated machine that shares its processors may stand still for longer than perftest's 67 ms. */
const TIMEOUT = 18;
const PSN_RANGE = 2 ** 24;
/** How long a test without an end goes on: the guest needs a second or two to begin. */
const ENDLESS_S = 5;
const randomPsn = () => randomInt(PSN_RANGE);

/** Runs a program in the guest as the other side: as a server that Kelpie connects to, or as a client. */
async function against(
  bench: CaseBench,
  command: string,
  guestIsServer: boolean,
  signal: AbortSignal,
  run: (channel: ByteChannel) => Promise<void>,
  ends = 0,
): Promise<string> {
  let guest: Promise<Outcome>;
  if (guestIsServer) {
    guest = bench.machine.exec(`${command} -p ${GUEST_TOOL_PORT} 2>&1`, signal);
    guest.catch(() => {});
    await untilListening(bench.machine, GUEST_TOOL_PORT, signal);
    await run(await connectTcp('127.0.0.1', bench.machine.toolPort, signal));
  } else {
    const { port, channel } = await listenOnce(signal);
    guest = bench.machine.exec(`${command} -p ${port} ${HOST_IN_GUEST} 2>&1`, signal);
    guest.catch(() => {});
    await run(await channel);
  }
  const { code, output } = await guest;
  check(code === ends, `the guest's program ended with ${code}: ${output.trim().split('\n').pop()}`);
  return output;
}

/** The same where the programs speak over RDMA-CM. */
function managed(
  bench: CaseBench,
  role: 'client' | 'server',
  cm: NonNullable<PeerOptions['cm']>,
): typeof against {
  return async (_, command, guestIsServer, signal, run) => {
    const server = guestIsServer ? '' : OWN[bench.ip];
    const guest = bench.machine.exec(`${command} -p ${cm.port} ${server} 2>&1`, signal);
    guest.catch(() => {});
    const channel = await retry(() => MessageChannel.open(bench.context, role, cm, signal));
    await run(channel);
    const { code, output } = await guest;
    check(
      code === 0,
      `the guest's program ended with ${code}: ${output.trim().split('\n').slice(-3).join('; ')}`,
    );
    return output;
  };
}

/** What both sides agree on unless a row has something else. */
function plainPeer(
  bench: CaseBench,
  kind: 'bw' | 'lat',
): Omit<PeerOptions, 'kind' | 'verb' | 'role' | 'sizes' | 'iterations'> {
  return {
    ...{ qps: 1, transport: 'RC', mtu: 1024, gidIndex: bench.row, timeout: TIMEOUT, randomPsn },
    ...{ txDepth: kind === 'bw' ? 128 : 1, rxDepth: 512, cqModeration: kind === 'bw' ? 32 : 1 },
    ...{ inlineBytes: 0, outReads: 16, compareSwap: false, bidirectional: false },
    ...{ serviceLevel: 0, trafficClass: 0, gbits: false },
  };
}

function perftest(
  tool: string,
  kind: 'bw' | 'lat',
  verb: PeerVerb,
  requester: Requester,
  options: Partial<PeerOptions> & { flags?: string; byManager?: boolean } = {},
): InteropCase {
  const { byManager = false } = options;
  const iterations = options.iterations ?? (kind === 'bw' ? 200 : 100);
  const all = (options.sizes?.length ?? 1) > 1;
  const timed = options.durationNs !== undefined;
  const size = options.sizes?.[0] ?? (verb === 'atomic' ? 8 : kind === 'bw' ? 16_384 : 64);
  return {
    group: 'Stock programs',
    name: `${tool}${options.flags === undefined ? '' : ` ${options.flags}`}, ${requester === 'Kelpie' ? 'Linux is the server' : 'Linux is the client'}`,
    requester,
    ...(byManager ? { ipv4Alone: 'perftest 4.5 looks for IPv4 addresses alone with -R' } : {}),
    async run(bench, signal) {
      const sizes = verb === 'atomic' || all ? '' : `-s ${size}`;
      const count = timed ? '' : `-n ${iterations}`;
      const device = byManager ? '' : '-d rxe0';
      const flags = `${device} -x ${GUEST_ROW[bench.ip]} ${count} ${sizes} -m 1024 -u ${TIMEOUT} -F ${options.flags ?? ''}`;
      const role = requester === 'Kelpie' ? 'client' : 'server';
      const cm = { manager: bench.manager, address: GUEST[bench.ip], port: GUEST_TOOL_PORT };
      const meet = byManager ? managed(bench, role, cm) : against;
      const output = await meet(bench, `${tool} ${flags}`, role === 'client', signal, async (channel) => {
        const results = await runPerftestPeer(
          bench.context,
          channel,
          {
            ...plainPeer(bench, kind),
            ...{ kind, verb, role, sizes: [size], iterations },
            ...options,
            ...(byManager ? { cm } : {}),
          },
          signal,
        );
        check(results.length > 0 || role === 'server', 'there is no result');
      });
      // Its own table: the size at the start of a line, then the iterations.
      const prints = kind === 'bw' || role === 'server';
      if (prints)
        check(
          new RegExp(`^ ${options.sizes?.at(-1) ?? size} +\\d+`, 'm').test(output),
          `the guest's program printed no row:\n${output}`,
        );
    },
  };
}

/** A test without an end: the guest's program is interrupted, and Kelpie ends by itself. */
function endless(tool: string, verb: PeerVerb, requester: Requester): InteropCase {
  return {
    group: 'Stock programs',
    name: `${tool} --run_infinitely, Linux is the ${requester === 'Kelpie' ? 'server' : 'client'}: it is interrupted, and Kelpie ends`,
    requester,
    async run(bench, signal) {
      const role = requester === 'Kelpie' ? 'client' : 'server';
      const sizeBytes = 4096;
      const flags = `-d rxe0 -x ${GUEST_ROW[bench.ip]} -s ${sizeBytes} -m 1024 -u ${TIMEOUT} -F -D 1 --run_infinitely`;
      // timeout's own exit code where the program did not end before.
      const command = `timeout -s INT ${ENDLESS_S} ${tool} ${flags}`;
      const run = async (channel: ByteChannel) => {
        const options: PeerOptions = {
          ...plainPeer(bench, 'bw'),
          ...{ kind: 'bw', verb, role, sizes: [sizeBytes], iterations: 1 },
          durationNs: Number.POSITIVE_INFINITY,
        };
        await runPerftestPeer(bench.context, channel, options, signal);
      };
      const output = await against(bench, command, role === 'client', signal, run, 124);
      if (role === 'server')
        check(
          new RegExp(`^ ${sizeBytes} +\\d+`, 'm').test(output),
          `the guest's program printed no row:\n${output}`,
        );
    },
  };
}

function pingPong(tool: string, transport: QpType, requester: Requester): InteropCase {
  return {
    group: 'Stock programs',
    name: `${tool}, ${requester === 'Kelpie' ? 'Linux is the server' : 'Linux is the client'}`,
    requester,
    async run(bench, signal) {
      const role = requester === 'Kelpie' ? 'client' : 'server';
      const flags = `-d rxe0 -g ${GUEST_ROW[bench.ip]} -n 100 -s 1000 ${transport === 'UD' ? '' : '-m 1024'}`;
      const output = await against(bench, `${tool} ${flags}`, role === 'client', signal, async (channel) => {
        await runPingPong(
          bench.context,
          channel,
          {
            transport,
            role,
            sizeBytes: 1000,
            iterations: 100,
            rxDepth: 500,
            mtu: 1024,
            gidIndex: bench.row,
            randomPsn,
          },
          signal,
        );
      });
      check(/100 iters in/.test(output), `the guest's program printed no result:\n${output}`);
    },
  };
}

function srqPingPong(requester: Requester): InteropCase {
  return {
    group: 'Stock programs',
    name: `ibv_srq_pingpong, ${requester === 'Kelpie' ? 'Linux is the server' : 'Linux is the client'}`,
    requester,
    async run(bench, signal) {
      const role = requester === 'Kelpie' ? 'client' : 'server';
      const command = `ibv_srq_pingpong -d rxe0 -g ${GUEST_ROW[bench.ip]} -n 200 -s 1000 -m 1024`;
      const depths = { sizeBytes: 1000, iterations: 200, rxDepth: 500, qps: 16 };
      const options: SrqPingPongOptions = { ...depths, role, mtu: 1024, gidIndex: bench.row, randomPsn };
      const output = await against(bench, command, role === 'client', signal, async (channel) => {
        await runSrqPingPong(bench.context, channel, options, signal);
      });
      check(/200 iters in/.test(output), `the guest's program printed no result:\n${output}`);
    },
  };
}

function rping(requester: Requester): InteropCase {
  return {
    group: 'Connection management',
    name: `rping, ${requester === 'Kelpie' ? 'Linux is the server' : 'Linux is the client'}: connect, 10 pings, disconnect`,
    requester,
    async run(bench, signal) {
      if (requester === 'Kelpie') {
        const guest = bench.machine.exec(`rping -s -v -V -C 10 -a ${GUEST[bench.ip]} 2>&1`, signal);
        guest.catch(() => {});
        // Until the server listens its port is rejected; the exchange itself shows when it is there.
        const pings = await retry(() =>
          rpingClient(bench.context, bench.manager, GUEST[bench.ip], 7174, { sizeBytes: 64, count: 10 }),
        );
        check(pings === 10, `${pings} pings came back`);
        const { output } = await guest;
        check(/rdma-ping-9/.test(output), `rping printed:\n${output}`);
        return;
      }
      const serving = rpingServer(bench.context, bench.manager, 7174, { sizeBytes: 64 });
      serving.catch(() => {});
      const { code, output } = await bench.machine.exec(
        `rping -c -v -V -C 10 -a ${OWN[bench.ip]} 2>&1`,
        signal,
      );
      check(code === 0 && /rdma-ping-9/.test(output), `rping ended with ${code}:\n${output}`);
      check((await serving) === 10, 'Kelpie counted other pings');
    },
  };
}

/** Several stock clients at a time, each served to its end. */
const rpingCrowd: InteropCase = {
  group: 'Connection management',
  name: 'rping, three clients of Linux at a time',
  requester: 'Linux',
  async run(bench, signal) {
    const over = new AbortController();
    const pings: number[] = [];
    const serving = rpingServer(bench.context, bench.manager, 7174, {
      ...{ sizeBytes: 64, persistent: true, signal: over.signal },
      onClient: (_, count) => pings.push(count),
    });
    serving.catch(() => {});
    const each = `rping -c -v -V -C 10 -a ${OWN[bench.ip]} > /tmp/rping.$i 2>&1 || exit 1`;
    const { code } = await bench.machine.exec(
      `for i in 1 2 3; do (${each}) & p="$p $!"; done; for each in $p; do wait $each || exit 1; done`,
      signal,
    );
    const { output } = await bench.machine.exec('cat /tmp/rping.*; rm -f /tmp/rping.*', signal);
    check(code === 0 && output.match(/rdma-ping-9/g)?.length === 3, `rping ended with ${code}:\n${output}`);
    over.abort();
    await serving;
    check(pings.join() === '10,10,10', `Kelpie counted ${pings.join()}`);
  },
};

function rejected(requester: Requester): InteropCase {
  return {
    group: 'Connection management',
    name: requester === 'Kelpie' ? 'REJ from Linux: nobody listens' : 'REJ from Kelpie: the consumer says no',
    requester,
    async run(bench, signal) {
      if (requester === 'Kelpie') {
        const asked = rpingClient(bench.context, bench.manager, GUEST[bench.ip], 7999, {
          sizeBytes: 64,
          count: 1,
        });
        const reason = await asked.then(
          () => 'accepted',
          (error) => String(error),
        );
        check(/invalidServiceId/.test(reason), reason);
        return;
      }
      const listener = bench.manager.listen(7174, (request) => request.reject());
      const { code, output } = await bench.machine.exec(
        `timeout 20 rping -c -v -C 1 -a ${OWN[bench.ip]} 2>&1`,
        signal,
      );
      listener.close();
      check(
        code !== 0 && /REJECTED|error -?\d+|connect error/i.test(output),
        `rping ended with ${code}:\n${output}`,
      );
    },
  };
}

/** With RDMA-CM: the exchange and the queue pairs. */
const MANAGED = [
  { tool: 'ib_write_bw', kind: 'bw', verb: 'write', qps: 1 },
  { tool: 'ib_read_bw', kind: 'bw', verb: 'read', qps: 2 },
  { tool: 'ib_send_lat', kind: 'lat', verb: 'send', qps: 1 },
] as const;

/** Stock programs, both roles. */
export const toolCases: readonly InteropCase[] = (['Kelpie', 'Linux'] as const).flatMap((requester) => [
  rping(requester),
  ...(requester === 'Linux' ? [rpingCrowd] : []),
  rejected(requester),
  pingPong('ibv_rc_pingpong', 'RC', requester),
  pingPong('ibv_uc_pingpong', 'UC', requester),
  pingPong('ibv_ud_pingpong', 'UD', requester),
  srqPingPong(requester),
  perftest('ib_write_bw', 'bw', 'write', requester),
  perftest('ib_read_bw', 'bw', 'read', requester),
  perftest('ib_send_bw', 'bw', 'send', requester),
  perftest('ib_atomic_bw', 'bw', 'atomic', requester),
  perftest('ib_write_lat', 'lat', 'write', requester),
  perftest('ib_read_lat', 'lat', 'read', requester),
  perftest('ib_send_lat', 'lat', 'send', requester),
  perftest('ib_atomic_lat', 'lat', 'atomic', requester),
  perftest('ib_write_bw', 'bw', 'write', requester, { flags: '-c UC', transport: 'UC' }),
  perftest('ib_send_bw', 'bw', 'send', requester, {
    flags: '-c UD',
    transport: 'UD',
    sizes: [1024],
    iterations: 50,
  }),
  perftest('ib_write_bw', 'bw', 'write', requester, { flags: '-b', bidirectional: true }),
  perftest('ib_send_bw', 'bw', 'send', requester, { flags: '-b', bidirectional: true }),
  perftest('ib_write_bw', 'bw', 'write', requester, { flags: '-q 4', qps: 4 }),
  perftest('ib_write_bw', 'bw', 'write', requester, { flags: '-D 2', durationNs: 2e9 }),
  perftest('ib_send_bw', 'bw', 'send', requester, { flags: '-D 2', durationNs: 2e9 }),
  perftest('ib_send_lat', 'lat', 'send', requester, { flags: '-D 2', durationNs: 2e9 }),
  endless('ib_write_bw', 'write', requester),
  endless('ib_send_bw', 'send', requester),
  perftest('ib_write_bw', 'bw', 'write', requester, {
    ...{ flags: '-a', iterations: 5, sizes: Array.from({ length: 23 }, (_, power) => 2 ** (power + 1)) },
  }),
  ...MANAGED.map(({ tool, kind, verb, qps }) =>
    perftest(tool, kind, verb, requester, {
      flags: kind === 'bw' ? `-R -q ${qps}` : '-R',
      qps,
      byManager: true,
    }),
  ),
]);
