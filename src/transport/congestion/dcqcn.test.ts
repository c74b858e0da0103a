import { describe, expect, it } from 'vitest';
import { Dcqcn, DcqcnRate } from './dcqcn.js';
import { type DcqcnParameters, dcqcnAsPublished, dcqcnNicDefaults } from './dcqcn-parameters.js';

const LINE = 100e9;
const US = 1_000_000;

function rate(changes: Partial<DcqcnParameters> = {}): DcqcnRate {
  return new DcqcnRate({ ...dcqcnNicDefaults(LINE), ...changes });
}

describe('a cut', () => {
  it('takes half of alpha from the rate, but no more than half the rate', () => {
    const one = rate();
    one.notify(0);
    // alpha 1023/1024: 1 - 1023/2048 = 1025/2048
    expect(one.currentBps).toBe((LINE * 1025) / 2048);
    const weak = rate({ initialAlpha: 0.25 });
    weak.notify(0);
    expect(weak.currentBps).toBe(LINE * 0.875);
    const deep = rate({ initialAlpha: 1, cutDivisor: 1 });
    deep.notify(0);
    expect(deep.currentBps).toBe(LINE / 2);
  });

  it('comes no sooner than 4 us after the last', () => {
    const one = rate({ initialAlpha: 1, alphaGain: 0 });
    one.notify(0);
    one.notify(3 * US);
    expect(one.currentBps).toBe(LINE / 2);
    one.notify(4 * US);
    expect(one.currentBps).toBe(LINE / 4);
  });

  it('leaves at least the least rate, and the first may set a rate of its own', () => {
    const one = rate({ minRateBps: LINE * 0.9 });
    one.notify(0);
    expect(one.currentBps).toBe(LINE * 0.9);
    const set = rate({ firstCutBps: 7e9 });
    set.notify(0);
    expect(set.currentBps).toBe(7e9);
  });

  it('keeps the target unless the timer has moved it', () => {
    const one = rate({ initialAlpha: 1, alphaGain: 0 });
    one.notify(0);
    one.notify(10 * US);
    expect([one.currentBps, one.targetBps]).toEqual([LINE / 4, LINE]);
    one.advance(310 * US);
    expect(one.currentBps).toBe((LINE / 4 + LINE) / 2);
    one.notify(311 * US);
    expect(one.targetBps).toBe((LINE * 5) / 8);
  });
});

describe('alpha', () => {
  it('decays every microsecond by 1019/1024 and rises by 5/1024 with a notification', () => {
    const one = rate({ initialAlpha: 0.5 });
    one.notify(0);
    one.advance(US);
    const first = (0.5 * 1019) / 1024 + 5 / 1024;
    expect(one.alpha).toBeCloseTo(first, 14);
    one.advance(3 * US);
    expect(one.alpha).toBeCloseTo((first * 1019 * 1019) / (1024 * 1024), 14);
  });

  it('is the same however often the rate is looked at', () => {
    const often = rate();
    const seldom = rate();
    for (const one of [often, seldom]) one.notify(0);
    for (let us = 1; us <= 200; us++) often.advance(us * US);
    seldom.advance(200 * US);
    expect(often.alpha).toBeCloseTo(seldom.alpha, 12);
  });
});

describe('increases', () => {
  it('halve the distance to the target, then move the target up by 5 Mb/s', () => {
    const one = rate({ initialAlpha: 1, alphaGain: 0, clampTarget: true });
    one.notify(0);
    one.notify(4 * US);
    expect([one.currentBps, one.targetBps]).toEqual([25e9, 50e9]);
    one.advance(304 * US);
    expect([one.currentBps, one.targetBps]).toEqual([37.5e9, 50e9]);
    one.advance(604 * US);
    expect([one.currentBps, one.targetBps]).toEqual([(37.5e9 + 50.005e9) / 2, 50.005e9]);
  });

  it('by bytes count like those by time; both together take hyper steps', () => {
    const one = rate({ initialAlpha: 1, alphaGain: 0, clampTarget: true, byteCounterBytes: 1000 });
    one.notify(0);
    one.notify(4 * US);
    one.sent(1000);
    expect(one.currentBps).toBe(37.5e9);
    one.sent(1000);
    expect(one.targetBps).toBe(50.005e9);
    one.advance(304 * US);
    expect(one.targetBps).toBe(50.01e9);
    one.advance(604 * US);
    expect(one.targetBps).toBe(50.06e9);
  });

  it('end at the line rate, and pacing with them', () => {
    const one = rate();
    one.notify(0);
    one.advance(60e6 * US);
    expect(one.limited).toBe(false);
    expect(one.currentBps).toBe(LINE);
  });
});

describe('pacing', () => {
  it('holds nobody before the first notification', () => {
    const pacer = new Dcqcn(rate());
    pacer.onSend(4096, 5);
    expect(pacer.nextSendPs).toBe(0);
  });

  it('spaces packets by their bytes on the wire, and two queue pairs at one rate do not share it', () => {
    const shared = rate({ initialAlpha: 1, alphaGain: 0, packetOverheadBytes: 50 });
    const [one, other] = [new Dcqcn(shared), new Dcqcn(shared)];
    one.onCnp(0);
    for (const pacer of [one, other]) {
      pacer.onSend(950, 0);
      // 1000 bytes at 50 Gb/s
      expect(pacer.nextSendPs).toBe(160_000);
    }
    one.onSend(950, 160_000);
    expect(one.nextSendPs).toBe(320_000);
  });
});

it('has the published constants apart from the defaults of NICs', () => {
  const published = dcqcnAsPublished(40e9);
  expect(published).toMatchObject({ fastRecoverySteps: 5, alphaGain: 1 / 256, additiveBps: 40e6 });
  const one = new DcqcnRate(published);
  one.notify(0);
  expect([one.currentBps, one.targetBps]).toEqual([20e9, 40e9]);
});

describe('a packet that was put off', () => {
  it('leaves when the rate has recovered, not after what the least rate would take', () => {
    const one = rate({ initialAlpha: 1, alphaGain: 0 });
    for (let cut = 0; cut < 30; cut++) one.notify(4 * US * cut);
    const cutPs = 4 * US * 29;
    expect(one.currentBps).toBe(1e6);
    // 32,768 bits at 1 Mb/s would take 33 ms; after 300 us the rate is about half of the line's.
    const done = one.finishPs(cutPs, 32_768);
    expect(done).toBeGreaterThan(cutPs + 300 * US);
    expect(done).toBeLessThan(cutPs + 302 * US);
    expect(one.currentBps).toBe(1e6);
  });

  it('takes its time at the rate where no increase comes before', () => {
    const one = rate({ initialAlpha: 1, alphaGain: 0 });
    one.notify(0);
    expect(one.finishPs(0, 50_000)).toBe(US);
    expect(one.finishPs(10 * US, 50_000)).toBe(11 * US);
  });

  it('is paced by the control that way', () => {
    const control = new Dcqcn(rate({ initialAlpha: 1, alphaGain: 0 }));
    for (let cut = 0; cut < 30; cut++) control.onCnp(4 * US * cut);
    control.onSend(4096, 120 * US);
    expect(control.nextSendPs).toBeGreaterThan(300 * US);
    expect(control.nextSendPs).toBeLessThan(500 * US);
  });
});
