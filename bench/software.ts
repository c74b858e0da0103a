// The software device between two processes on loopback, beside what Node itself moves between the same two. The
// contestants take turns in short rounds and the best round of each counts: what else a machine does only ever slows
// one down. The peer is this same program, started with `peer`.
import { fileURLToPath } from 'node:url';
import type { LinkKind } from '../src/providers/software/index.js';
import { loopbackAddress } from '../src/providers/software/loopback-address.js';
import { type Bar, checkBars, type Row, report } from './report.js';
import * as contestants from './software/contestants.js';
import { cpuUs, type Order, servePeer } from './software/peer.js';
import { PeerProcess } from './software/peer-process.js';
import { type RdmaAddress, RdmaEnd } from './software/rdma-end.js';

const ROUNDS = 7;
const ROUND_MS = 400;
const PINGS = 1000;
const BAR_GBPS = 2;
const BAR_US = 60;

const BARS: Bar[] = [
  { row: 'RC WRITE 64 KB', yardstick: 'node:dgram link', atLeast: 4 },
  { row: 'RC WRITE 64 KB', yardstick: '2 Gb/s', atLeast: 1 },
  { row: 'RC WRITE 64 B, half a round trip, median', yardstick: 'of 60 us', atLeast: 1 },
];

async function measure(args: readonly string[]): Promise<void> {
  const peer = new PeerProcess(fileURLToPath(import.meta.url));
  try {
    const best = await measureAll(peer, args);
    const rows = rowsOf(best);
    report(rows, args);
    checkBars(rows, BARS, args);
  } finally {
    peer.quit();
  }
}

type Figures = Record<
  | 'libcGbps'
  | 'dgramGbps'
  | 'tcpGbps'
  | 'udpGbps'
  | 'libcUs'
  | 'dgramUs'
  | 'tcpUs'
  | 'udpUs'
  | 'libcCpuUs'
  | 'dgramCpuUs',
  number
>;

async function measureAll(peer: PeerProcess, args: readonly string[]): Promise<Figures> {
  const tcpPort = await peer.ask<number>({ kind: 'tcp' });
  const udpPort = await peer.ask<number>({ kind: 'udp' });
  const rounds: Figures[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    if (process.stderr.isTTY && !args.includes('--json'))
      process.stderr.write(`\rround ${round + 1} of ${ROUNDS}`);
    const libc = await measureLink(peer, 'libc', round);
    const dgram = await measureLink(peer, 'dgram', round);
    rounds.push({
      libcGbps: libc.gbps,
      dgramGbps: dgram.gbps,
      tcpGbps: await contestants.tcpGbps(tcpPort, ROUND_MS),
      udpGbps: await contestants.udpGbps(udpPort, ROUND_MS),
      libcUs: libc.us,
      dgramUs: dgram.us,
      tcpUs: await contestants.tcpLatencyUs(tcpPort, PINGS),
      udpUs: await contestants.udpLatencyUs(udpPort, PINGS),
      libcCpuUs: libc.cpuUs,
      dgramCpuUs: dgram.cpuUs,
    });
  }
  if (process.stderr.isTTY && !args.includes('--json')) process.stderr.write('\r\x1b[K');
  const names = Object.keys(rounds[0]) as (keyof Figures)[];
  const bestOf = (name: keyof Figures) => {
    const values = rounds.map((each) => each[name]);
    return name.endsWith('Gbps') ? Math.max(...values) : Math.min(...values);
  };
  return Object.fromEntries(names.map((name) => [name, bestOf(name)])) as Figures;
}

async function measureLink(
  peer: PeerProcess,
  link: LinkKind,
  round: number,
): Promise<{ gbps: number; us: number; cpuUs: number }> {
  const end = await RdmaEnd.open(loopbackAddress(1), link);
  const order: Order = { kind: 'rdma', link, address: loopbackAddress(2), peer: end.address };
  const remote = await peer.ask<RdmaAddress>(order);
  end.connect(remote);
  end.memory.fill(round + 1);
  const cpuBefore = cpuUs() + (await peer.ask<number>({ kind: 'cpu' }));
  const gbps = await contestants.writeGbps(end, remote, ROUND_MS);
  const spentUs = cpuUs() + (await peer.ask<number>({ kind: 'cpu' })) - cpuBefore;
  const packets = end.context.counters()['tx_packets'];
  const written = await peer.ask<number>({ kind: 'check', bytes: contestants.MESSAGE_BYTES });
  const wanted = end.memory
    .subarray(0, contestants.MESSAGE_BYTES)
    .reduce((sum, byte) => (sum * 31 + byte) >>> 0, 7);
  if (written !== wanted) throw new Error('the peer does not have the bytes that were written');
  await peer.ask({ kind: 'pong', count: PINGS });
  const us = await contestants.writeLatencyUs(end, remote, PINGS);
  await peer.next();
  await end.close();
  return { gbps, us, cpuUs: spentUs / packets };
}

function rowsOf(best: Figures): Row[] {
  return [
    {
      name: 'RC WRITE 64 KB',
      value: best.libcGbps,
      unit: 'Gb/s',
      ratioTo: {
        'node:dgram link': best.libcGbps / best.dgramGbps,
        '2 Gb/s': best.libcGbps / BAR_GBPS,
        'plain TCP': best.libcGbps / best.tcpGbps,
        'plain UDP': best.libcGbps / best.udpGbps,
      },
    },
    { name: 'RC WRITE 64 KB, node:dgram link', value: best.dgramGbps, unit: 'Gb/s' },
    {
      name: 'RC WRITE 64 KB, processor time of both ends a packet',
      value: best.libcCpuUs,
      unit: 'us',
      ratioTo: { 'node:dgram link': best.dgramCpuUs / best.libcCpuUs },
    },
    { name: 'plain TCP, writes of 64 KB', value: best.tcpGbps, unit: 'Gb/s' },
    { name: 'plain UDP, datagrams of 4 KB', value: best.udpGbps, unit: 'Gb/s' },
    {
      name: 'RC WRITE 64 B, half a round trip, median',
      value: best.libcUs,
      unit: 'us',
      ratioTo: { 'of 60 us': BAR_US / best.libcUs, 'plain TCP': best.tcpUs / best.libcUs },
    },
    { name: 'RC WRITE 64 B, node:dgram link', value: best.dgramUs, unit: 'us' },
    { name: 'plain TCP 64 B', value: best.tcpUs, unit: 'us' },
    { name: 'plain UDP 64 B', value: best.udpUs, unit: 'us' },
  ];
}

const args = process.argv.slice(2);
if (args[0] === 'peer') await servePeer();
else await measure(args);
