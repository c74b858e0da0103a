import { findProfile, resolveDevice } from '../../../../profiles/index.js';
import type { Measurement, TenantInput, WorkloadInput } from '../../../../workload/index.js';
import type { Changes } from '../../../compare/index.js';
import type { Bench } from '../../bench.js';
import { because, conclude, figures, must, outside, several, single } from '../../check.js';
import { counter, host, millions, rate, tenant } from '../../readings.js';
import { type RowOutcome, paperNumber, type Row, rowsOf } from '../../row.js';
import { srnicTargets } from '../../targets/srnic.js';
import type { Target } from '../../targets/target.js';
import { connections, FLAT, MANY_FACTS, MTU, ON } from './connections.js';

/** The prototype in the place of the ConnectX-6. */
export const SRNIC: Changes = { device: 'srnic-fpga-100g' };
/** The constants of the prototype. */
export function srnicConstants(): Readonly<Record<string, number>> {
  return resolveDevice(findProfile('device', String(SRNIC['device'])));
}

/** A ConnectX-6 with IRN's recovery. */
export const IRN: Changes = { device: 'irn-100g' };
/** A ConnectX-6 with MELO's. */
export const MELO: Changes = { device: 'melo-100g' };
/** The prototype whose contexts may go to the host, and the one with a shared cache of receive WQEs. */
export const SPILLING: Changes = { device: 'srnic-fpga-100g-spill' };
const RECEIVE_CACHE: Changes = { device: 'srnic-fpga-100g-receive-cache' };
const DEVICES: Readonly<Record<string, Changes>> = { SRNIC, 'ConnectX-6': {} };

/** S3 and S14: queue pairs of Figure 9. */
const ENDS = [128, 10_000] as const;
const FIGURE_9 = [128, 256, 512, 1024, 2048, 4096, 8192, 10_000] as const;
/** S15: more than the chip has room for. */
const TOO_MANY = [12_000, 16_000, 32_000] as const;

// S15: every message of another connection. Acknowledgements do not coalesce then, and their rate would be the limit of a
// reliable service: unreliable connections show the contexts alone.
const ONE_AT_A_TIME: WorkloadInput = {
  ...{ transport: 'UC', opcode: 'SEND', sizes: [512], mtu: MTU, threads: 16, outstanding: 1 },
  ...{ sendQueueDepth: 4, receiveQueueDepth: 16, cqSharing: 'thread', mrScope: 'thread' },
};

// One connection, one post a call. perftest signals every 100th (cq-mod); its depth is 128.
const SMALL: WorkloadInput = {
  ...{ opcode: 'SEND', sizes: [16], mtu: MTU, signalEvery: 100 },
  ...{ sendQueueDepth: 128, receiveQueueDepth: 512 },
};
/** ib_send_lat, which inlines up to 220 B unless told otherwise. */
const PING: WorkloadInput = {
  ...{ name: 'ping', mode: 'pingPong', opcode: 'SEND', sizes: [64], mtu: MTU, inlineBytes: 220 },
};

/** SRNIC's rows about the device itself. */
export const srnicDeviceRows: readonly Row[] = rowsOf('SRNIC', srnicTargets, {
  S3: {
    facts: [...MANY_FACTS, '128 and 10,000 QPs; the farther one is shown'],
    run: async (bench, target) => {
      const found: number[] = [];
      for (const qps of ENDS) found.push((await connections(bench, qps, SRNIC)).total.wireGbps);
      const paper = paperNumber(target);
      const farther = found.reduce((one, other) =>
        Math.abs(other - paper) > Math.abs(one - paper) ? other : one,
      );
      return conclude(figures(farther), [outside('the value', farther, paper, target.tolerance!)]);
    },
  },
  S4: {
    facts: ["16 B SENDs, a completion every 100 (perftest's cq-mod), depth 128"],
    run: (bench, target) =>
      bothDevices(target, async (changes) => millions((await bench.measure(ON, SMALL, { changes })).total)),
  },
  S5: {
    facts: [
      "ib_send_lat: ping-pong, payload inlined (perftest's default) on both, median; the paper does not tell",
    ],
    run: (bench, target) => bothDevices(target, (changes) => latencyUs(bench, changes)),
  },
  S9: {
    unit: 'B',
    facts: ['bytes a packet at the port, over those of ConnectX-6; messages of 1 MB'],
    run: headers,
  },
  S14: { facts: [...MANY_FACTS, 'the farthest of eight points'], run: figure9 },
  S15: {
    unit: 'Gbps L2',
    facts: [
      'unreliable connections with one SEND of 512 B in flight each, so that every message needs another context; with deep queues a turn sends eight messages of one context, which hides the exchange: shown beside it',
    ],
    run: tooMany,
  },
  S16: { unit: 'Gbps L2', facts: MANY_FACTS, run: kneeOfIrn },
  S21: { facts: ['one QP; ConnectX-6 on the same wire is what nothing is added to'], run: extensions },
  S22: { facts: ['16 B SENDs as in S4'], run: batches },
  S23: { facts: ['one QP of WRITEs; the least from 4 KB to 1 MB'], run: lineRate },
  S24: {
    facts: ['as S5'],
    run: async (bench, target) =>
      single(target, (await latencyUs(bench, SRNIC)) - (await latencyUs(bench, RECEIVE_CACHE))),
  },
  S25: { unit: 'share', facts: ['one QP of WRITEs'], run: busy },
  S30: { unit: 'Gbps, us', facts: ['one QP of 1 MB alone; a 64 B QP beside four of them'], run: bursts },
  S31: { facts: ['64 QPs of WRITEs in batches of 8'], run: wasted },
});

/** Half a round trip of 64 B, median. */
async function latencyUs(bench: Bench, changes: Changes): Promise<number> {
  const { tenants } = await bench.measure(ON, PING, { changes });
  return (tenants[0].latencyNs?.p50 ?? Number.NaN) / 1000;
}

/** Both halves of a row, each with its own tolerance. */
async function bothDevices(
  target: Target,
  measure: (changes: Changes) => Promise<number>,
): Promise<RowOutcome> {
  const found: Record<string, number> = {};
  for (const [name, changes] of Object.entries(DEVICES)) found[name] = await measure(changes);
  return several(target, found);
}

async function figure9(bench: Bench, target: Target): Promise<RowOutcome> {
  const paper = paperNumber(target, 'Gbps');
  let farthest = paper;
  let misses = 0;
  const complaints: (string | null)[] = [];
  for (const qps of FIGURE_9) {
    const measurement = await connections(bench, qps, SRNIC);
    const { wireGbps } = measurement.total;
    if (Math.abs(wireGbps - paper) > Math.abs(farthest - paper)) farthest = wireGbps;
    misses += ['a', 'b'].reduce((sum, each) => sum + counter(measurement, each, 'icm_cache_miss'), 0);
    complaints.push(outside(`${qps} QPs:`, wireGbps, paper, target.tolerance!));
  }
  return conclude({ Gbps: figures(farthest), 'ICM misses': misses }, [
    ...complaints,
    must(misses === 0, `${misses} misses of contexts and translations`),
  ]);
}

/** S16: on both sides of the knee. */
const AROUND = [128, 256, 512, 1024] as const;
const AS_CONNECTX = 0.1;

async function kneeOfIrn(bench: Bench): Promise<RowOutcome> {
  const simulated: Record<string, number> = {};
  const complaints: (string | null)[] = [];
  for (const qps of AROUND) {
    const own = (await connections(bench, qps, IRN)).total.wireGbps;
    const other = (await connections(bench, qps)).total.wireGbps;
    simulated[`${qps} QPs, IRN`] = figures(own);
    simulated[`${qps} QPs, ConnectX-6`] = figures(other);
    complaints.push(outside(`${qps} QPs:`, own, other, AS_CONNECTX));
  }
  const why =
    'past the knee the receiver drops packets that it has no descriptors for: go-back-N sends rounds of them again, IRN each once';
  return conclude(simulated, because(complaints, why));
}

async function tooMany(bench: Bench): Promise<RowOutcome> {
  let answer = 'created';
  try {
    await connections(bench, TOO_MANY[0], SRNIC);
  } catch (error) {
    answer = error instanceof Error ? error.message : String(error);
  }
  const simulated: Record<string, number | string> = { 'resident only': answer };
  const gbps: number[] = [];
  for (const qps of [10_000, ...TOO_MANY]) {
    const { total } = await bench.measure(ON, { ...ONE_AT_A_TIME, qps }, { changes: SPILLING });
    gbps.push(total.wireGbps);
    simulated[`${qps} QPs, spilling`] = figures(total.wireGbps);
  }
  const deep = await connections(bench, TOO_MANY[TOO_MANY.length - 1], SPILLING);
  simulated['32000 QPs, spilling, queues of 128'] = figures(deep.total.wireGbps);
  return conclude(simulated, [
    must(answer !== 'created', `${TOO_MANY[0]} queue pairs were created`),
    must(
      gbps.every((each, index) => index === 0 || each < gbps[index - 1] * (1 + FLAT)) &&
        gbps[gbps.length - 1] < gbps[0] * (1 - FLAT),
      'the bandwidth does not fall past 10,000 QPs',
    ),
  ]);
}

/** One stream of long messages. */
function stream(
  bench: Bench,
  opcode: 'SEND' | 'WRITE',
  bytes: number,
  changes: Changes,
): Promise<Measurement> {
  const depth = bytes >= 2 ** 18 ? 8 : 128;
  return bench.measure(
    ON,
    { opcode, sizes: [bytes], mrBytes: Math.max(65_536, bytes), mtu: MTU, sendQueueDepth: depth },
    { changes },
  );
}

async function headers(bench: Bench, target: Target): Promise<RowOutcome> {
  const bytesOf = async (opcode: 'SEND' | 'WRITE', changes: Changes) => {
    const { port } = host(await stream(bench, opcode, 2 ** 20, changes), 'a');
    return ((port?.txGbps ?? Number.NaN) * 1e9) / 8 / (port?.txPacketsPerSecond ?? Number.NaN);
  };
  const found: Record<string, number> = {};
  // The one RETH of a ConnectX's message counts for nothing among a thousand packets.
  for (const opcode of ['SEND', 'WRITE'] as const)
    found[opcode] = Math.round((await bytesOf(opcode, SRNIC)) - (await bytesOf(opcode, {})));
  return several(target, found);
}

/** S21: a tenth of a point. */
const POINT = 0.1;

async function extensions(bench: Bench, target: Target): Promise<RowOutcome> {
  const simulated: Record<string, number> = {};
  const complaints: (string | null)[] = [];
  for (const opcode of ['SEND', 'WRITE'] as const) {
    const own = (await stream(bench, opcode, 2 ** 20, SRNIC)).total.goodputGbps;
    const other = (await stream(bench, opcode, 2 ** 20, {})).total.goodputGbps;
    const lost = 100 * (1 - own / other);
    simulated[opcode] = figures(lost);
    const paper = paperNumber(target, opcode);
    complaints.push(
      must(Math.abs(lost - paper) <= POINT, `${opcode} loses ${figures(lost)} %, not ${paper}`),
    );
  }
  return conclude(simulated, complaints);
}

async function batches(bench: Bench, target: Target): Promise<RowOutcome> {
  const rateOf = async (wqes: number) =>
    millions((await bench.measure(ON, SMALL, { changes: { ...SRNIC, 'device.scheduleWqes': wqes } })).total);
  const found: Record<string, number> = {};
  for (const wqes of [1, 2, 4, 8]) found[wqes] = await rateOf(wqes);
  const more = await rateOf(16);
  const finding = several(target, found);
  const simulated = { ...(finding.simulated as Record<string, number>), '16': figures(more) };
  return more >= found['8'] * (1 - FLAT)
    ? { ...finding, simulated }
    : conclude(simulated, [finding.reason ?? null, `16 WQEs a turn are slower than 8: ${figures(more)}`]);
}

async function lineRate(bench: Bench, target: Target): Promise<RowOutcome> {
  return bothDevices(target, async (changes) => {
    const rates: number[] = [];
    for (const bytes of [4096, 16_384, 65_536, 2 ** 20])
      rates.push((await stream(bench, 'WRITE', bytes, changes)).total.wireGbps);
    return Math.min(...rates);
  });
}

/** S25: the most that the posting thread may be busy. */
const BUSY_SHARE = 0.05;

async function busy(bench: Bench): Promise<RowOutcome> {
  const measurement = await stream(bench, 'WRITE', 65_536, SRNIC);
  const { busyShare } = host(measurement, 'a');
  const slow = counter(measurement, 'a', 'slow_path_ns');
  return conclude({ 'posting thread': figures(busyShare), 'slow path, ns': slow }, [
    must(busyShare < BUSY_SHARE, `the posting thread is busy for ${figures(busyShare)} of the time`),
    must(slow === 0, 'the slow path was used, or is not counted'),
  ]);
}

/** S30: bursts on both sides of the product of PCIe's bandwidth and delay. */
const BURSTS = [2048, 4096, 16_384, 65_536] as const;

async function bursts(bench: Bench): Promise<RowOutcome> {
  const bulk: TenantInput = {
    ...{ name: 'bulk', opcode: 'WRITE', sizes: [2 ** 20], mrBytes: 2 ** 20, mtu: MTU, sendQueueDepth: 8 },
  };
  const small: TenantInput = { name: 'small', opcode: 'WRITE', sizes: [64], mtu: MTU, outstanding: 1 };
  const simulated: Record<string, number> = {};
  const gbps: number[] = [];
  const us: number[] = [];
  for (const burst of BURSTS) {
    const changes = { ...SRNIC, 'device.scheduleBurstBytes': burst };
    const alone = await bench.measure(ON, { tenants: [bulk] }, { changes });
    const beside = await bench.measure(ON, { tenants: [{ ...bulk, qps: 4 }, small] }, { changes });
    gbps.push(alone.total.goodputGbps);
    us.push((tenant(beside, 'small').latencyNs?.p50 ?? Number.NaN) / 1000);
    simulated[`${burst} B, Gb/s`] = figures(gbps[gbps.length - 1]);
    simulated[`${burst} B, us`] = figures(us[us.length - 1]);
  }
  const [two, four, sixteen, most] = gbps;
  return conclude(simulated, [
    must(two < four && four < sixteen * (1 - FLAT), 'the bandwidth does not rise up to 16 KB'),
    must(Math.abs(most / sixteen - 1) <= FLAT, 'the bandwidth is not level past 16 KB'),
    must(
      us.every((each, index) => index === 0 || each >= us[index - 1]),
      'the latency does not rise with the burst',
    ),
  ]);
}

/** S31: so long that the WQEs which the first turns fetch ahead do not count. */
const SETTLED = { minNs: 3_000_000, maxNs: 3_000_000 };

async function wasted(bench: Bench, target: Target): Promise<RowOutcome> {
  const found: Record<string, number> = {};
  for (const bytes of [512, 2048, 16_384, 65_536]) {
    const measurement = await bench.measure(
      ON,
      { opcode: 'WRITE', sizes: [bytes], mtu: MTU, qps: 64, batch: 8, sendQueueDepth: 64, measure: SETTLED },
      { changes: SRNIC },
    );
    const payload = (measurement.total.goodputGbps * 1e9) / 8;
    found[bytes] = rate(measurement, 'a', 'send_wqe_read_bytes') / payload;
  }
  return several(target, found);
}
