import { findScheme } from '../../../../schemes/index.js';
import { l2BytesOf, type Operation, type TenantInput } from '../../../../workload/index.js';
import type { Bench } from '../../bench.js';
import { conclude, figures, must, several, single } from '../../check.js';
import { counter, host, millions, pcieToDeviceGbps, rate, tenant } from '../../readings.js';
import { type RowOutcome, type Row, type RowSpec, rowsOf } from '../../row.js';
import { huskyTargets } from '../../targets/husky.js';
import type { Target } from '../../targets/target.js';
import { controlRows } from './control.js';

const RNR_HOLD =
  'rnrHoldReliableNs and rnrHoldUnreliableNs: how long a message without a receive holds the device is a constant';
const ON = 'husky';
/** §3.4: the bus counts 128 Gb/s, the port 100. */
const PCIE_GBPS = 128;
const PORT_GBPS = 100;
/** Preamble and gap between frames, which Husky's 38 B of Ethernet include. */
const GAP_BYTES = 20;
/** Flat is within 5 %. */
const FLAT = 0.05;
/** H14: the line is full from here on. */
const FULL = 0.97;

// §3.3: 'each workload runs 8 QPs across 8 dedicated cores ... 128 QPs in total and 16 MRs': 64 QPs and 8 MRs a workload.
// Batches of 32 keep eight cores faster than the device.
const VERBS: TenantInput = {
  qps: 64,
  threads: 8,
  mrScope: 'thread',
  sizes: [8],
  batch: 32,
  sendQueueDepth: 128,
};
const VERB_FACTS = ['64 QPs on 8 cores, 8 MRs a workload (§3.3: 128 QPs, 16 MRs in all); batches of 32'];
const H6_VERBS: Readonly<Record<string, Operation>> = {
  FAA: 'FETCH_ADD',
  CAS: 'COMPARE_SWAP',
  READ: 'READ',
  SEND: 'SEND',
  WRITE: 'WRITE',
};

// Table 2: perftest, one QP, 128 outstanding 64 KB WRITEs.
const VICTIM: TenantInput = { name: 'victim', opcode: 'WRITE', sizes: [65536], sendQueueDepth: 128 };
const SEND_4K: TenantInput = {
  name: 'sender',
  opcode: 'SEND',
  sizes: [4096],
  outstanding: 1,
  receiveQueueDepth: 512,
};

/** Longer than the switch takes to fill its buffer. */
const STALL = { minNs: 3_000_000, maxNs: 4_000_000 };

/** Appendix A and Fig. 6: one post a message; enough QPs and cores to saturate. */
const POSTS: TenantInput = {
  opcode: 'WRITE',
  qps: 64,
  threads: 16,
  cqSharing: 'thread',
  sendQueueDepth: 128,
  inlineBytes: 28,
};
const POST_FACTS = ['64 QPs on 16 cores with a CQ each, one WQE per post; up to 28 B are posted inline'];
const H12_SIZES = [1, 8, 16, 24, 28, 29, 32] as const;
const INLINE_BYTES = 28;
const H14_SIZES = [8, 16, 28, 29, 48, 64, 96, 128, 192, 256, 512, 1024] as const;
const H15_BYTES = 257;

const dataRows: Readonly<Record<string, RowSpec>> = {
  H6: { facts: VERB_FACTS, run: verbs },
  H7: {
    facts: VERB_FACTS,
    run: async (bench, target) => single(target, millions((await verbBeside(bench, 'COMPARE_SWAP')).read)),
  },
  H8: { facts: VERB_FACTS, run: readBesideRead },
  H9: {
    run: async (bench, target) =>
      single(target, (await bench.measure(ON, { tenants: [VICTIM] })).total.goodputGbps),
  },
  H10: {
    run: async (bench, target) => {
      const measurement = await bench.measure(ON, { tenants: [VICTIM, SEND_4K] });
      const [victim, sender] = ['victim', 'sender'].map((name) => tenant(measurement, name).goodputGbps);
      return several(target, { victim, sender });
    },
  },
  H11: {
    unit: 'Gbps',
    encoded: RNR_HOLD,
    run: (bench) => stalled(bench, { ...SEND_4K, receives: 'none' }),
  },
  H12: { unit: 'B a message', facts: POST_FACTS, run: inlined },
  H13: {
    unit: 'B a message',
    facts: [
      "to the nearest byte, with preamble and gap; less the 3 pad bytes, which the paper's sum does not have",
    ],
    run: bytesOf29,
  },
  H14: { unit: 'bottleneck', facts: POST_FACTS, run: bottlenecks },
  H15: {
    facts: [
      "one WQE per post on 6 cores; the rate limit of a virtual function, 50 Gbps (§5), read as bytes on the wire, which alone agrees with the paper's less than 20 Mrps",
    ],
    run: pcieAttack,
  },
  H16: {
    unit: 'Gbps, Mrps',
    facts: ["6 cores, 8 MRs a QP, random; goodput; 'about' is taken as ±25 %"],
    run: cacheAttack,
  },
  H17: {
    encoded: RNR_HOLD,
    unit: 'Gbps',
    facts: ['64 B SENDs (the paper gives no size); victim as in H9; stalled as in H11'],
    run: (bench) =>
      stalled(bench, {
        name: 'sender',
        transport: 'UC',
        opcode: 'SEND',
        sizes: [64],
        sendQueueDepth: 128,
        receives: 'none',
      }),
  },
};

/** Husky's rows but for the isolation table. */
export const huskyRows: readonly Row[] = rowsOf('Husky', huskyTargets, { ...controlRows, ...dataRows });

async function verbs(bench: Bench, target: Target): Promise<RowOutcome> {
  const values: Record<string, number> = {};
  for (const [name, opcode] of Object.entries(H6_VERBS))
    values[name] = millions((await bench.measure(ON, { tenants: [{ ...VERBS, opcode }] })).total);
  return several(target, values);
}

async function verbBeside(bench: Bench, other: Operation) {
  const measurement = await bench.measure(ON, {
    tenants: [
      { ...VERBS, name: 'read', opcode: 'READ' },
      { ...VERBS, name: 'other', opcode: other },
    ],
  });
  return { read: tenant(measurement, 'read'), other: tenant(measurement, 'other') };
}

async function readBesideRead(bench: Bench, target: Target): Promise<RowOutcome> {
  const { read, other } = await verbBeside(bench, 'READ');
  const both = { ...target, value: { one: target.value as number, other: target.value as number } };
  return several(both, { one: millions(read), other: millions(other) });
}

async function stalled(bench: Bench, attacker: TenantInput): Promise<RowOutcome> {
  const measurement = await bench.measure(ON, { tenants: [VICTIM, attacker], measure: STALL });
  const victim = tenant(measurement, 'victim').goodputGbps;
  // None of the attacker's messages is ever delivered; each that reached the receiver was counted there.
  const l2Bytes = l2BytesOf('SEND', attacker.sizes![0] as number, attacker.mtu ?? 4096);
  const attackerGbps = (rate(measurement, 'b', 'rnr_holds') * l2Bytes * 8) / 1e9;
  return conclude({ victim: figures(victim), attacker: figures(attackerGbps) }, [
    must(victim < 0.1, `the victim still has ${figures(victim)} Gbps`),
    must(attackerGbps < 0.5, `the attacker uses ${figures(attackerGbps)} Gbps`),
  ]);
}

async function inlined(bench: Bench): Promise<RowOutcome> {
  const simulated: Record<string, number> = {};
  for (const size of H12_SIZES) simulated[`${size} B`] = figures((await bytesPerMessage(bench, size)).pcie);
  const flat = H12_SIZES.filter((size) => size <= INLINE_BYTES).map((size) => simulated[`${size} B`]);
  const step = simulated[`${INLINE_BYTES + 1} B`] / simulated[`${INLINE_BYTES} B`] - 1;
  return conclude(simulated, [
    must(Math.max(...flat) / Math.min(...flat) - 1 <= FLAT, 'not flat up to 28 B'),
    must(step > 2 * FLAT, `no step at 29 B (${figures(step * 100)} %)`),
  ]);
}

async function bytesPerMessage(bench: Bench, size: number): Promise<{ network: number; pcie: number }> {
  const measurement = await bench.measure(ON, { tenants: [{ ...POSTS, sizes: [size] }] });
  const packets = counter(measurement, 'a', 'tx_packets_phy');
  return {
    network: counter(measurement, 'a', 'tx_bytes_phy') / packets + GAP_BYTES,
    pcie: counter(measurement, 'a', 'pcie_inbound_bytes') / packets,
  };
}

async function bytesOf29(bench: Bench, target: Target): Promise<RowOutcome> {
  const { network, pcie } = await bytesPerMessage(bench, 29);
  // The specification pads a payload to words of four bytes (BTH, PadCnt).
  const pad = 3;
  return several(target, { 'network bytes': Math.round(network) - pad, 'PCIe bytes': Math.round(pcie) });
}

async function bottlenecks(bench: Bench): Promise<RowOutcome> {
  const points: { size: number; millions: number; pcie: number; port: number }[] = [];
  for (const size of H14_SIZES) {
    const measurement = await bench.measure(ON, { tenants: [{ ...POSTS, sizes: [size] }] });
    const { txGbps, txPacketsPerSecond } = host(measurement, 'a').port!;
    points.push({
      size,
      millions: millions(measurement.total),
      pcie: pcieToDeviceGbps(measurement, 'a'),
      port: txGbps + (txPacketsPerSecond * GAP_BYTES * 8) / 1e9,
    });
  }
  const fastest = Math.max(...points.map((point) => point.millions));
  // Whichever of the three limits is most nearly reached; one that fills the line has nothing more to gain.
  const regimes = points.map(({ size, millions: messages, pcie, port }) => {
    const use = { rate: messages / fastest, PCIe: pcie / PCIE_GBPS, line: port / PORT_GBPS };
    const [nearest] = Object.entries(use).reduce((best, each) => (each[1] > best[1] ? each : best));
    return { size, name: use.line >= FULL ? 'line' : nearest };
  });
  const order = regimes.map(({ name }) => name).filter((name, index, all) => name !== all[index - 1]);
  const simulated = Object.fromEntries(regimes.map(({ size, name }) => [`${size} B`, name]));
  return conclude(simulated, [
    must(order.join(' ') === 'rate PCIe line', `the bottlenecks come in the order ${order.join(', ')}`),
  ]);
}

async function pcieAttack(bench: Bench, target: Target): Promise<RowOutcome> {
  const measurement = await bench.measure(
    ON,
    {
      ...{ qps: 36, threads: 6, opcode: 'WRITE', sizes: [H15_BYTES] },
      sendQueueDepth: 128,
    },
    { scheme: findScheme('sr-iov')!, guaranteeGbps: 50 },
  );
  return several(target, {
    link: measurement.total.wireGbps,
    'PCIe TX': pcieToDeviceGbps(measurement, 'a'),
  });
}

async function cacheAttack(bench: Bench): Promise<RowOutcome> {
  const { total } = await bench.measure(ON, {
    qps: 1536,
    threads: 6,
    mrs: 8,
    mrChoice: 'random',
    opcode: 'WRITE',
    sizes: [256],
    outstanding: 1,
  });
  const messages = millions(total);
  return conclude({ Gbps: figures(total.goodputGbps), Mrps: figures(messages) }, [
    must(total.goodputGbps < 7, `${figures(total.goodputGbps)} Gbps is not under 7`),
    must(messages >= 2.25 && messages <= 3.75, `${figures(messages)} Mrps is not about 3`),
  ]);
}
