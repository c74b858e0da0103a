import { CM_PROGRAM_PORT, type CmProgramName, runCmProgram, runUdaddy } from '../../../src/services/index.js';
import { type CaseBench, check, GUEST, OWN } from '../bench.js';
import { HOST_IN_GUEST } from '../virtual-machine.js';
import type { InteropCase, Requester } from './case.js';
import { retry } from './retry.js';

/** What is typed in the guest for each role of it, and what the program prints when all went well. */
interface StockProgram {
  name: CmProgramName;
  server: (address: string) => string;
  /** Why the stock server is run over IPv4 alone. */
  ipv4Alone?: string;
  client: (address: string) => string;
  says: RegExp;
  connections?: number;
}

/** rsockets end at a REJ; what they print as its reason is left over from earlier calls, and changes from run to run. */
const REFUSED_CONNECTION = /^(rpoll|rconnect): /m;

const PROGRAMS: readonly StockProgram[] = [
  {
    name: 'ucmatose',
    server: (address) => `ucmatose -b ${address}`,
    client: (address) => `ucmatose -s ${address}`,
    says: /data transfers complete[\s\S]*return status 0/,
  },
  {
    name: 'rdma_client',
    server: (address) => `rdma_server -s ${address}`,
    client: (address) => `rdma_client -s ${address}`,
    says: /end 0/,
  },
  {
    name: 'rdma_xclient',
    server: () => 'rdma_xserver -c r',
    ipv4Alone: 'it takes no address and listens at IPv4',
    client: (address) => `rdma_xclient -s ${address} -c r`,
    says: /end 0/,
  },
  {
    name: 'cmtime',
    server: (address) => `timeout 20 cmtime -b ${address}`,
    client: (address) => `cmtime -s ${address} -c 20`,
    says: /disconnect/i,
    connections: 20,
  },
];

function row(stock: StockProgram, requester: Requester): InteropCase {
  const { name, server, client, says, connections, ipv4Alone } = stock;
  const guestServes = requester === 'Kelpie';
  const program = (guestServes ? server : client)('')
    .split(' ')
    .find((word) => /^(uc|rdma|cm)/.test(word));
  return {
    group: 'Connection management',
    name: `${program}, Linux is the ${guestServes ? 'server' : 'client'}`,
    requester,
    ...(guestServes && ipv4Alone !== undefined ? { ipv4Alone } : {}),
    async run(bench: CaseBench, signal) {
      const { context, manager, machine, ip } = bench;
      if (guestServes) {
        const guest = machine.exec(`${server(GUEST[ip])} 2>&1`, signal);
        guest.catch(() => {});
        const options = { address: GUEST[ip], connections: name === 'cmtime' ? 5 : 1 };
        const asked = await retry(() => runCmProgram(context, manager, name, options)).catch(String);
        // cmtime's server never ends by itself.
        if (name === 'cmtime') await machine.exec('pkill -x cmtime');
        if (name === 'cmtime' || typeof asked === 'string') {
          const { output } = await guest;
          check(typeof asked === 'number', `${String(asked)}; ${program} printed:\n${output}`);
          return;
        }
        const { code, output } = await guest;
        check(code === 0 && says.test(output), `${program} ended with ${code}:\n${output}`);
        return;
      }
      const serving = runCmProgram(context, manager, name, { port: CM_PROGRAM_PORT, connections });
      serving.catch(() => {});
      const { code, output } = await machine.exec(`${client(OWN[ip])} 2>&1`, signal);
      check(code === 0 && says.test(output), `${program} ended with ${code}:\n${output}`);
      await serving;
    },
  };
}

/** Datagrams to a queue pair that is found by address and port (SIDR). */
function udaddy(requester: Requester): InteropCase {
  const guestServes = requester === 'Kelpie';
  return {
    group: 'Connection management',
    name: `udaddy, Linux is the ${guestServes ? 'server' : 'client'}: SIDR, 10 datagrams each way`,
    requester,
    async run({ context, manager, machine, ip }, signal) {
      const command = guestServes ? `udaddy -b ${GUEST[ip]}` : `udaddy -s ${OWN[ip]}`;
      const serving = guestServes ? null : runUdaddy(context, manager, {});
      serving?.catch(() => {});
      const guest = machine.exec(`timeout 20 ${command} 2>&1`, signal);
      guest.catch(() => {});
      if (guestServes) await retry(() => runUdaddy(context, manager, { address: GUEST[ip] }));
      const { code, output } = await guest;
      check(code === 0 && /data transfers complete/.test(output), `udaddy ended with ${code}:\n${output}`);
      await serving;
    },
  };
}

/** A program whose other side Kelpie is not: it must hear so within a second. */
function refused(name: string, command: (address: string) => string): InteropCase {
  const ends = endsAtOnce(command, REFUSED_CONNECTION);
  return {
    group: 'Refused within a second',
    name: `${name}: no rsockets here, a REJ ends its rconnect`,
    requester: 'Linux',
    async run(bench, signal) {
      const { counters } = bench.context.connections.agent;
      const before = counters.sent;
      const said = await ends(bench, signal);
      check(counters.sent > before, 'Kelpie sent no REJ');
      return said;
    },
  };
}

/** A program that ends before it says a word to Kelpie: the row shows that, and why. */
function cannot(name: string, command: (address: string) => string, says: RegExp, why: string): InteropCase {
  const run = endsAtOnce(command, says);
  return { group: 'Not possible on the peer’s side', name: `${name}: ${why}`, requester: 'Linux', run };
}

/** Runs a program of the guest that must fail within a second and say so; gives the first line that it prints. */
function endsAtOnce(command: (address: string) => string, says: RegExp) {
  return async ({ machine, ip }: CaseBench, signal: AbortSignal): Promise<string> => {
    const timed = `s=$(date +%s%N); ${command(OWN[ip])} 2>&1; c=$?; echo "took $(( ($(date +%s%N) - s) / 1000000 )) ms"; exit $c`;
    // The first time the guest loads the program from its disk.
    await machine.exec(timed, signal);
    const { code, output } = await machine.exec(timed, signal);
    const ms = Number(/took (\d+) ms/.exec(output)?.[1]);
    check(code !== 0 && says.test(output), `it ended with ${code}:\n${output}`);
    check(ms < 1000, `it was refused after ${ms} ms`);
    return output.split('\n')[0];
  };
}

/** Joins a group on the guest's own device and sends to it. */
const multicast: InteropCase = {
  group: 'Not possible on Kelpie’s side',
  name: 'mckey: its datagrams to a group are nobody’s here, as Kelpie has no multicast',
  requester: 'Linux',
  ipv4Alone: 'one group shows it',
  async run(bench, signal) {
    const before = bench.counter('rx_packets');
    const sender = `timeout 10 mckey -m 239.77.0.1 -b ${GUEST[bench.ip]} -s -C 5 2>&1`;
    const { code, output } = await bench.machine.exec(sender, signal);
    check(code === 0, `mckey ended with ${code}:\n${output}`);
    check(bench.counter('rx_packets') === before, 'packets for a group were taken');
  },
};

/** librdmacm's small programs, both roles, and what is refused. */
export const cmProgramCases: readonly InteropCase[] = [
  ...PROGRAMS.flatMap((program) => [row(program, 'Kelpie'), row(program, 'Linux')]),
  udaddy('Kelpie'),
  udaddy('Linux'),
  refused('rstream', (to) => `rstream -s ${to} -S 64 -C 1`),
  refused('riostream', (to) => `riostream -s ${to} -S 64 -C 1`),
  cannot('ibv_xsrq_pingpong', () => `ibv_xsrq_pingpong -d rxe0 ${HOST_IN_GUEST}`, /./, 'rdma_rxe has no XRC'),
  cannot(
    'udpong',
    (to) => `udpong -s ${to} -S 64 -C 1`,
    /^rconnect: /m,
    'its rconnect fails in the guest, before a packet leaves',
  ),
  multicast,
];
