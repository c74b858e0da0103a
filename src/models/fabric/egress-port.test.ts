import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Simulation } from '../../engine/index.js';
import { EgressPort } from './egress-port.js';
import { FabricPackets } from './fabric-packets.js';

const GBPS = 100;
const DELAY_PS = 5000;

/** A port with a sink behind it that counts bytes per class. */
class PortBench {
  readonly simulation = new Simulation();
  readonly packets = new FabricPackets();
  readonly arrivedPs: number[] = [];
  readonly arrivedBytes = new Float64Array(8);
  readonly port: EgressPort;
  onArrival: (bytes: number) => void = () => {};

  constructor(weights?: readonly number[]) {
    const handler = this.simulation.register('sink', (packet) => {
      this.arrivedPs.push(this.simulation.now);
      this.onArrival(this.packets.wireBytes[packet]);
      this.arrivedBytes[this.packets.priority[packet]] += this.packets.wireBytes[packet];
      this.packets.free(packet);
    });
    this.port = new EgressPort(this.simulation, this.packets, {
      name: 'port',
      gbps: GBPS,
      delayPs: DELAY_PS,
      target: { handler, port: 0 },
      sender: null,
      ...(weights === undefined ? {} : { weights }),
    });
  }

  send(count: number, bytes: number, priority = 0): void {
    for (let index = 0; index < count; index++) {
      const packet = this.packets.take();
      this.packets.wireBytes[packet] = bytes;
      this.packets.priority[packet] = priority;
      this.port.send(packet);
    }
  }
}

describe('an egress port', () => {
  it('sends at its rate, with 20 bytes of gap a packet, and delays each by the same time', () => {
    const bench = new PortBench();
    bench.send(3, 980);
    bench.simulation.run();
    const eachPs = (1000 * 8000) / GBPS;
    expect(bench.arrivedPs).toEqual([1, 2, 3].map((packet) => packet * eachPs + DELAY_PS));
    expect([bench.port.sentPackets, bench.port.sentBytes, bench.packets.inUse]).toEqual([3, 2940, 0]);
  });

  it('shares the link between classes by their weights', () => {
    const bench = new PortBench([1, 3, 1, 1, 1, 1, 1, 1]);
    bench.send(2000, 1000, 0);
    bench.send(2000, 1000, 1);
    bench.simulation.run(1000 * ((1020 * 8000) / GBPS));
    expect(bench.arrivedBytes[1] / bench.arrivedBytes[0]).toBeCloseTo(3, 1);
  });

  it('shares it by bytes, whatever the packets are', () => {
    const bench = new PortBench();
    bench.send(20_000, 100, 2);
    bench.send(2000, 4000, 5);
    bench.simulation.run(1e8);
    expect(bench.arrivedBytes[2] / bench.arrivedBytes[5]).toBeGreaterThan(0.95);
    expect(bench.arrivedBytes[2] / bench.arrivedBytes[5]).toBeLessThan(1.05);
  });

  it('sends urgent packets of a class before the others, in their own order', () => {
    const bench = new PortBench();
    const order: number[] = [];
    const send = (bytes: number, urgent: boolean) => {
      const packet = bench.packets.take();
      bench.packets.wireBytes[packet] = bytes;
      bench.packets.priority[packet] = 0;
      if (urgent) bench.port.sendFirst(packet);
      else bench.port.send(packet);
    };
    bench.onArrival = (bytes) => order.push(bytes);
    send(100, false);
    send(101, false);
    send(102, false);
    send(201, true);
    send(202, true);
    bench.simulation.run(150 * 80);
    send(203, true);
    bench.simulation.run();
    send(301, true);
    send(302, false);
    bench.simulation.run();
    expect(order).toEqual([100, 201, 202, 203, 101, 102, 301, 302]);
    expect([bench.port.allQueuedBytes, bench.packets.inUse]).toEqual([0, 0]);
  });

  it('holds a paused class and no other, and counts the time', () => {
    const bench = new PortBench();
    bench.port.setPaused(3, true);
    bench.send(2, 980, 3);
    bench.send(2, 980, 4);
    bench.simulation.run(1e6);
    expect([bench.arrivedBytes[3], bench.arrivedBytes[4]]).toEqual([0, 1960]);
    expect([bench.port.isPaused(3), bench.port.queuedBytes[3]]).toEqual([true, 1960]);
    expect(bench.port.pausedUntilNowPs(3)).toBe(1e6);
    bench.port.setPaused(3, false);
    bench.simulation.run();
    expect(bench.arrivedBytes[3]).toBe(1960);
    expect([bench.port.pausedUntilNowPs(3), bench.port.pauses[3], bench.packets.inUse]).toEqual([1e6, 1, 0]);
  });

  it('refuses a pause that is no change: pauses and resumes come in pairs', () => {
    const { port } = new PortBench();
    expect(() => port.setPaused(0, false)).toThrow(expect.objectContaining({ code: 'PAUSE_UNPAIRED' }));
    port.setPaused(0, true);
    expect(() => port.setPaused(0, true)).toThrow(expect.objectContaining({ code: 'PAUSE_UNPAIRED' }));
  });
});

/** Packets that come now or later, pauses and looks at the queue; `announces`: those of later are said beforehand. */
function outcome(
  announces: boolean,
  steps: readonly { atPs: number; kind: string; laterPs: number; bytes: number; priority: number }[],
): { seen: string[]; events: number } {
  const simulation = new Simulation();
  const packets = new FabricPackets();
  const seen: string[] = [];
  let heardBytes = 0;
  const isAwaited = (packet: number) => packets.wireBytes[packet] > 84;
  const target = simulation.register('sink', (packet) => {
    seen.push(`${simulation.now} ${packets.psn[packet]}`);
    packets.free(packet);
  });
  const port = new EgressPort(simulation, packets, {
    name: 'port',
    gbps: GBPS,
    delayPs: DELAY_PS,
    target: { handler: target, port: 0 },
    sender: {
      onSent(packet) {
        if (isAwaited(packet)) seen.push(`${simulation.now} sent ${packets.psn[packet]}`);
        this.countSent(packets.wireBytes[packet]);
      },
      awaits: (packet) => !announces || isAwaited(packet),
      countSent(wireBytes) {
        heardBytes += wireBytes;
      },
    },
  });
  const ready = simulation.register('ready', (packet) => port.send(packet));
  let paused = 0;
  const toggle = (priority: number) => {
    paused ^= 1 << priority;
    port.setPaused(priority, (paused & (1 << priority)) !== 0);
  };
  steps.forEach(({ atPs, kind, laterPs, bytes, priority }, index) => {
    simulation.run(Math.max(atPs, simulation.now));
    if (kind === 'pause') {
      toggle(priority);
      return;
    }
    if (kind === 'look') {
      port.settle();
      const { sentBytes, waitedPs, allQueuedBytes } = port;
      seen.push(`${simulation.now} ${sentBytes} ${waitedPs} ${allQueuedBytes} ${heardBytes}`);
      return;
    }
    const packet = packets.take();
    packets.wireBytes[packet] = bytes;
    packets.priority[packet] = priority;
    packets.psn[packet] = index;
    if (kind === 'now') port.send(packet);
    else if (kind === 'first') port.sendFirst(packet);
    else if (!announces || !port.sendLater(packet, laterPs)) simulation.after(laterPs, ready, packet);
  });
  for (const priority of [0, 1]) if ((paused & (1 << priority)) !== 0) toggle(priority);
  simulation.run();
  seen.push(`${port.sentPackets} ${port.waitedPs} ${packets.inUse} ${heardBytes}`);
  return { seen, events: simulation.events };
}

it('packets that come later and packets that nobody waits for leave as if each had its events', () => {
  let fewer = 0;
  const steps = fc.array(
    fc.record({
      atPs: fc.integer({ min: 0, max: 3_000_000 }),
      kind: fc.constantFrom('now', 'later', 'later', 'later', 'first', 'pause', 'look', 'look'),
      laterPs: fc.integer({ min: 1, max: 200_000 }),
      bytes: fc.constantFrom(84, 84, 1000, 4170),
      priority: fc.nat(1),
    }),
    { minLength: 1, maxLength: 60 },
  );
  fc.assert(
    fc.property(steps, (list) => {
      const sorted = [...list].sort((a, b) => a.atPs - b.atPs);
      const [plain, announced] = [outcome(false, sorted), outcome(true, sorted)];
      expect(announced.seen).toEqual(plain.seen);
      fewer += plain.events - announced.events;
    }),
    { numRuns: 300, seed: 11 },
  );
  expect(fewer).toBeGreaterThan(50);
});
