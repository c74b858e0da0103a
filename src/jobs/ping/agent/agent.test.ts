import { describe, expect, it } from 'vitest';
import type { FaultDescription } from '../../../profiles/index.js';
import { parseFault } from '../faults/fault-text.js';
import { healthyTwin } from '../server.js';
import { PingAgent } from './agent.js';
import { VirtualClock } from './agent-clock.js';
import type { HostSample } from './monitor.js';
import { type RunRecord, settingsHash } from './run-record.js';
import { SimulatedAgentHost } from './simulated-agent-host.js';

// Goal: an agent on a simulated server sees faults come and go as its runs do, and forgets nothing that it needs.

const probes = { smallBytes: 64, memoryWindowBytes: 64 * 2 ** 20, repetitions: 3 };
const choice = { host: 'hostping', device: 'connectx-6-200g', seed: 1 };
const twin = await healthyTwin(choice, probes);
const small = { ...choice, host: 'single-rnic' };
const smallTwin = await healthyTwin(small, probes);
const HOUR = 3_600_000;

/** Watches a simulated server for some time and returns every record. */
async function watched(
  untilMs: number,
  faults: readonly FaultDescription[],
  more: {
    past?: readonly RunRecord[];
    samples?: (nowMs: number, real: HostSample) => HostSample;
    isSmall?: boolean;
  } = {},
): Promise<RunRecord[]> {
  const host = await SimulatedAgentHost.open({
    choice: more.isSmall ? small : choice,
    ...{ faults, probes, jitterNs: 125, startMs: 0 },
  });
  const { samples } = more;
  if (samples !== undefined) {
    const real = host.sample.bind(host);
    host.sample = (nowMs) => samples(nowMs, real(nowMs));
  }
  const records: RunRecord[] = [];
  const agent = new PingAgent({
    name: 'gpu-17',
    ...{ host, twin: more.isSmall ? smallTwin : twin, seed: 1, clock: new VirtualClock() },
    ...(more.past === undefined ? {} : { past: more.past }),
    onRun: (record) => void records.push(record),
  });
  await agent.run(untilMs);
  await host.close();
  return records;
}

const linkOf = (record: RunRecord, name: string) =>
  record.links[twin.plan.links.findIndex((link) => link.name === name)];

describe('an agent', () => {
  it('sees a link fail within a cycle and recover within another', async () => {
    const fault = { at: 'h0/gpu5-up', rate: 0.25, from: '350s', for: '600s' };
    const records = await watched(1500 * 1000, [fault]);
    expect(records.map((record) => linkOf(record, 'gpu5-up'))).toEqual([
      ...['normal', 'normal', 'abnormal', 'abnormal', 'normal'],
    ]);
    expect(records[2].findings).toMatchObject([{ links: ['gpu5-up'], causeClass: 'failure' }]);
    expect(records.map(({ findings }) => findings.length)).toEqual([0, 0, 1, 1, 0]);
    expect(records.map(({ flapping }) => flapping.length)).toEqual([0, 0, 0, 0, 0]);
    expect(records[0]).toMatchObject({ host: 'gpu-17', trigger: 'start', seed: 1, atMs: 0 });
    expect(records[0].paths).toHaveLength(40);
    expect(records[0].paths[0]?.latencyDeviationNs).toBeGreaterThan(0);
  });

  it('calls a memory channel that comes and goes flapping, and still does after a restart', async () => {
    const fault = parseFault('memory-channel@memory0:from=300s:for=300s:every=600s', twin.plan).description;
    const records = await watched(1800 * 1000, [fault]);
    const link = twin.plan.links.find(({ place }) => place === 'memory')!.name;
    expect(records.map(({ flapping }) => flapping)).toEqual([[], [], [], [link], [link], [link]]);
    const [finding] = records.at(-1)!.findings.filter(({ cause }) => cause === 'flapping');
    expect(finding).toMatchObject({ links: [link], causeClass: 'flapping' });
    expect(finding.evidence[0]).toContain('3 of the last 6 runs saw it slow');
    const [restarted] = await watched(1000, [], { past: records });
    expect(restarted.flapping).toEqual([link]);
  });

  it('probes affinitive paths alone within a second of an alarm', async () => {
    const [first, alarm] = await watched(90_000, [], {
      samples: (nowMs, real) => ({
        ...real,
        rnics: real.rnics.map((each) =>
          nowMs === 61_000 && each.rnic === 'rnic1' ? { ...each, loadShare: 0.5, pauseShare: 0.2 } : each,
        ),
      }),
    });
    expect(first.trigger).toBe('start');
    expect(alarm).toMatchObject({ trigger: 'alarm', atMs: 61_000 });
    expect(alarm.paths.filter((path) => path !== null)).toHaveLength(16);
    // No path is slow: the pause has its cause outside of the host.
    expect(alarm.findings).toMatchObject([{ links: [], cause: 'rnic-buffer', causeClass: 'outside' }]);
    expect(alarm.cost.elapsedNs).toBeLessThan(1e9);
  });

  it('lives through a day with a flapping channel, the same on every run', async () => {
    const fault = 'memory-channel@memory0:from=1000s:for=700s:every=2000s';
    const faults = [parseFault(fault, smallTwin.plan).description];
    const records = await watched(24 * HOUR, faults, { isSmall: true });
    expect(records).toHaveLength(288);
    expect(records.at(-1)!.flapping).toEqual(['memory0-up']);
    const named = records.flatMap(({ findings }) => findings.flatMap(({ links }) => links));
    expect(new Set(named)).toEqual(new Set(['memory0-up']));
    expect(await watched(HOUR, faults, { isSmall: true })).toEqual(records.slice(0, 12));
  });
});

it('settings have the same hash in any order, and another one when one changes', () => {
  const read = [
    { part: 'rnic0', maxPayloadBytes: 256, ats: 'enabled' as const },
    { part: 'rnic1', maxPayloadBytes: 256 },
  ];
  expect(settingsHash(read)).toMatch(/^[0-9a-f]{16}$/);
  expect(settingsHash([...read].reverse())).toBe(settingsHash(read));
  expect(settingsHash([{ ...read[0], maxPayloadBytes: 128 }, read[1]])).not.toBe(settingsHash(read));
});
