import { describe, expect, it } from 'vitest';
import { Checker } from '../../engine/index.js';
import { checkSettled, Fabric } from '../../models/fabric/index.js';
import { answerOf } from './answer.js';
import { Recorder } from './recorder.js';
import { parseFabric } from './resolve.js';
import { runFabric } from './run.js';

const text = `topology: { kind: star, hosts: 9 }
workload: [{ kind: incast, fanIn: 8, bytes: 2000000, target: host 0 }]
control: none
buffer: { bytes: 2000000 }
`;

describe('a recorder', () => {
  it('sees the queue of an incast grow, and ports that are held', async () => {
    const { spec, stopNs } = parseFabric(text, 'incast.yaml', () => '');
    const checker = new Checker();
    const fabric = new Fabric({ ...spec, checker });
    const { recorder, whole } = await runFabric(fabric, stopNs, async () => true);
    expect(whole).toBe(true);
    checkSettled(fabric, checker);
    const peak = Math.max(...recorder.samples.map(({ largestQueueBytes }) => largestQueueBytes));
    expect(peak).toBeGreaterThan(500_000);
    expect(recorder.peakBytes.reduce((most, each) => Math.max(most, each), 0)).toBe(peak);
    expect(Math.max(...recorder.samples.map(({ pausedLanes }) => pausedLanes))).toBe(8);
    expect(recorder.samples.at(-1)?.queuedBytes).toBe(0);
  });

  it('keeps the largest values when intervals double', () => {
    const { spec } = parseFabric(text, 'incast.yaml', () => '');
    const fabric = new Fabric(spec);
    const recorder = new Recorder(fabric);
    for (let look = 0; look < 3000; look++) {
      fabric.state.ports.queuedBytes[9] = look === 700 ? 77 : 1;
      recorder.look();
    }
    expect(recorder.samples.length).toBeLessThan(512);
    expect(recorder.intervalNs).toBe(1_024_000);
    expect(recorder.samples.filter(({ queuedBytes }) => queuedBytes === 77).length).toBe(1);
    const times = recorder.samples.map(({ timeNs }) => timeNs);
    expect(times).toEqual([...times].sort((a, b) => a - b));
  });

  it('ends when only flows are left that failed links have cut off', async () => {
    const text = (failure: string) => `topology: { kind: fat-tree, ports: 4 }
workload:
  - { kind: permutation, bytes: 100000 }
  - { kind: all-reduce, bytes: 16000, hosts: 4, startNs: 100000 }
failures: [{ link: [host 0, leaf 0], ${failure} }]`;
    const ended = async (failure: string, partitions = 1) => {
      const { spec, stopNs } = parseFabric(text(failure), 'cut.yaml', () => '');
      const checker = new Checker();
      const fabric = new Fabric({ ...spec, partitions, checker });
      const { recorder, whole } = await runFabric(fabric, stopNs, async () => true);
      expect(checker.passed).toBeGreaterThan(1000);
      return answerOf(fabric, recorder, !whole);
    };
    const cut = await ended('downNs: 3000');
    expect(cut).toMatchObject({ partial: false, flows: 40 });
    // Host 0 sends and receives in the permutation; in a ring all wait for all in the end.
    expect(cut.cutOff).toBe(cut.flows - cut.finished);
    expect(cut.cutOff).toBeGreaterThan(8);
    expect(cut.finished).toBeGreaterThanOrEqual(14);
    expect(cut.simulatedNs).toBeLessThan(1e7);
    expect(await ended('downNs: 3000', 3)).toEqual(cut);
    expect(await ended('downNs: 3000, upNs: 50000')).toMatchObject({ finished: 40, cutOff: 0 });
  });

  it('has storms that a watchdog finds: its switches repeat their pauses unless told otherwise', async () => {
    const storm = `${text}storms: [{ host: host 0, fromNs: 0, untilNs: 20000000 }]
watchdog: { detectNs: 2000000, restoreNs: 2000000, pollNs: 1000000 }
`;
    const { spec, stopNs } = parseFabric(storm, 'storm.yaml', () => '');
    const checker = new Checker();
    const fabric = new Fabric({ ...spec, checker });
    const { recorder, whole } = await runFabric(fabric, stopNs, async () => true);
    const { watchdog, finished } = answerOf(fabric, recorder, !whole);
    expect(watchdog.map(({ kind }) => kind)).toEqual(['storm', 'restored']);
    expect(watchdog[0].timeNs).toBeLessThanOrEqual(3_000_000);
    expect(finished).toBe(8);
    expect(checker.passed).toBeGreaterThan(1000);
  });

  it('stops when it is told to', async () => {
    const { spec, stopNs } = parseFabric(text.replace('2000000,', '40000000,'), 'incast.yaml', () => '');
    const shares: number[] = [];
    const { whole } = await runFabric(new Fabric(spec), stopNs, async ({ share }) => {
      shares.push(share);
      return shares.length < 2;
    });
    expect(whole).toBe(false);
    expect(shares[1]).toBeGreaterThan(shares[0]);
  });
});
