import { connectTcp } from '../../../src/cli/perftest/tcp-channel.js';
import { askQperf, QPERF_TESTS, type QperfTestName, serveQperf } from '../../../src/services/index.js';
import { type CaseBench, check, GUEST, OWN } from '../bench.js';
import { GUEST_TOOL_PORT, HOST_IN_GUEST } from '../virtual-machine.js';
import type { InteropCase } from './case.js';
import { listenOnce, untilListening } from './listening.js';

const QPERF_PORT = 19765;
/** Kelpie's name in the guest: TCP, which tries IPv6 first, reaches it by way of the guest, RDMA-CM at its own address. */
const NAME = 'kelpie';
const IN_GUEST = 'fd78::1';
const SECONDS = 1;

/** Has connections to Kelpie's name carried to a TCP port of this machine; the first time starts what carries them. */
async function forward({ machine, ip }: CaseBench, port: number): Promise<void> {
  const hosts = `printf '127.0.0.1 localhost\\n${IN_GUEST} ${NAME}\\n${OWN[ip]} ${NAME}\\n' > /etc/hosts`;
  const address = `ip -6 addr replace ${IN_GUEST}/128 dev lo`;
  const run = `python3 /tmp/forward.py ${IN_GUEST} ${QPERF_PORT} ${HOST_IN_GUEST} /tmp/forward.port`;
  const start = `[ -e /tmp/forward.pid ] || { setsid ${run} > /tmp/forward.log 2>&1 & echo $! > /tmp/forward.pid; }`;
  await machine.must(`echo ${port} > /tmp/forward.port; ${hosts}; ${address}; ${start}`);
  await untilListening(machine, QPERF_PORT);
}

/** Runs a stock client against Kelpie; what it printed. */
async function againstClient(
  bench: CaseBench,
  command: string,
  signal: AbortSignal,
): Promise<{ code: number; output: string; served: string }> {
  const { context, manager, machine } = bench;
  const { port, channel: accepted } = await listenOnce(signal);
  await forward(bench, port);
  const serving = accepted.then((channel) =>
    serveQperf(context, manager, channel, { signal }).finally(() => channel.close()),
  );
  const served = serving.catch(String);
  const { code, output } = await machine.exec(`${command} 2>&1`, signal);
  return { code, output, served: await served };
}

const IPV4_ALONE = 'its RDMA-CM looks for IPv4 addresses alone';

function linuxAsks(name: QperfTestName): InteropCase {
  return {
    group: 'qperf',
    name: `${name}, Linux is the client`,
    requester: 'Linux',
    ipv4Alone: IPV4_ALONE,
    async run(bench, signal) {
      const command = `qperf -cm1 -t ${SECONDS} ${NAME} ${name}`;
      const { code, output, served } = await againstClient(bench, command, signal);
      check(code === 0 && /(bw|latency|msg_rate) +=/.test(output), `qperf ended with ${code}: ${output}`);
      check(served === name, served);
      return output.trim().split('\n').slice(1).join(' ').trim();
    },
  };
}

function kelpieAsks(name: QperfTestName): InteropCase {
  return {
    group: 'qperf',
    name: `${name}, Linux is the server`,
    requester: 'Kelpie',
    ipv4Alone: IPV4_ALONE,
    async run(bench, signal) {
      const { context, manager, machine, ip } = bench;
      const guest = machine.exec(`timeout 20 qperf -lp ${GUEST_TOOL_PORT} 2>&1`, signal);
      guest.catch(() => {});
      try {
        await untilListening(machine, GUEST_TOOL_PORT, signal);
        const channel = await connectTcp('127.0.0.1', machine.toolPort, signal);
        const choices = { address: GUEST[ip], seconds: SECONDS };
        const result = await askQperf(context, manager, channel, name, choices, { signal });
        await channel.close();
        check(result.messagesPerSecond > 0, 'nothing arrived');
        return `${result.messagesPerSecond.toFixed(0)} messages per second`;
      } finally {
        await machine.exec('pkill -x qperf');
      }
    },
  };
}

/** Without RDMA-CM both sides name LIDs, which RoCE has not. */
const byLid: InteropCase = {
  group: 'Not possible on the peer’s side',
  name: 'qperf without -cm1 (all of UC and UD): it names its peer by LID, which its own device refuses over RoCE',
  requester: 'Linux',
  ipv4Alone: IPV4_ALONE,
  async run(bench, signal) {
    const { code, output, served } = await againstClient(bench, `qperf ${NAME} uc_bw`, signal);
    check(code !== 0 && /failed to modify QP to RTR/.test(output), `qperf ended with ${code}: ${output}`);
    return `${output.trim().split('\n').pop()}; ${served}`;
  },
};

const NAMES = Object.keys(QPERF_TESTS) as QperfTestName[];

/** qperf's tests of RC over RDMA-CM, both roles. */
export const qperfCases: readonly InteropCase[] = [...NAMES.map(kelpieAsks), ...NAMES.map(linuxAsks), byLid];
