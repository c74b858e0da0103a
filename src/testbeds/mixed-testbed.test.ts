import { describe, expect, it } from 'vitest';
import { guestClasses, presetControl, presetNic, type Topology } from '../models/fabric/index.js';
import { type Measurement, resolveWorkload, runWorkload, type WorkloadInput } from '../workload/index.js';
import { openMixedTestbed } from './mixed-testbed.js';
import { openSimulatedTestbed } from './simulated-testbed.js';
import { subsystemOf } from './subsystem.js';

// Goal: the two switch models, one for worlds of full devices and one for fabrics of light NICs, agree. Both use the
// thresholds of the subsystem's profile; they differ in the clock and in where packets are marked.

const CLASS = 3;

/** Full hosts around one switch of the light fabric, with the subsystem's own constants. */
function starOf(subsystem: string, hosts: number) {
  const { constants } = subsystemOf({ subsystem }).fabric;
  const { constants: device } = subsystemOf({ subsystem }).device;
  const rateBps = (constants.linkGbps > 0 ? constants.linkGbps : device.portGbps) * 1e9;
  const isSwitch = new Uint8Array(hosts + 1);
  isSwitch[hosts] = 1;
  const topology: Topology = {
    nodes: hosts + 1,
    isSwitch,
    links: Array.from({ length: hosts }, (_, from) => ({
      from,
      to: hosts,
      rateBps,
      delayNs: constants.propagationNs + constants.switchLatencyNs,
      backDelayNs: constants.propagationNs,
    })),
  };
  const terms = { nicBps: rateBps, payloadBytes: 1000 };
  const nodes = Array.from({ length: hosts }, (_, node) => node);
  return {
    topology,
    flows: [],
    nic: presetNic('none', terms),
    control: presetControl('none', terms),
    buffer: {
      kind: 'thresholds',
      bufferBytes: constants.bufferBytes,
      xoffBytes: constants.pfcXoffBytes,
      xonBytes: constants.pfcXonBytes,
      headroomBytes: constants.pfcHeadroomBytes,
    },
    marking: new Map(),
    globalRtt: true,
    visits: 'descending',
    order: 'canonical',
    rng: 'own',
    rounding: 'exact',
    seed: 1,
    commonLossRate: 0,
    guests: { nodes, trafficClasses: guestClasses(CLASS), largestBytes: 4300 },
  } as const;
}

async function both(
  subsystem: string,
  hosts: number,
  input: WorkloadInput,
): Promise<[Measurement, Measurement]> {
  const workload = resolveWorkload(input);
  const { settings } = workload;
  const own = await openSimulatedTestbed({ subsystem, hosts, settings, seed: 1 });
  const { testbed } = await openMixedTestbed(
    { subsystem, settings, seed: 1 },
    { spec: starOf(subsystem, hosts), trafficClass: CLASS },
  );
  return [await runWorkload(workload, own, { seed: 1 }), await runWorkload(workload, testbed, { seed: 1 })];
}

describe('the switch of light fabrics and that of simulated worlds', () => {
  const measure = { minNs: 300_000, maxNs: 400_000 };

  it.each<[string, string, number, WorkloadInput]>([
    ['one sender', 'collie-f', 2, { qps: 4, sizes: [65536], measure }],
    [
      'three senders to one receiver',
      'collie-f',
      4,
      { direction: 'nToOne', to: 'h3', senders: { hosts: 3, otherHost: 2 }, sizes: [65536], measure },
    ],
    [
      "Collie's #12",
      'collie-e',
      2,
      {
        settings: { acs: 'redirect', ordering: 'relaxed' },
        direction: 'bi',
        qps: 8,
        mrBytes: 4194304,
        sendQueueDepth: 128,
        batch: 8,
        sge: 3,
        sizes: [[128, 65536, 1024]],
        mtu: 4096,
        memory: 'gpu0',
        measure,
      },
    ],
  ])('agree: %s', async (_, subsystem, hosts, input) => {
    const [own, light] = await both(subsystem, hosts, input);
    expect(light.total.goodputGbps / own.total.goodputGbps).toBeCloseTo(1, 1);
    for (const [place, host] of light.hosts.entries()) {
      expect(Math.abs(host.pauseRatio! - own.hosts[place].pauseRatio!)).toBeLessThan(0.03);
      expect(Math.abs(host.pausedRatio! - own.hosts[place].pausedRatio!)).toBeLessThan(0.03);
    }
  });
});
