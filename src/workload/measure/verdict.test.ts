import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type DeviceBounds, judge, type RouteFacts, type VerdictFacts } from './verdict.js';

// The bounds of a 200 Gb/s device: 60 M packets/s, 13 M a queue pair, 7 M READs a queue pair.
const device: DeviceBounds = {
  lineRateGbps: 200,
  packetsPerSecond: 60e6,
  packetsPerSecondPerQp: 13e6,
  readsPerSecondPerQp: 7e6,
};

/** A host whose core is half busy and finds a receive for all that arrives. */
function host(name: string, pauseRatio: number | null, change: Partial<VerdictFacts['hosts'][number]> = {}) {
  return { name, pauseRatio, busyShare: 0.5, unpostedShare: 0, heldShare: 0, ...change };
}

/** What a route differs in from one of 16 queue pairs with 100 Gb/s and 10 M packets/s. */
interface RouteChange {
  from?: string;
  to?: string;
  deliveredL2Gbps?: number;
  /** What the receiver's port takes from all; default: as much as this route delivers. */
  receivedL2Gbps?: number;
  loopedL2Gbps?: number;
  /** With preambles and gaps. */
  lineGbps?: number;
  packetsPerSecond?: number;
  qps?: number;
  reads?: boolean;
  kind?: RouteFacts['kind'];
  generator?: RouteFacts['generator'];
  losses?: RouteFacts['losses'];
}

/** A generator whose queues are never empty, with cores this busy. */
function asking(busyShare: number): RouteFacts['generator'] {
  const waits = { idleShare: 0, receiveWaitShare: 0, residence: Number.POSITIVE_INFINITY };
  return { busyShare, meanBusyShare: busyShare, ...waits, rateLimited: false };
}

function route({ from = 'a', to = 'b', deliveredL2Gbps = 100, ...change }: RouteChange = {}): RouteFacts {
  const { loopedL2Gbps = 0, packetsPerSecond = 10e6, qps = 16, receivedL2Gbps = deliveredL2Gbps } = change;
  const ports: RouteFacts['ports'] = [
    {
      host: from,
      side: 'sent',
      deliveredL2Gbps,
      loopedL2Gbps,
      deliveredLineGbps: change.lineGbps ?? deliveredL2Gbps,
    },
    {
      host: to,
      side: 'received',
      deliveredL2Gbps: receivedL2Gbps,
      loopedL2Gbps,
      deliveredLineGbps: receivedL2Gbps,
    },
  ];
  return {
    from,
    to,
    ports,
    lines: ports,
    nics: [
      { packetsPerSecond, qps },
      { packetsPerSecond, qps },
    ],
    reads: change.reads ?? false,
    kind: change.kind ?? null,
    generator: change.generator ?? asking(0.5),
    losses: change.losses ?? null,
  };
}

function facts(change: RouteChange & Partial<VerdictFacts> = {}): VerdictFacts {
  return {
    hosts: change.hosts ?? [host('a', 0), host('b', 0)],
    routes: change.routes ?? [route(change)],
  };
}

describe('the verdict', () => {
  it('finds a shortfall of both rates', () => {
    const verdict = judge(facts(), device);
    expect(verdict).toMatchObject({ anomaly: true, symptom: 'throughput', limited: 'subsystem' });
    expect(verdict.why).toContain('100.0 Gb/s');
    expect(verdict.bounds).toEqual({ lineRateGbps: 200, packetsPerSecond: 60e6 });
  });

  it('finds pause on either NIC, even at line rate, and names the host', () => {
    const hosts = [host('a', 0), host('b', 0.0011)];
    const verdict = judge(facts({ hosts, deliveredL2Gbps: 199 }), device);
    expect(verdict).toMatchObject({ anomaly: true, symptom: 'pause' });
    expect(verdict.why).toContain('host b');
    expect(judge(facts({ hosts: [host('a', 0.001)], deliveredL2Gbps: 199 }), device).anomaly).toBe(false);
  });

  it('takes no pause for the device where arrivals wait for receives that a busy program posts late', () => {
    const late = { busyShare: 0.99, unpostedShare: 0.002 };
    const verdict = judge(facts({ hosts: [host('a', 0), host('b', 0.2, late)] }), device);
    expect(verdict).toMatchObject({ anomaly: false, symptom: null, limited: 'generator' });
    expect(verdict.why).toMatch(/host b .*0\.20 % .*no receive posted.*99\.0 % busy/);
    // One of the two alone is no excuse, nor is what the other host does.
    for (const part of [{ busyShare: 0.99 }, { unpostedShare: 0.5 }, { ...late, unpostedShare: 0.001 }])
      expect(judge(facts({ hosts: [host('b', 0.2, part)] }), device).symptom).toBe('pause');
    const other = [host('a', 0.002), host('b', 0.2, late)];
    expect(judge(facts({ hosts: other }), device)).toMatchObject({ anomaly: true, symptom: 'pause' });
    expect(judge(facts({ hosts: other }), device).why).toContain('host a');
  });

  it('takes no pause for the device where arrivals without a receive held it for most of that time', () => {
    const judged = (heldShare: number) => judge(facts({ hosts: [host('b', 0.2, { heldShare })] }), device);
    expect(judged(0.1)).toMatchObject({ anomaly: false, limited: 'generator' });
    expect(judged(0.1).why).toMatch(/for 10\.0 % a message held it that had found no receive posted/);
    expect(judged(0.09)).toMatchObject({ anomaly: true, symptom: 'pause' });
  });

  it('takes queues that wait for what was lost for no lack of requests', () => {
    const empty = { ...asking(0.5), idleShare: 0.9 };
    const losses = { lostShare: 0.01, uselessShare: 0, waitShare: 0.6 };
    const judged = (change: RouteChange) => judge(facts({ generator: empty, ...change }), device);
    expect(judged({})).toMatchObject({ anomaly: false, limited: 'generator' });
    expect(judged({ losses })).toMatchObject({ anomaly: true, symptom: 'throughput' });
    expect(judged({ losses }).why).toMatch(/asked for more; 1\.0 % of the packets were lost on the way$/);
    // Few losses leave queues that are empty for want of requests what they are.
    expect(judged({ losses: { ...losses, waitShare: 0.09 } })).toMatchObject({ limited: 'generator' });
    // As do those of a program that asks for no more than it gets.
    expect(judged({ losses, generator: { ...empty, rateLimited: true } })).toMatchObject({ anomaly: false });
  });

  it('holds requests of one kind to what the device can do of these', () => {
    const slower = { ...device, requestsPerSecond: { READ: 28e6, FETCH_ADD: 5e6 } };
    const judged = (change: RouteChange) => judge(facts({ deliveredL2Gbps: 4, ...change }), slower);
    expect(judged({ kind: 'FETCH_ADD', packetsPerSecond: 4.2e6 })).toMatchObject({ limited: 'packets' });
    expect(judged({ kind: 'FETCH_ADD', packetsPerSecond: 3.9e6 })).toMatchObject({ symptom: 'throughput' });
    expect(judged({ kind: 'READ', packetsPerSecond: 25e6 })).toMatchObject({ anomaly: false });
    // Of other kinds, and of a mix, it is held to more.
    expect(judged({ packetsPerSecond: 25e6 })).toMatchObject({ anomaly: true });
    expect(judged({ kind: 'COMPARE_SWAP', packetsPerSecond: 25e6 })).toMatchObject({ anomaly: true });
  });

  it('is content with either rate', () => {
    expect(judge(facts({ deliveredL2Gbps: 160 }), device)).toMatchObject({ anomaly: false, limited: 'line' });
    expect(judge(facts({ packetsPerSecond: 48e6 }), device)).toMatchObject({
      anomaly: false,
      limited: 'packets',
    });
  });

  it('takes a port that others fill for an answer, and names it', () => {
    const incast = ['a', 'b'].map((from) =>
      route({ from, to: 'c', deliveredL2Gbps: 99.5, receivedL2Gbps: 199 }),
    );
    const verdict = judge(facts({ routes: incast }), device);
    expect(verdict).toMatchObject({ anomaly: false, limited: 'line' });
    expect(verdict.why).toBe("host c's port is full: 199.0 Gb/s received is 99.5 % of the line rate");
    const looped = judge(facts({ deliveredL2Gbps: 190, loopedL2Gbps: 80 }), device);
    expect(looped).toMatchObject({ anomaly: false, limited: 'line' });
    expect(looped.why).toBe(
      'host a: 190.0 Gb/s sent, 80.0 Gb/s of it by loopback, is 95.0 % of the line rate',
    );
  });

  it('takes a line that is full of short packets for full', () => {
    const verdict = judge(facts({ deliveredL2Gbps: 152, lineGbps: 199 }), device);
    expect(verdict).toMatchObject({ anomaly: false, limited: 'line' });
    expect(verdict.why).toContain("host a's port is full: 152.0 Gb/s sent in short packets take up 99.5 %");
    expect(judge(facts({ deliveredL2Gbps: 152, lineGbps: 180 }), device).anomaly).toBe(true);
  });

  it('finds the one route that has less than it could have, however fast the others are', () => {
    const routes = [route({ deliveredL2Gbps: 195 }), route({ from: 'b', to: 'a', deliveredL2Gbps: 5 })];
    const verdict = judge(facts({ routes }), device);
    expect(verdict).toMatchObject({ anomaly: true, symptom: 'throughput' });
    expect(verdict.why).toMatch(/^b to a: 5\.0 Gb\/s delivered/);
    routes[1].generator.rateLimited = true;
    expect(judge(facts({ routes }), device)).toMatchObject({ anomaly: false, limited: 'line' });
  });

  it('has nothing to say where nothing is sent', () => {
    expect(judge(facts({ routes: [] }), device)).toMatchObject({ anomaly: false, limited: 'generator' });
  });

  it('bounds the packets by what so many queue pairs can do, less for READs', () => {
    // One queue pair: 0.8 x 13 M = 10.4 M; READs: 0.8 x 7 M = 5.6 M.
    expect(judge(facts({ qps: 1, packetsPerSecond: 10.5e6 }), device).limited).toBe('packets');
    expect(judge(facts({ qps: 1, packetsPerSecond: 10.3e6 }), device).anomaly).toBe(true);
    expect(judge(facts({ qps: 1, packetsPerSecond: 5.7e6, reads: true }), device).limited).toBe('packets');
  });

  it('takes no shortfall for the device where requests take hardly longer than the quickest of them', () => {
    const verdict = judge(facts({ generator: { ...asking(0.5), residence: 1.2 } }), device);
    expect(verdict).toMatchObject({ anomaly: false, limited: 'generator' });
    expect(verdict.why).toContain('1.2 times as long as the quickest: too few are in flight');
    expect(judge(facts({ generator: { ...asking(0.5), residence: 3 } }), device).symptom).toBe('throughput');
    // A pause is a pause however quick requests are.
    const paused = facts({ hosts: [host('b', 0.2)], generator: { ...asking(0.5), residence: 1 } });
    expect(judge(paused, device).symptom).toBe('pause');
  });

  it.each([asking(0.95), { ...asking(0), idleShare: 0.11 }, { ...asking(0), rateLimited: true }])(
    'does not blame the subsystem for its generator: %o',
    (generator) => {
      expect(judge(facts({ generator }), device)).toMatchObject({ anomaly: false, limited: 'generator' });
      expect(judge(facts({ generator }), null)).toMatchObject({ anomaly: false, limited: 'generator' });
    },
  );

  it('takes the cores for a bound like any other where all that they could ask for is too little', () => {
    // 5.74 M/s with cores 92 % busy is 6.24 M/s at most: 78 % of 8 M, and the bar is at 80 %.
    const slow = { ...device, packetsPerSecondPerQp: 8e6 };
    const judged = (meanBusyShare: number, packetsPerSecond: number) => {
      const generator = { ...asking(0.92), meanBusyShare };
      return judge(facts({ qps: 1, deliveredL2Gbps: 20, packetsPerSecond, generator }), slow);
    };
    expect(judged(0.92, 5.74e6)).toMatchObject({ anomaly: false, limited: 'generator' });
    expect(judged(0.92, 5.74e6).why).toContain('92.0 % busy: even without a pause they could ask for 78.0 %');
    // They could have asked for enough: the device is what is slow.
    expect(judged(0.88, 5.74e6)).toMatchObject({ anomaly: true, limited: 'subsystem' });
    // They have less than 80 % of what they could ask for, though one of them is as busy as before.
    expect(judged(0.79, 3e6)).toMatchObject({ anomaly: true, limited: 'subsystem' });
  });

  it('does not judge the rate of a device without bounds, yet sees its pauses', () => {
    expect(judge(facts(), null)).toMatchObject({ anomaly: false, limited: 'unknown', bounds: null });
    expect(judge(facts({ hosts: [host('a', 0.2)] }), null).anomaly).toBe(true);
    expect(judge(facts({ hosts: [host('a', null)] }), device).symptom).toBe('throughput');
  });

  it('never turns an anomaly of throughput up by going faster', () => {
    const rate = fc.double({ min: 0, max: 200, noNaN: true });
    fc.assert(
      fc.property(rate, rate, (one, other) => {
        const [slow, fast] = [Math.min(one, other), Math.max(one, other)];
        if (!judge(facts({ deliveredL2Gbps: slow }), device).anomaly)
          expect(judge(facts({ deliveredL2Gbps: fast }), device).anomaly).toBe(false);
      }),
    );
  });
});
