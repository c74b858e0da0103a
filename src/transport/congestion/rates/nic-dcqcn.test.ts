import { describe, expect, it } from 'vitest';
import { PacedFlow } from '../paced-flow.js';
import { NicDcqcn } from './nic-dcqcn.js';
import { dcqcnAsPublished, dcqcnNicDefaults, type NicDcqcnParameters } from './nic-dcqcn-parameters.js';

const LINE = 100e9;
const US = 1000;
const US_PS = 1e6;

/** One flow under a reaction point. */
class Point {
  readonly control: NicDcqcn;

  constructor(changes: Partial<NicDcqcnParameters> = {}, lineBps = LINE) {
    this.control = new NicDcqcn(2, { ...dcqcnNicDefaults(), ...changes });
    for (const slot of [0, 1]) this.control.open(slot, { lineBps, windowBytes: 0, baseRttNs: 0 });
  }

  get currentBps(): number {
    return this.control.rateBps[0];
  }

  get targetBps(): number {
    return this.control.targetBps[0];
  }

  get alpha(): number {
    return this.control.alpha[0];
  }

  notify(nowNs: number): void {
    this.control.onNotification(0, nowNs);
  }

  advance(nowNs: number): void {
    this.control.advance(0, nowNs);
  }

  flow(overheadBytes = 62): PacedFlow {
    return new PacedFlow(this.control, 0, {
      mtuBytes: 4096,
      overheadBytes,
      paces: true,
      spare: 0,
      measures: false,
    });
  }
}

describe('a cut', () => {
  it('takes half of alpha from the rate, but no more than half the rate', () => {
    const one = new Point();
    one.notify(0);
    // alpha 1023/1024: 1 - 1023/2048 = 1025/2048
    expect(one.currentBps).toBe((LINE * 1025) / 2048);
    const weak = new Point({ initialAlpha: 0.25 });
    weak.notify(0);
    expect(weak.currentBps).toBe(LINE * 0.875);
    const deep = new Point({ initialAlpha: 1, cutDivisor: 1 });
    deep.notify(0);
    expect(deep.currentBps).toBe(LINE / 2);
  });

  it('comes no sooner than 4 us after the last, and to no other flow', () => {
    const one = new Point({ initialAlpha: 1, alphaGain: 0 });
    one.notify(0);
    one.notify(3 * US);
    expect(one.currentBps).toBe(LINE / 2);
    one.notify(4 * US);
    expect([...one.control.rateBps]).toEqual([LINE / 4, LINE]);
  });

  it('leaves at least the least rate, and the first may set a rate of its own', () => {
    const one = new Point({ minRateBps: LINE * 0.9 });
    one.notify(0);
    expect(one.currentBps).toBe(LINE * 0.9);
    const set = new Point({ firstCutBps: 7e9 });
    set.notify(0);
    expect(set.currentBps).toBe(7e9);
  });

  it('keeps the target unless the timer has moved it', () => {
    const one = new Point({ initialAlpha: 1, alphaGain: 0 });
    one.notify(0);
    one.notify(10 * US);
    expect([one.currentBps, one.targetBps]).toEqual([LINE / 4, LINE]);
    one.advance(310 * US);
    expect(one.currentBps).toBe((LINE / 4 + LINE) / 2);
    one.notify(311 * US);
    expect(one.targetBps).toBe((LINE * 5) / 8);
  });

  it('comes with a mark in an acknowledgement, too, as light NICs have it', () => {
    const one = new Point({ initialAlpha: 1 });
    one.control.onAck(0, { marked: false, nowNs: 0 });
    expect(one.currentBps).toBe(LINE);
    one.control.onAck(0, { marked: true, nowNs: 0 });
    expect(one.currentBps).toBe(LINE / 2);
  });
});

describe('alpha', () => {
  it('decays every microsecond by 1019/1024 and rises by 5/1024 with a notification', () => {
    const one = new Point({ initialAlpha: 0.5 });
    one.notify(0);
    one.advance(US);
    const first = (0.5 * 1019) / 1024 + 5 / 1024;
    expect(one.alpha).toBeCloseTo(first, 14);
    one.advance(3 * US);
    expect(one.alpha).toBeCloseTo((first * 1019 * 1019) / (1024 * 1024), 14);
  });

  it('is the same however often the rate is looked at', () => {
    const [often, seldom] = [new Point(), new Point()];
    for (const one of [often, seldom]) one.notify(0);
    for (let us = 1; us <= 200; us++) often.advance(us * US);
    seldom.advance(200 * US);
    expect(often.alpha).toBeCloseTo(seldom.alpha, 12);
  });
});

describe('increases', () => {
  it('halve the distance to the target, then move the target up by 5 Mb/s', () => {
    const one = new Point({ initialAlpha: 1, alphaGain: 0, clampTarget: true });
    one.notify(0);
    one.notify(4 * US);
    expect([one.currentBps, one.targetBps]).toEqual([25e9, 50e9]);
    one.advance(304 * US);
    expect([one.currentBps, one.targetBps]).toEqual([37.5e9, 50e9]);
    one.advance(604 * US);
    expect([one.currentBps, one.targetBps]).toEqual([(37.5e9 + 50.005e9) / 2, 50.005e9]);
  });

  it('by bytes count like those by time; both together take hyper steps', () => {
    const one = new Point({ initialAlpha: 1, alphaGain: 0, clampTarget: true, byteCounterBytes: 1000 });
    one.notify(0);
    one.notify(4 * US);
    one.control.sent(0, 1000);
    expect(one.currentBps).toBe(37.5e9);
    one.control.sent(0, 1000);
    expect(one.targetBps).toBe(50.005e9);
    one.advance(304 * US);
    expect(one.targetBps).toBe(50.01e9);
    one.advance(604 * US);
    expect(one.targetBps).toBe(50.06e9);
  });

  it('end at the line rate, and pacing with them', () => {
    const one = new Point();
    one.notify(0);
    expect(one.control.isLimited(0)).toBe(true);
    one.advance(60e6 * US);
    expect(one.control.isLimited(0)).toBe(false);
    expect(one.currentBps).toBe(LINE);
  });
});

describe('pacing', () => {
  it('holds nobody before the first notification', () => {
    const flow = new Point().flow();
    flow.onSend(4096, 5, true);
    expect(flow.nextSendPs).toBe(0);
  });

  it('spaces packets by their bytes on the wire, and two queue pairs at one rate do not share it', () => {
    const shared = new Point({ initialAlpha: 1, alphaGain: 0 });
    const [one, other] = [shared.flow(50), shared.flow(50)];
    one.onCnp(0);
    for (const flow of [one, other]) {
      flow.onSend(950, 0, true);
      // 1000 bytes at 50 Gb/s
      expect(flow.nextSendPs).toBe(160_000);
    }
    one.onSend(950, 160_000, true);
    expect(one.nextSendPs).toBe(320_000);
  });
});

it('has the published constants apart from the defaults of NICs', () => {
  expect(dcqcnAsPublished()).toMatchObject({ fastRecoverySteps: 5, alphaGain: 1 / 256, additiveBps: 40e6 });
  const one = new Point(dcqcnAsPublished(), 40e9);
  one.notify(0);
  expect([one.currentBps, one.targetBps]).toEqual([20e9, 40e9]);
});

describe('a packet that was put off', () => {
  it('leaves when the rate has recovered, not after what the least rate would take', () => {
    const one = new Point({ initialAlpha: 1, alphaGain: 0 });
    for (let cut = 0; cut < 30; cut++) one.notify(4 * US * cut);
    const cutNs = 4 * US * 29;
    expect(one.currentBps).toBe(1e6);
    // 32,768 bits at 1 Mb/s would take 33 ms; after 300 us the rate is about half of the line's.
    const done = one.control.finishNs(0, cutNs, 32_768);
    expect(done).toBeGreaterThan(cutNs + 300 * US);
    expect(done).toBeLessThan(cutNs + 302 * US);
    expect(one.currentBps).toBe(1e6);
  });

  it('takes its time at the rate where no increase comes before', () => {
    const one = new Point({ initialAlpha: 1, alphaGain: 0 });
    one.notify(0);
    expect(one.control.finishNs(0, 0, 50_000)).toBe(US);
    expect(one.control.finishNs(0, 10 * US, 50_000)).toBe(11 * US);
  });

  it('is paced by the control that way', () => {
    const flow = new Point({ initialAlpha: 1, alphaGain: 0 }).flow();
    for (let cut = 0; cut < 30; cut++) flow.onCnp(4 * US_PS * cut);
    flow.onSend(4096, 120 * US_PS, true);
    expect(flow.nextSendPs).toBeGreaterThan(300 * US_PS);
    expect(flow.nextSendPs).toBeLessThan(500 * US_PS);
  });
});
