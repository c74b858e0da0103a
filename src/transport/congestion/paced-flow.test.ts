import { describe, expect, it } from 'vitest';
import { AckFacts } from './congestion-control.js';
import { PacedFlow } from './paced-flow.js';
import { createControl } from './rates/control-spec.js';
import { Dctcp } from './rates/dctcp.js';
import { hpccHeader } from './rates/feedback.js';
import { controlPreset } from './rates/presets.js';
import { RateSlots } from './rates/rate-slots.js';

const LINE = 100e9;
const RTT_NS = 5000;
const US_PS = 1e6;

function facts(given: Partial<AckFacts> = {}): AckFacts {
  return Object.assign(new AckFacts(), given);
}

/** DCTCP as SRNIC has it: a packet stands for a byte, nothing is paced. */
function windowed(): PacedFlow {
  const spec = {
    gain: 1 / 16,
    additiveBps: 1e6,
    payloadBytes: 1,
    minRateBps: 1e6,
    window: 'scaled',
  } as const;
  const control = new Dctcp(1, spec);
  control.open(0, { lineBps: 100e6, windowBytes: 100, baseRttNs: 0 });
  return new PacedFlow(control, 0, {
    mtuBytes: 1,
    overheadBytes: 0,
    paces: false,
    spare: 0,
    measures: false,
  });
}

function alphaOf(flow: PacedFlow): number {
  return (flow.control as Dctcp).alpha[0];
}

/** Sends and acknowledges round trips of a whole window each, of which a share arrives marked. */
function rounds(flow: PacedFlow, count: number, share: number): void {
  for (let round = 0; round < count; round++) {
    const packets = flow.windowPackets;
    for (let index = 0; index < packets; index++) flow.onSend(1, 0, true);
    flow.onAck(packets, 0, facts({ marked: Math.round(share * packets) }));
  }
}

describe('DCTCP as a window', () => {
  it('stays wide open without marks, and paces nothing', () => {
    const flow = windowed();
    rounds(flow, 50, 0);
    expect([flow.windowPackets, flow.nextSendPs]).toEqual([100, 0]);
  });

  it('halves at the first mark, since alpha begins at 1', () => {
    const flow = windowed();
    rounds(flow, 1, 0.01);
    expect(flow.windowPackets).toBeGreaterThanOrEqual(50);
    expect(flow.windowPackets).toBeLessThanOrEqual(54);
  });

  it('learns the share of marks', () => {
    const flow = windowed();
    rounds(flow, 400, 0.25);
    expect(alphaOf(flow)).toBeGreaterThan(0.15);
    expect(alphaOf(flow)).toBeLessThan(0.5);
  });

  it('grows by a packet per round trip when marks have ended, up to where it began', () => {
    const flow = windowed();
    rounds(flow, 40, 1);
    const narrow = flow.windowPackets;
    expect(narrow).toBeLessThanOrEqual(2);
    rounds(flow, 40, 0);
    expect(flow.windowPackets).toBeGreaterThan(narrow + 30);
    expect(flow.windowPackets).toBeLessThanOrEqual(narrow + 41);
    rounds(flow, 200, 0);
    expect(flow.windowPackets).toBe(100);
  });

  it('counts marks alike whether packets are acknowledged one by one or together', () => {
    const [together, alone] = [windowed(), windowed()];
    for (let round = 0; round < 60; round++) {
      for (let index = 0; index < 16; index++) for (const flow of [together, alone]) flow.onSend(1, 0, true);
      together.onAck(16, 0, facts({ marked: 4 }));
      for (let index = 0; index < 16; index++) alone.onAck(1, 0, facts({ marked: index < 4 ? 1 : 0 }));
    }
    expect(alphaOf(together)).toBe(alphaOf(alone));
    expect(together.windowPackets).toBe(alone.windowPackets);
  });

  it('never closes, and survives more acknowledgements than sends (READs)', () => {
    const flow = windowed();
    flow.onAck(1000, 0, facts({ marked: 1000 }));
    expect(flow.windowPackets).toBeGreaterThanOrEqual(1);
  });
});

/** A flow of packets of 4 KB under a control with its preset. */
function paced(name: Parameters<typeof controlPreset>[0]): PacedFlow {
  const control = createControl(controlPreset(name, LINE, 4096), 1);
  control.open(0, { lineBps: LINE, windowBytes: (LINE * RTT_NS) / 8e9, baseRttNs: RTT_NS });
  return new PacedFlow(control, 0, {
    mtuBytes: 4096,
    overheadBytes: 0,
    paces: true,
    spare: 0,
    measures: false,
  });
}

/** Sends a packet each microsecond, each acknowledged at once with the same facts. */
function stream(
  flow: PacedFlow,
  packets: number,
  fromPs: number,
  given: (packet: number) => AckFacts,
): number {
  let nowPs = fromPs;
  for (let packet = 0; packet < packets; packet++) {
    nowPs += US_PS;
    flow.onSend(4096, nowPs, true);
    flow.onAck(1, nowPs, given(packet));
  }
  return nowPs;
}

describe('controls that look at round trips', () => {
  it.each(['timely', 'swift'] as const)('%s slows down while they grow, and only then', (name) => {
    const flow = paced(name);
    stream(flow, 200, 0, () => facts({ roundTripPs: RTT_NS * 1000 }));
    expect(flow.control.rateBps[0]).toBe(LINE);
    expect(flow.nextSendPs).toBe(0);
    stream(flow, 200, 200 * US_PS, (packet) => facts({ roundTripPs: (60 + 4 * packet) * US_PS }));
    expect(flow.control.rateBps[0]).toBeLessThanOrEqual(LINE / 4);
    expect(flow.nextSendPs).toBeGreaterThan(400 * US_PS);
  });

  it('learn nothing from acknowledgements that say none', () => {
    const flow = paced('swift');
    stream(flow, 100, 0, () => facts());
    expect(flow.control.rateBps[0]).toBe(LINE);
    expect(flow.usesRoundTrips).toBe(true);
  });
});

describe('HPCC', () => {
  /** Telemetry of one hop of 100 Gb/s, which has sent this much and has this much waiting. */
  function hop(packet: number, gbps: number, queueBytes: number): AckFacts {
    const { byteUnit, byteBits, queueUnit, timeBits } = hpccHeader(4);
    const nowNs = packet * 1000;
    const bytes = (gbps * nowNs) / 8 / byteUnit;
    const words = [nowNs % 2 ** timeBits, bytes % 2 ** byteBits, queueBytes / queueUnit, 100_000];
    return facts({ hops: 1, telemetry: Int32Array.from([0, ...words]), telemetryAt: 1 });
  }

  it('stays at the line rate on an idle path, and falls to its share on a full one', () => {
    const flow = paced('hpcc');
    stream(flow, 50, 0, (packet) => hop(packet + 1, 33, 0));
    expect(flow.control.rateBps[0]).toBe(LINE);
    const wide = flow.windowPackets;
    stream(flow, 50, 50 * US_PS, (packet) => hop(packet + 51, 100, 200_000));
    expect(flow.control.rateBps[0]).toBeLessThan(LINE / 2);
    expect(flow.windowPackets).toBeLessThan(wide);
  });

  it('reads no telemetry twice', () => {
    const flow = paced('hpcc');
    stream(flow, 20, 0, (packet) => hop(packet + 1, 100, 100_000));
    const rate = flow.control.rateBps[0];
    flow.onAck(1, 21 * US_PS, hop(20, 100, 100_000));
    expect(flow.control.rateBps[0]).toBe(rate);
  });
});

it('moves the next departure if the control says so', () => {
  const flow = paced('hpcc');
  flow.onSend(4096, 0, true);
  flow.control.rateBps[0] = LINE / 10;
  flow.onSend(4096, 0, true);
  const slow = flow.nextSendPs;
  flow.control.onAck = (slot) => {
    flow.control.rateBps[slot] = LINE / 5;
    return true;
  };
  flow.onAck(1, 1000, facts({ hops: 1, telemetry: Int32Array.from([7, 0, 0, 0]), telemetryAt: 0 }));
  expect(flow.nextSendPs).toBe(slow / 2);
});

it('gives slots back to the next flow, which begins anew', () => {
  const slots = new RateSlots(controlPreset('dcqcn', LINE, 1000));
  const terms = { lineBps: LINE, windowBytes: 0, baseRttNs: 0 };
  const taken = Array.from({ length: 40 }, () => slots.take(terms));
  expect(
    new Set(
      taken.map(({ control, slot }) => `${[...taken].findIndex((each) => each.control === control)}/${slot}`),
    ).size,
  ).toBe(40);
  const [first] = taken;
  first.control.rateBps[first.slot] = 1;
  slots.give(first);
  expect(slots.take(terms)).toBe(first);
  expect(first.control.rateBps[first.slot]).toBe(LINE);
});
