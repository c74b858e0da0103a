import {
  affinities,
  type Diagnosis,
  diagnose,
  evaluate,
  type HealthyTwin,
  healthyTwin,
  openServer,
  type PathStatus,
  parseFault,
  statusesOf,
} from '../../../ping/index.js';
import type { Bench } from '../../bench.js';
import { conclude, figures, must, outside } from '../../check.js';
import type { RowSpec } from '../../row.js';

/** How the rows probe. */
export const PROBES = { smallBytes: 64, repetitions: 3, memoryWindowBytes: 64 * 2 ** 20 };
/** The RNICs of the rows. */
export const DEVICE = 'connectx-6-200g';
const FACTS = ['loopback WRITEs of 64 B and 128 KiB, three pairs per path, on an idle simulated server'];
/** Affinitive cells are equal within this, and D2 is 'about as D1' within twice as much. */
const EQUAL = 0.05;
const SERVER_TYPES = ['hostping', 'hostping-cascaded', 'hgx', 'two-socket', 'epyc-nps4', 'single-rnic'];
/** Of each server type: 1,002 in all. */
const HEALTHY_SWEEPS = 167;

/** Hostping's rows that are sweeps of `kelpie ping`. */
export const sweepRows: Readonly<Record<string, RowSpec>> = {
  G5: {
    unit: 'Gb/s',
    facts: [...FACTS, 'affinitive cells are equal within 5 %; the others by the mean of their kind'],
    run: async (bench, target) => {
      const { plan, baseline } = await twinOf(bench, 'hostping');
      const affine = affinities(plan, baseline);
      const rates = (wanted: (path: number) => boolean) =>
        baseline.paths.filter((_, path) => wanted(path)).map(({ gbps }) => gbps);
      const near = rates((path) => affine[path]);
      const far = (crosses: boolean) =>
        mean(rates((path) => !affine[path] && plan.paths[path].crossesSockets === crosses));
      const [d3, d4] = [far(false), far(true)];
      const [paperD3, paperD4] = (target.value as readonly string[]).map((each) => Number.parseFloat(each));
      return conclude({ D3: figures(d3), D4: figures(d4) }, [
        must(near.length === 16, `${near.length} cells are affinitive`),
        must(Math.min(...near) > (1 - EQUAL) * Math.max(...near), 'affinitive cells differ'),
        outside('D3', d3, paperD3, target.tolerance!),
        outside('D4', d4, paperD4, target.tolerance!),
      ]);
    },
  },
  G6: {
    unit: 'D2 over D1',
    facts: [
      ...FACTS,
      'latency of the small probe, which has the processing in it',
      'two more links of switches, 0.1 us each and way (rPCIeBench), are 0.4 us of a read; the paper gives no figure for D2',
    ],
    run: async (bench) => {
      const { plan, baseline } = await twinOf(bench, 'hostping-cascaded');
      const peers = plan.paths.flatMap(({ endpointKind, throughRoot, links }, path) =>
        endpointKind === 'gpu' && !throughRoot ? [{ hops: links.length, ...baseline.paths[path] }] : [],
      );
      const least = Math.min(...peers.map(({ hops }) => hops));
      const [d1, d2] = [peers.filter(({ hops }) => hops === least), peers.filter(({ hops }) => hops > least)];
      const ratio = (name: 'latencyNs' | 'gbps') =>
        mean(d2.map((each) => each[name])) / mean(d1.map((each) => each[name]));
      const [latency, bandwidth] = [ratio('latencyNs'), ratio('gbps')];
      return conclude({ latency: figures(latency), bandwidth: figures(bandwidth) }, [
        outside('latency', latency, 1, 2 * EQUAL),
        outside('bandwidth', bandwidth, 1, 2 * EQUAL),
      ]);
    },
  },
  G13: {
    unit: 'links named',
    facts: [...FACTS, 'by probes alone, without settings'],
    run: async (bench) => {
      const twin = await twinOf(bench, 'hostping');
      const severe = await faulty(bench, twin, 'pcie-silent@switch0:0.4');
      const slight = await faulty(bench, twin, 'pcie-silent@switch0:0.7');
      const named = ({ diagnosis: { findings } }: Faulty) =>
        findings.map(({ links }) => links.join(' or ')).join(', ') || 'nothing';
      const below = twin.plan.paths.every(
        ({ rnic, endpoint }, path) =>
          rnic !== 'rnic0' || !/^gpu[01]$/.test(endpoint) || severe.statuses[path].state === 'normal',
      );
      const isSlow = ({ statuses }: Faulty, path: number) => statuses[path].state === 'abnormal';
      const memoriesLow = twin.plan.paths.every(
        ({ rnic, endpointKind }, path) =>
          rnic !== 'rnic0' || endpointKind !== 'memory' || isSlow(severe, path),
      );
      const others = twin.plan.paths.filter(({ rnic }, path) => rnic !== 'rnic0' && isSlow(slight, path));
      return conclude({ 'at 40 %': named(severe), 'at 70 %': named(slight) }, [
        must(below, 'GPUs below the root port are slow as well'),
        must(memoriesLow, 'at 40 % a memory is not slow'),
        must(others.length === 0, `at 70 % ${others.length} paths of other RNICs are slow`),
        must(named(severe) === 'switch0-up', `at 40 % it names ${named(severe)}`),
        must(named(slight) === 'switch0-up', `at 70 % it names ${named(slight)}`),
      ]);
    },
  },
  G22: {
    unit: 'false alarms',
    facts: [...FACTS, `${HEALTHY_SWEEPS} sweeps of each of six server types; 125 ns of jitter either way`],
    run: async ({ seed }) => {
      const { healthy } = await evaluate({
        ...{ hosts: SERVER_TYPES, device: DEVICE, seed, probes: PROBES },
        healthySweeps: HEALTHY_SWEEPS,
        faults: [],
      });
      const alarms = healthy.reduce((sum, each) => sum + each.alarms, 0);
      return conclude(alarms, [must(alarms === 0, `${alarms} sweeps gave an alarm`)]);
    },
  },
};

interface Faulty {
  readonly statuses: readonly PathStatus[];
  readonly diagnosis: Diagnosis;
}

/** The paths that ATS off on one RNIC makes abnormal, as `RNIC to endpoint`, and those that it should. */
export async function withoutAts(bench: Bench): Promise<{ slow: string[]; expected: string[] }> {
  const twin = await twinOf(bench, 'hostping');
  const { statuses } = await faulty(bench, twin, 'ats-off@rnic0');
  const names = twin.plan.paths.map(({ rnic, endpoint }) => `${rnic} to ${endpoint}`);
  return {
    slow: names.filter((_, path) => statuses[path].state === 'abnormal'),
    expected: names.filter((_, path) => {
      const { rnic, endpointKind, throughRoot } = twin.plan.paths[path];
      return rnic === 'rnic0' && endpointKind === 'gpu' && !throughRoot;
    }),
  };
}

/** The healthy server of a type. */
export function twinOf({ seed }: Bench, host: string): Promise<HealthyTwin> {
  return healthyTwin({ host, device: DEVICE, seed }, PROBES);
}

async function faulty({ seed }: Bench, { plan, baseline }: HealthyTwin, fault: string): Promise<Faulty> {
  const choice = { host: plan.host, device: DEVICE, seed };
  const server = await openServer(choice, [parseFault(fault, plan).description], PROBES);
  const { readings } = await server.sweep();
  await server.close();
  const statuses = statusesOf(plan, readings, baseline);
  return { statuses, diagnosis: diagnose({ plan, readings, statuses, baseline }) };
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
