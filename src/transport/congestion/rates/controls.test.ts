import { describe, expect, it } from 'vitest';
import { type ControlSpec, createControl } from './control-spec.js';
import type { TimedDcqcn } from './dcqcn.js';
import type { Dctcp } from './dctcp.js';
import { Feedback, HOP_WORDS, hpccHeader } from './feedback.js';
import type { FlowTerms, RateControl } from './rate-control.js';
import type { Swift } from './swift.js';

// Each control against a script of acknowledgements, with the arithmetic of its paper done by hand.

const LINE = 100e9;
const US = 1000;
const terms = { lineBps: LINE, windowBytes: 100_000, baseRttNs: 8000 };

function opened<Control extends RateControl>(spec: ControlSpec, more: Partial<FlowTerms> = {}): Control {
  const control = createControl(spec, 2) as Control;
  control.open(1, { ...terms, ...more });
  return control;
}

function ack(control: RateControl, fields: Partial<Feedback>): boolean {
  return control.onAck(1, Object.assign(new Feedback(), fields));
}

const limits = { minRateBps: 1e9, window: 'none' } as const;

describe('DCQCN with timers', () => {
  const spec: ControlSpec = {
    kind: 'dcqcn',
    ...limits,
    alphaIntervalNs: US,
    decreaseIntervalNs: 4 * US,
    increaseIntervalNs: 300 * US,
    gain: 1 / 256,
    fastRecoverySteps: 1,
    additiveBps: 20e6,
    hyperBps: 200e6,
    clampTarget: false,
  };
  const at = (control: RateControl, nowNs: number) => {
    control.advance(1, nowNs);
    return control.rateBps[1];
  };

  it('cuts 4 us after the first notification, by the alpha of that time', () => {
    const control = opened<TimedDcqcn>(spec);
    ack(control, { marked: true, nowNs: 0 });
    expect(at(control, 4 * US)).toBe(LINE);
    const alpha = (255 / 256) ** 4;
    expect(at(control, 4 * US + 1)).toBe(Math.floor(LINE * (1 - alpha / 2)));
    expect(control.alpha[1]).toBeCloseTo(alpha, 15);
    expect(control.targetBps[1]).toBe(LINE);
  });

  it('cuts again only after a new notification, and remembers the target of the first cut', () => {
    const control = opened<TimedDcqcn>(spec);
    ack(control, { marked: true, nowNs: 0 });
    const once = at(control, 5 * US);
    expect(at(control, 100 * US)).toBe(once);
    ack(control, { marked: true, nowNs: 100 * US + 500 });
    // Alpha: 100 ticks without a notification, one with it.
    const alpha = (255 / 256) ** 100;
    const raised = (alpha * 255) / 256 + 1 / 256;
    const next = at(control, 104 * US + 1);
    expect(next / once).toBeCloseTo(1 - (raised * (255 / 256) ** 3) / 2, 9);
    expect(control.targetBps[1]).toBe(LINE);
  });

  it('recovers half way, then adds to the target, then adds more, up to the line', () => {
    const control = opened<TimedDcqcn>(spec);
    ack(control, { marked: true, nowNs: 0 });
    const cut = at(control, 4 * US + 1);
    const first = at(control, 304 * US + 1);
    expect(first).toBe(Math.floor(cut / 2) + LINE / 2);
    ack(control, { marked: true, nowNs: 305 * US });
    const second = at(control, 309 * US);
    // The first cut after an increase takes the rate of that time for its target.
    expect(control.targetBps[1]).toBe(first);
    expect(at(control, 608 * US + 1)).toBe(Math.floor(second / 2) + Math.floor(first / 2));
    at(control, 908 * US + 1);
    expect(control.targetBps[1]).toBe(first + 20e6);
    at(control, 1208 * US + 1);
    expect(control.targetBps[1]).toBe(first + 220e6);
    expect(at(control, 200_000 * US)).toBeGreaterThan(LINE * 0.999);
    expect(control.targetBps[1]).toBe(LINE);
  });

  it('is the same however often it is looked at', () => {
    const often = opened<TimedDcqcn>(spec);
    const seldom = opened<TimedDcqcn>(spec);
    for (const control of [often, seldom])
      for (const nowNs of [0, 2500, 9000, 77_777]) ack(control, { marked: true, nowNs });
    for (let nowNs = 77_777; nowNs < 2000 * US; nowNs += 777) often.advance(1, nowNs);
    expect(at(often, 2000 * US)).toBe(at(seldom, 2000 * US));
  });

  it('has a floor', () => {
    const control = opened<TimedDcqcn>({ ...spec, minRateBps: 40e9 });
    for (let nowNs = 0; nowNs < 100 * US; nowNs += 500) ack(control, { marked: true, nowNs });
    expect(at(control, 100 * US)).toBe(40e9);
  });

  it('takes the ticks of the nanosecond of a notification before it, unless it was planned earlier', () => {
    const notified = (feedbackHopNs: number, nowNs: number) => {
      const control = opened<TimedDcqcn>(spec, { feedbackHopNs });
      ack(control, { marked: true, nowNs: 0 });
      ack(control, { marked: true, nowNs });
      control.advance(1, nowNs);
      return control;
    };
    // The first tick of alpha: it has the notification of its nanosecond, or has to wait for one.
    expect(notified(US + 1, US).alpha[1]).toBe(1);
    expect(notified(US, US).alpha[1]).toBe(255 / 256);
    // The first cut: a notification before it is answered by it, one after it by the next cut.
    const cut = 4 * US + 1;
    const again = (control: TimedDcqcn) => {
      const once = at(control, cut);
      return at(control, cut + 4 * US) < once;
    };
    expect(again(notified(4 * US + 1, cut))).toBe(false);
    expect(again(notified(4 * US, cut))).toBe(true);
  });

  it('increases before it cuts in the same nanosecond if the increase was planned first', () => {
    const targetAfter = (increaseIntervalNs: number) => {
      const control = opened<TimedDcqcn>({ ...spec, increaseIntervalNs, fastRecoverySteps: 9 });
      ack(control, { marked: true, nowNs: 0 });
      const cut = at(control, 4 * US + 1);
      ack(control, { marked: true, nowNs: increaseIntervalNs + US });
      const again = at(control, 4 * US + 1 + increaseIntervalNs);
      return { cut, again, target: control.targetBps[1] };
    };
    // An increase to half way between the rate and the target comes first, and the cut makes its rate the target.
    const later = targetAfter(8 * US);
    expect(later.target).toBe(Math.floor(later.cut / 2) + LINE / 2);
    // With equal intervals the cut is planned first, and takes the increase back.
    const equal = targetAfter(4 * US);
    expect(equal.target).toBe(LINE);
    expect(equal.again).toBeLessThan(equal.cut);
  });
});

describe('DCTCP', () => {
  const spec: ControlSpec = {
    kind: 'dctcp',
    ...limits,
    gain: 1 / 16,
    additiveBps: 615e6,
    payloadBytes: 1000,
  };

  it('cuts once per round trip by the share of marks', () => {
    const control = opened(spec);
    ack(control, { ackedBytes: 1000, nextBytes: 10_000, marked: true });
    expect(control.rateBps[1]).toBe(LINE / 2);
    ack(control, { ackedBytes: 2000, nextBytes: 11_000, marked: true });
    expect(control.rateBps[1]).toBe(LINE / 2);
    // The round ends beyond 10,000. Its batch was 11 packets, 3 marks: alpha 15/16 + 3/11/16; the cut is over.
    ack(control, { ackedBytes: 11_000, nextBytes: 20_000, marked: true });
    const alpha = 15 / 16 + 3 / 11 / 16;
    expect(control.rateBps[1]).toBe(Math.floor((LINE / 2) * (1 - alpha / 2)));
  });

  it('adds a step per round trip without a mark, up to the line', () => {
    const control = opened(spec);
    ack(control, { ackedBytes: 1000, nextBytes: 10_000, marked: true });
    ack(control, { ackedBytes: 10_500, nextBytes: 20_000, marked: false });
    expect(control.rateBps[1]).toBe(LINE / 2 + 615e6);
    ack(control, { ackedBytes: 11_000, nextBytes: 21_000, marked: false });
    expect(control.rateBps[1]).toBe(LINE / 2 + 615e6);
    for (let end = 20_500; end < 5_000_000; end += 10_000)
      ack(control, { ackedBytes: end, nextBytes: end + 9000 });
    expect(control.rateBps[1]).toBe(LINE);
  });
});

describe('DCTCP told of more than was sent again', () => {
  it('takes the round for an endless one: its marks are no share, and the rate stays a number', () => {
    const control = opened<Dctcp>({
      kind: 'dctcp',
      ...limits,
      gain: 1 / 16,
      additiveBps: 615e6,
      payloadBytes: 1000,
    });
    ack(control, { ackedBytes: 1000, nextBytes: 10_000 });
    ack(control, { ackedBytes: 11_000, nextBytes: 10_000 });
    ack(control, { ackedBytes: 12_000, nextBytes: 11_000, marked: true });
    expect(control.alpha[1]).toBeCloseTo((15 / 16) ** 2, 9);
    expect(control.rateBps[1]).toBe(Math.floor(LINE * (1 - control.alpha[1] / 2)));
  });
});

describe('TIMELY', () => {
  const spec: ControlSpec = {
    kind: 'timely',
    ...limits,
    additiveBps: 100e6,
    hyperBps: 500e6,
    differenceWeight: 0.875,
    cutFactor: 0.8,
    lowNs: 50 * US,
    highNs: 500 * US,
    minRttNs: 20 * US,
    hyperAfter: 5,
  };

  it('cuts by the gradient between the thresholds and by the excess above, and rises below', () => {
    const control = opened(spec);
    ack(control, { ackedBytes: 1000, nextBytes: 10_000, rttNs: 60 * US });
    expect(control.rateBps[1]).toBe(LINE);
    ack(control, { ackedBytes: 10_500, nextBytes: 20_000, rttNs: 64 * US });
    // Gradient 0.875 * 4 / 20.
    const gradient = (0.875 * 4) / 20;
    const cut = Math.floor(LINE * (1 - 0.8 * gradient));
    expect(control.rateBps[1]).toBe(cut);
    // Within the round nothing happens.
    ack(control, { ackedBytes: 15_000, nextBytes: 22_000, rttNs: 400 * US });
    expect(control.rateBps[1]).toBe(cut);
    ack(control, { ackedBytes: 20_500, nextBytes: 30_000, rttNs: 1000 * US });
    const halved = Math.floor(cut * (1 - 0.8 * (1 - 500 / 1000)));
    expect(control.rateBps[1]).toBe(halved);
    ack(control, { ackedBytes: 30_500, nextBytes: 40_000, rttNs: 40 * US });
    expect(control.rateBps[1]).toBe(halved + 100e6);
    for (let round = 4; round < 8; round++)
      ack(control, { ackedBytes: round * 10_000 + 500, nextBytes: (round + 1) * 10_000, rttNs: 40 * US });
    expect(control.rateBps[1]).toBe(halved + 500e6);
    ack(control, { ackedBytes: 80_500, nextBytes: 90_000, rttNs: 40 * US });
    expect(control.rateBps[1]).toBe(halved + 1000e6);
  });
});

describe('HPCC', () => {
  const spec: ControlSpec = {
    kind: 'hpcc',
    minRateBps: 1e9,
    window: 'scaled',
    telemetry: hpccHeader(1),
    targetUtilisation: 0.95,
    additiveBps: 50e6,
    additiveSteps: 0,
    fastReact: true,
    ratePerHop: false,
    skipEmptyQueues: false,
  };
  /** Telemetry of hops: time in ns, bytes sent in units of 128, queue in units of 80. */
  const telemetry = (...hops: [number, number, number][]) => ({
    hops: hops.length,
    telemetry: Int32Array.from(hops.flatMap(([time, bytes, queue]) => [time, bytes, queue, 100_000])),
    telemetryAt: 0,
  });

  it('follows the most loaded hop', () => {
    expect(HOP_WORDS).toBe(4);
    const control = opened(spec);
    expect(ack(control, { ackedBytes: 1000, nextBytes: 50_000, ...telemetry([0, 0, 0], [0, 0, 100]) })).toBe(
      false,
    );
    // 4 us later: the first hop sent half of what it could; the second was full, with 8,000 bytes queued both times.
    const half = Math.floor((0.5 * 4000 * 12.5) / 128);
    const full = Math.floor((4000 * 12.5) / 128);
    expect(
      ack(control, {
        ackedBytes: 50_500,
        nextBytes: 90_000,
        ...telemetry([4000, half, 0], [4000, full, 100]),
      }),
    ).toBe(true);
    const load = (full * 128 * 8) / 4000e-9 / LINE + 8000 / 100_000;
    const utilisation = (1 * 4000 + load * 4000) / 8000;
    expect(control.rateBps[1]).toBe(Math.floor(LINE / (utilisation / 0.95)) + 50e6);
  });

  it('moves the reference once per round trip, the rate with every acknowledgement', () => {
    const control = opened(spec);
    ack(control, { ackedBytes: 1000, nextBytes: 50_000, ...telemetry([0, 0, 0]) });
    const busy = Math.floor((8000 * 12.5) / 128);
    ack(control, { ackedBytes: 2000, nextBytes: 51_000, ...telemetry([8000, busy, 50]) });
    const reacted = control.rateBps[1];
    expect(reacted).toBeLessThan(LINE);
    // From the same reference: a hop that is nearly idle brings the rate back to the line.
    ack(control, { ackedBytes: 3000, nextBytes: 52_000, ...telemetry([16_000, busy + 5, 0]) });
    expect(control.rateBps[1]).toBe(LINE);
    const still = opened({ ...spec, fastReact: false });
    ack(still, { ackedBytes: 1000, nextBytes: 50_000, ...telemetry([0, 0, 0]) });
    expect(ack(still, { ackedBytes: 2000, nextBytes: 51_000, ...telemetry([8000, busy, 50]) })).toBe(false);
    expect(still.rateBps[1]).toBe(LINE);
  });

  it('reads counters that wrapped around', () => {
    const control = opened(spec);
    const near = 2 ** 24 - 1000;
    ack(control, { ackedBytes: 1000, nextBytes: 50_000, ...telemetry([near, 2 ** 20 - 10, 0]) });
    ack(control, {
      ackedBytes: 60_000,
      nextBytes: 99_000,
      ...telemetry([7000, Math.floor(1e5 / 128) - 10, 0]),
    });
    const load = (Math.floor(1e5 / 128) * 128 * 8) / 8000e-9 / LINE;
    expect(control.rateBps[1]).toBe(Math.min(LINE, Math.floor(LINE / (load / 0.95)) + 50e6));
  });

  it('keeps a rate per hop if told, and sends at the least', () => {
    const control = opened({ ...spec, ratePerHop: true });
    ack(control, { ackedBytes: 1000, nextBytes: 50_000, ...telemetry([0, 0, 0], [0, 0, 0]) });
    const busy = Math.floor((8000 * 12.5) / 128);
    ack(control, { ackedBytes: 60_000, nextBytes: 99_000, ...telemetry([8000, 0, 0], [8000, busy, 0]) });
    const load = (busy * 128 * 8) / 8000e-9 / LINE;
    expect(control.rateBps[1]).toBe(Math.floor(LINE / (load / 0.95)) + 50e6);
  });

  it('does nothing if the way has more hops than the header', () => {
    const control = opened(spec);
    const six = telemetry([0, 0, 0], [0, 0, 0], [0, 0, 0], [0, 0, 0], [0, 0, 0], [0, 0, 0]);
    ack(control, { ackedBytes: 1000, nextBytes: 50_000, ...six });
    expect(ack(control, { ackedBytes: 60_000, nextBytes: 99_000, ...six })).toBe(false);
    expect(control.rateBps[1]).toBe(LINE);
  });
});

describe('windows', () => {
  it('bound the bytes in flight, scaled by the rate if told', () => {
    const spec: ControlSpec = {
      kind: 'dctcp',
      ...limits,
      gain: 1 / 16,
      additiveBps: 1e6,
      payloadBytes: 1000,
    };
    const none = opened(spec);
    expect(none.isFull(1, 1e9)).toBe(false);
    const fixed = opened({ ...spec, window: 'fixed' });
    expect([fixed.isFull(1, 99_999), fixed.isFull(1, 100_000)]).toEqual([false, true]);
    const scaled = opened({ ...spec, window: 'scaled' });
    ack(scaled, { ackedBytes: 1000, nextBytes: 2000, marked: true });
    expect([scaled.isFull(1, 49_999), scaled.isFull(1, 50_000)]).toEqual([false, true]);
    const line = opened({ kind: 'none', minRateBps: 0, window: 'fixed' });
    expect(ack(line, { marked: true })).toBe(false);
    expect(line.rateBps[1]).toBe(LINE);
  });
});

describe('Swift', () => {
  const spec: ControlSpec = {
    kind: 'swift',
    minRateBps: 100e6,
    window: 'scaled',
    payloadBytes: 1000,
    targetNs: 5 * US,
    scalingNs: 20 * US,
    leastScaledPackets: 0.1,
    mostScaledPackets: 100,
    additivePackets: 1,
    cutFactor: 0.8,
    mostCut: 0.5,
  };

  it('shrinks in proportion to what the delay is above its target, at most by half and once per round trip', () => {
    const control = opened<Swift>(spec);
    // The window has 100 packets: nothing is added to the target of 8 + 5 us.
    expect(control.targetNs(1)).toBeCloseTo(13 * US, 6);
    ack(control, { nowNs: 0, rttNs: 26 * US, ackedBytes: 1000 });
    expect(control.rateBps[1]).toBe(Math.floor(LINE * (1 - 0.8 / 2)));
    ack(control, { nowNs: 20 * US, rttNs: 26 * US, ackedBytes: 2000 });
    expect(control.rateBps[1]).toBe(Math.floor(LINE * 0.6));
    ack(control, { nowNs: 26 * US, rttNs: 1000 * US, ackedBytes: 3000 });
    expect(control.rateBps[1]).toBeCloseTo(LINE * 0.3, -2);
  });

  it('grows by a packet per round trip below it, and never beyond the line', () => {
    const control = opened<Swift>(spec);
    ack(control, { nowNs: 0, rttNs: 1000 * US, ackedBytes: 0 });
    const before = control.rateBps[1];
    // A window of 50 packets is acknowledged in a round trip.
    for (let acked = 1000; acked <= 50_000; acked += 1000)
      ack(control, { nowNs: 2000 * US, rttNs: 8 * US, ackedBytes: acked });
    expect((control.rateBps[1] - before) / LINE).toBeCloseTo(0.01, 3);
    ack(control, { nowNs: 3000 * US, rttNs: 8 * US, ackedBytes: 1e9 });
    expect(control.rateBps[1]).toBe(LINE);
  });

  it('aims at more the smaller its window is', () => {
    const control = opened<Swift>(spec);
    const targets = [];
    for (let round = 1; round < 8; round++) {
      ack(control, { nowNs: round * 1e9, rttNs: 1e8, ackedBytes: 0 });
      targets.push(control.targetNs(1));
    }
    expect(targets).toEqual([...targets].sort((a, b) => a - b));
    expect(targets.at(-1)).toBeLessThanOrEqual(33 * US);
  });
});
