import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { openTestbedFor } from '../../testbeds/index.js';
import { type Measurement, parseWorkload, runWorkload } from '../../workload/index.js';
import { catalogueOf, type SubsystemEntry } from '../desk/catalogue.js';
import { curvePoints } from '../setup/curve.js';
import { LinkFault, linkText, readLink } from '../setup/link.js';
import {
  CHOICES,
  changed,
  commandOf,
  FIRST_SETUP,
  keyOf,
  requestOf,
  type Setup,
  SLIDERS,
} from '../setup/setup.js';
import { budgetOf } from './budget.js';
import { mean, pictureOf } from './picture.js';
import { headlineOf, runReadingOf } from './reading.js';

// Goal: whatever the sliders say can be run, a link gives it back, and what is drawn is what was measured.

const catalogue = catalogueOf(1);
const entry = (name: string): SubsystemEntry => catalogue.subsystems.find((each) => each.name === name)!;

async function run(setup: Setup): Promise<Measurement> {
  const { workload: text, subsystem, seed } = requestOf(setup);
  const workload = parseWorkload(text, 'lab.yaml');
  const testbed = await openTestbedFor(workload, { subsystem, seed });
  try {
    return await runWorkload(workload, testbed, { seed, followLatency: true, levels: true });
  } finally {
    await testbed.close();
  }
}

const anySetup = fc.record<Setup>({
  ...{ subsystem: fc.constantFrom('perf', 'collie-f'), seed: fc.nat(), settings: fc.constant({}) },
  ...{ memoryA: fc.constantFrom('', 'memory0'), memoryB: fc.constantFrom('', 'memory0') },
  transport: fc.constantFrom('RC', 'UC', 'UD'),
  opcode: fc.constantFrom('WRITE', 'READ', 'SEND', 'FETCH_ADD'),
  direction: fc.constantFrom('uni', 'bi', 'loopback'),
  ...{ sizeBytes: fc.constantFrom(...SLIDERS[0].values), qps: fc.constantFrom(...SLIDERS[1].values) },
  ...{ batch: fc.constantFrom(...SLIDERS[2].values), depth: fc.constantFrom(...SLIDERS[3].values) },
  mtu: fc.constantFrom(...SLIDERS[4].values),
});

describe('the sliders', () => {
  it('wherever they are moved from a setup that can be run, the workload is legal', () => {
    const moves = fc.array(
      fc.oneof(
        ...[...SLIDERS, ...CHOICES].map(({ field, values }) =>
          fc.tuple(fc.constant(field), fc.constantFrom(...(values as readonly (string | number)[]))),
        ),
      ),
      { maxLength: 20 },
    );
    fc.assert(
      fc.property(moves, (all) => {
        let setup = FIRST_SETUP;
        for (const [field, value] of all) {
          setup = changed(setup, field, value as never);
          parseWorkload(requestOf(setup).workload, 'lab.yaml');
        }
      }),
    );
  });

  it('every point of every curve can be run, and those that are where the controls are, are the run itself', () => {
    const points = curvePoints(FIRST_SETUP);
    const here = keyOf(requestOf(FIRST_SETUP));
    for (const { setup, control, value } of points) {
      parseWorkload(requestOf(setup).workload, 'lab.yaml');
      if (value === FIRST_SETUP[control.field]) expect(keyOf(requestOf(setup))).toBe(here);
    }
    // The nearest come first.
    expect(keyOf(requestOf(points[0].setup))).toBe(here);
  });

  it('a link gives back what it was made of', () => {
    fc.assert(
      fc.property(anySetup, (setup) => {
        const { linked, version } = readLink(linkText({ kind: 'setup', setup }, '1.2.3'));
        expect([linked, version]).toEqual([{ kind: 'setup', setup }, '1.2.3']);
      }),
    );
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 200 }), fc.nat(), (workload, seed) => {
        const request = { job: 'run', subsystem: 'perf', seed, workload } as const;
        expect(readLink(linkText({ kind: 'workload', request }, 'x')).linked).toEqual({
          kind: 'workload',
          request,
        });
      }),
    );
  });

  it('a link of somebody else is an error with the reason, never anything else', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        try {
          readLink(text);
        } catch (error) {
          expect(error).toBeInstanceOf(LinkFault);
        }
      }),
    );
    for (const text of [
      'qps=7',
      'qps=-1',
      'qps=1e9',
      'opcode=<script>',
      'seed=x',
      `on=${'x'.repeat(300)}`,
      'x'.repeat(40_000),
    ])
      expect(() => readLink(text), text.slice(0, 20)).toThrow(LinkFault);
    expect(readLink('on=%3Cimg%20src%3Dx%3E').linked).toMatchObject({
      setup: { subsystem: '<img src=x>', memoryB: '' },
    });
  });

  it('the command has the whole workload in it, and nothing in that ends it early or becomes another command', () => {
    const command = commandOf({ subsystem: "x'; rm -rf /", seed: 1, workload: 'qps: 1\nEND\n' });
    expect(command).toBe(
      "kelpie run /dev/stdin --subsystem 'x'\\''; rm -rf /' --seed 1 --levels <<'END_'\nqps: 1\nEND\nEND_",
    );
  });
});

describe('what is shown of a run', () => {
  let paused: Measurement;
  let clean: Measurement;
  beforeAll(async () => {
    paused = await run(FIRST_SETUP);
    clean = await run({ ...FIRST_SETUP, memoryB: '' });
  });

  it('the first one pauses, and the sentence says so with the numbers of the run', () => {
    const { text, mood, reason } = headlineOf(paused);
    expect(mood).toBe('pause');
    expect(text).toContain(`${(100 * paused.pauseRatio!).toFixed(1)} % of the time`);
    expect(text).toContain(`${paused.total.goodputGbps.toFixed(1)} Gb/s`);
    expect(reason).toContain('b/socket0-turn');
    expect(headlineOf(clean)).toMatchObject({
      mood: 'ok',
      text: expect.stringContaining('as fast as the wire'),
    });
    expect(runReadingOf(paused)).toMatchObject({ symptom: 'pause', goodputGbps: paused.total.goodputGbps });
  });

  it('the picture has a level and a rate for each slice, all from the measurement', () => {
    const picture = pictureOf(paused, entry('collie-f-as-tested'))!;
    const { levels } = paused.series;
    const queues = new Map(levels!.queues.map((queue) => [queue.name, queue.levels]));
    const gauges = picture.stations.flatMap((station) => station.gauges);
    expect(gauges.map(({ id }) => id)).toEqual(
      expect.arrayContaining(['a/send-queues', 'b/rnic0/receive-buffer']),
    );
    for (const gauge of gauges) expect(gauge.levels).toBe(queues.get(gauge.id));
    const lanes = picture.pipes.flatMap((pipe) => pipe.lanes);
    for (const lane of lanes) expect(lane.gbps).toHaveLength(paused.series.timeNs.length);
    // Data goes up to the root complex and back down to the GPU, and turning there is what limits it.
    const up = lanes.find(({ id }) => id === 'b/switch0-up socket0')!;
    expect(mean(up.gbps)).toBeGreaterThan(paused.total.goodputGbps);
    expect(picture.stations.filter(({ isLimit }) => isLimit).map(({ id }) => id)).toEqual(['b/socket0']);
    expect(picture.pauses.map(({ longTitle }) => longTitle)).toContain('NIC b pauses its peer');
  });

  it.each(['uni', 'bi', 'loopback'] as const)(
    '%s: boxes overlap nowhere on any subsystem',
    async (direction) => {
      for (const subsystem of catalogue.subsystems) {
        const places = subsystem.nodes.filter(({ kind }) => kind === 'memory' || kind === 'gpu');
        for (const { name } of places) {
          const measurement: Measurement = {
            ...clean,
            workload: {
              ...clean.workload,
              tenants: [{ ...clean.workload.tenants[0], direction, memory: name }],
            },
          };
          const picture = pictureOf(measurement, subsystem)!;
          const boxes = picture.stations;
          for (const [index, one] of boxes.entries()) {
            expect(one.x, subsystem.name).toBeGreaterThanOrEqual(0);
            expect(one.x + one.width, subsystem.name).toBeLessThanOrEqual(picture.width);
            expect(one.y + one.height, subsystem.name).toBeLessThanOrEqual(picture.height);
            for (const other of boxes.slice(index + 1)) {
              const apart =
                one.x + one.width <= other.x ||
                other.x + other.width <= one.x ||
                one.y + one.height <= other.y ||
                other.y + other.height <= one.y;
              expect(apart, `${subsystem.name} ${name}: ${one.id} ${other.id}`).toBe(true);
            }
          }
          const ends = new Set(boxes.map(({ id }) => id.split('/')[0]));
          expect(ends.has('switch0')).toBe(direction !== 'loopback' && subsystem.hasSwitch);
        }
      }
    },
  );

  it('bytes are those of the links, and times of the queues and the rest come to what a request took', () => {
    for (const measurement of [paused, clean]) {
      const { bytes, times, totalNs, isMeasured } = budgetOf(measurement)!;
      expect(isMeasured).toBe(true);
      expect(totalNs).toBe(measurement.tenants[0].latencyNs!.mean);
      const sum = times.reduce((all, { ns }) => all + ns, 0);
      expect(sum).toBeGreaterThanOrEqual(totalNs! - 1);
      const cable = bytes.find(({ title }) => title === 'cable, switch to NIC b')!;
      // A cable counts what arrives, goodput what was placed: they differ by what the buffer holds at either end.
      const { series, steadyState, total } = measurement;
      const buffer = series.levels!.queues.find(
        ({ kind, name }) => kind === 'receive buffer' && name.startsWith('b/'),
      )!;
      const held = (8 * Math.max(...buffer.levels)) / (total.goodputGbps * steadyState.measuredNs);
      expect(held).toBeLessThan(0.2);
      expect(cable.perByte).toBeGreaterThan(1 - held);
      expect(cable.perByte).toBeLessThan(1.05 + held);
    }
    const [port, fabric, buffer] = budgetOf(paused)!.times;
    expect([port, fabric, buffer].map(({ title }) => title)).toEqual([
      'in the port of NIC a',
      'in the switch, towards b',
      'in the receive buffer of NIC b',
    ]);
    // What a paused peer has under way waits in front of the receiver; where nobody pauses, next to nothing does.
    expect(fabric.ns + buffer.ns).toBeGreaterThan(port.ns);
    const [, freeFabric, freeBuffer] = budgetOf(clean)!.times;
    expect(fabric.ns + buffer.ns).toBeGreaterThan(10 * (freeFabric.ns + freeBuffer.ns));
  });
});
