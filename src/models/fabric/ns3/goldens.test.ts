import { describe, expect, it } from 'vitest';
import { referenceRun, runFile, settingsRun } from '../testing/runs.js';
import { Checker } from '../../../engine/checker.js';
import { Fabric } from '../core/fabric.js';
import { checkSettled } from '../core/settle.js';
import { fctLines, pfcLines } from './output-files.js';

// Goal: the answer is ns-3's, to the nanosecond and line by line. The expected files are what ns-3 (HPCC's tree)
// printed for these inputs; every line is compared, in the order of completion.

const runs: [name: string, golden: string, bufferMegabytes: number, pauses: 'some' | 'none'][] = [
  ['f2-dcqcn', 'f2-dcqcn', 32, 'none'],
  ['f2-dcqcn_paper', 'f2-dcqcn_paper', 32, 'none'],
  ['f2-hp', 'f2-hp', 32, 'none'],
  ['f2-dctcp', 'f2-dctcp', 32, 'none'],
  ['f2-timely', 'f2-timely', 32, 'none'],
  ['g92-dcqcn', 'g92-dcqcn', 32, 'none'],
  ['g92-dcqcn_paper', 'g92-dcqcn_paper', 32, 'none'],
  ['g92-hp', 'g92-hp', 32, 'none'],
  ['g92-dctcp', 'g92-dctcp', 32, 'none'],
  ['g92-timely', 'g92-timely', 32, 'none'],
  ['g92-dcqcn', 'g92-dcqcn-b4', 4, 'some'],
  ['g92-dcqcn', 'g92-dcqcn-b2', 2, 'some'],
  ['g92-timely', 'g92-timely-b4', 4, 'some'],
  ['g92-timely', 'g92-timely-b2', 2, 'some'],
  // An oversubscribed leaf-spine of unequal links, where acknowledgements meet data and are not marked for it.
  ['l106-dctcp', 'l106-dctcp', 3, 'some'],
  // Hosts with two ports: acknowledgements leave by the port of their own hash.
  ['h108-hp', 'h108-hp', 32, 'none'],
  // Two links between two switches, of which ns-3 uses the last.
  ['k108-dctcp', 'k108-dctcp', 32, 'none'],
];

describe.each(runs)('%s against %s with %i MB', (name, golden, bufferMegabytes, pauses) => {
  it('gives every completion time of ns-3', () => {
    const checker = new Checker();
    const { spec, epochNs, stopNs } = referenceRun(name, { bufferMegabytes });
    const fabric = new Fabric({ ...spec, checker });
    expect(fabric.run(stopNs)).toBe(true);
    expect(fctLines(fabric, epochNs)).toBe(runFile(`${golden}.fct`));
    checkSettled(fabric, checker);
    expect(checker.passed).toBeGreaterThan(20_000);
    expect(fabric.totals.drops).toBe(0);
    expect(fabric.totals.pauseFrames > 0).toBe(pauses === 'some');
  });
});

describe('a link that fails under way', () => {
  it.each([
    // Thirteen packets are on their way to the dead link when it fails.
    [
      'packets that were sent before go on by the new paths',
      'g92-dcqcn',
      { afterUs: 54, from: 323, to: 340 },
    ],
    // They overtake others, and a window waits for what came out of order.
    [
      'a sender that went back and is told of more than it sent again waits',
      'p16-dctcp',
      { afterUs: 12, from: 16, to: 24 },
    ],
  ] as const)('gives every completion time of ns-3: %s', (_, name, linkDown) => {
    const checker = new Checker();
    const { spec, epochNs, stopNs } = referenceRun(name, { linkDown });
    const fabric = new Fabric({ ...spec, checker });
    fabric.run(stopNs);
    expect(fctLines(fabric, epochNs)).toBe(runFile(`${name}-down.fct`));
    checkSettled(fabric, checker);
    expect(fabric.totals.drops).toBe(0);
  });
});

describe('settings that run.py never has', () => {
  it.each([
    // Ports of 10 Gb/s, for which the header has no code; a rate per hop, and hops without a queue left out.
    'hpcc-slow-ports',
    // A queue is endless load without a window.
    'hpcc-no-window',
    // A link that loses packets by itself takes two streams of random numbers from the marks.
    'dcqcn-lossy-links',
    // Cuts every microsecond on links of two: a notification comes before the cut of its nanosecond.
    'dcqcn-short-timers',
    // Rates so low that a NIC plans its wake-ups before the ticks of their nanosecond.
    'dcqcn-late-ticks',
    // Increases as often as cuts: the cut comes first.
    'dcqcn-equal-timers',
    // What is sent twice and comes after the end is asked for again.
    'receivers-that-forget',
  ])('%s', (name) => {
    const { run, fct, pfc } = settingsRun(name);
    const fabric = new Fabric(run.spec);
    fabric.run(run.stopNs);
    expect(fctLines(fabric, run.epochNs)).toBe(fct);
    expect(pfcLines(fabric, run.epochNs)).toBe(pfc);
    expect(run.spec.checker!.passed).toBeGreaterThan(1000);
  });
});

describe('the PFC file', () => {
  it('has a line per pause and resume at its receiver, in order of time, and they alternate', () => {
    const { spec, epochNs, stopNs } = referenceRun('g92-dcqcn', { bufferMegabytes: 2 });
    const fabric = new Fabric(spec);
    fabric.run(stopNs);
    const lines = pfcLines(fabric, epochNs).trim().split('\n');
    expect(lines.length).toBe(fabric.totals.pauseFrames + fabric.totals.resumeFrames);
    let lastNs = 0;
    const paused = new Map<string, string>();
    for (const line of lines) {
      const [time, node, kind, port, pauses] = line.split(' ');
      expect(Number(time)).toBeGreaterThanOrEqual(lastNs);
      lastNs = Number(time);
      expect(kind).toBe(Number(node) < 320 ? '0' : '1');
      const key = `${node} ${port}`;
      expect(pauses).toBe(paused.get(key) === '1' ? '0' : '1');
      paused.set(key, pauses);
    }
    expect([...paused.values()].every((pauses) => pauses === '0')).toBe(true);
  });
});
