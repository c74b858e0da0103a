import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Checker, Random, Simulation } from '../../engine/index.js';
import { PacketFlag } from '../../transport/index.js';
import type { CableSide } from './cable-side.js';
import { Records } from './core/records.js';
import { EgressPort } from './egress-port.js';
import { FabricPackets } from './fabric-packets.js';
import { CheckedPolicy } from './switching/checked-policy.js';
import { Ns3Buffer } from './switching/ns3-buffer.js';
import { ThresholdBuffer, type ThresholdBufferOptions } from './switching/threshold-buffer.js';
import { QUEUE_SHIFT, WorldSwitch, type WorldSwitchOptions } from './world-switch.js';

const HOSTS = 3;
const DELAY_PS = 10_000;

/** Three hosts around a switch; each host's egress is paused by the switch. */
class SwitchBench {
  readonly simulation = new Simulation();
  readonly packets = new FabricPackets();
  readonly hosts: EgressPort[] = [];
  readonly downlinks: CableSide[] = [];
  readonly records = new Records(0);
  readonly received = new Float64Array(HOSTS);
  readonly fabric: WorldSwitch;
  sent = 0;
  marked = 0;
  highWaterBytes = 0;

  constructor(
    options: Partial<ThresholdBufferOptions> & Partial<WorldSwitchOptions> & { ecnPmax?: number } = {},
  ) {
    const { simulation, packets } = this;
    const {
      bufferBytes = 1_000_000,
      xoffBytes = 100_000,
      xonBytes = 50_000,
      headroomBytes = 0,
      ecnPmax = 0,
      ...rest
    } = options;
    const queues = HOSTS << QUEUE_SHIFT;
    const checker = new Checker();
    const policy = new ThresholdBuffer({ queues, bufferBytes, xoffBytes, xonBytes, headroomBytes });
    this.fabric = new WorldSwitch(simulation, packets, this.records, new Random(1), {
      name: 'switch',
      ports: HOSTS,
      telemetry: null,
      buffer: new CheckedPolicy(policy, { count: HOSTS, queueShift: QUEUE_SHIFT }, checker),
      marking: ecnPmax > 0 ? { minBytes: 20_000, maxBytes: 60_000, probability: ecnPmax } : null,
      ...rest,
    });
    const sink = simulation.register('sink', (packet, host) => {
      this.received[host] += packets.wireBytes[packet];
      this.highWaterBytes = Math.max(this.highWaterBytes, this.fabric.occupancyBytes);
      if ((packets.flags[packet] & PacketFlag.ECN_CE) !== 0) this.marked++;
      packets.free(packet);
    });
    const pauseHandler = simulation.register('held', (host, priority, paused) =>
      this.hosts[host].setPaused(priority, paused === 1),
    );
    for (let host = 0; host < HOSTS; host++) {
      const cable = { gbps: 100, delayPs: DELAY_PS };
      const up = { handler: this.fabric.arrivalHandler, port: host };
      this.hosts.push(
        new EgressPort(simulation, packets, { ...cable, name: `host${host}`, target: up, sender: null }),
      );
      const down = { handler: sink, port: host };
      this.downlinks.push(
        this.fabric.addPort({
          ...cable,
          name: `down${host}`,
          target: down,
          pauseHandler,
          pauseDelayPs: DELAY_PS,
        }),
      );
      this.fabric.route(host, [host]);
    }
  }

  send(from: number, to: number, count: number, bytes = 1000, priority = 0): void {
    const { packets } = this;
    for (let index = 0; index < count; index++) {
      const packet = packets.take();
      packets.wireBytes[packet] = bytes;
      packets.priority[packet] = priority;
      packets.destination[packet] = to;
      packets.flags[packet] = 0;
      this.sent += bytes;
      this.hosts[from].send(packet);
    }
  }

  get receivedBytes(): number {
    return this.received.reduce((sum, bytes) => sum + bytes, 0);
  }
}

describe('a lossless switch', () => {
  it('pauses both senders of an incast between XOFF and XON, and loses nothing', () => {
    const bench = new SwitchBench();
    bench.send(0, 2, 2000);
    bench.send(1, 2, 2000);
    bench.simulation.run();
    expect([bench.fabric.drops, bench.receivedBytes, bench.fabric.occupancyBytes]).toEqual([
      0,
      bench.sent,
      0,
    ]);
    for (const host of [0, 1]) {
      expect(bench.hosts[host].pauses[0]).toBeGreaterThan(1);
      expect(bench.hosts[host].isPaused(0)).toBe(false);
      expect(bench.hosts[host].pausedPs[0]).toBeGreaterThan(0);
    }
    // Each port may go over XOFF by what is on the wire when the pause arrives: two delays and a packet.
    expect(bench.highWaterBytes).toBeGreaterThan(100_000);
    expect(bench.highWaterBytes).toBeLessThan(2 * 101_500);
    expect(bench.fabric.pauseFrames % 2).toBe(0);
  });

  it('pauses the class that is congested and no other', () => {
    const bench = new SwitchBench();
    bench.send(0, 2, 2000, 1000, 3);
    bench.send(1, 2, 2000, 1000, 3);
    bench.send(0, 1, 100, 1000, 4);
    bench.simulation.run();
    expect(bench.hosts[0].pauses[3]).toBeGreaterThan(0);
    expect(bench.hosts[0].pauses[4]).toBe(0);
  });

  it('conserves bytes whatever is sent', () => {
    const burst = fc.tuple(
      fc.nat(HOSTS - 1),
      fc.nat(HOSTS - 1),
      fc.nat(300),
      fc.integer({ min: 64, max: 4158 }),
      fc.nat(7),
    );
    fc.assert(
      fc.property(fc.array(burst, { maxLength: 8 }), (bursts) => {
        const bench = new SwitchBench({ bufferBytes: 20_000_000 });
        for (const [from, to, count, bytes, priority] of bursts) bench.send(from, to, count, bytes, priority);
        bench.simulation.run();
        expect([bench.receivedBytes, bench.fabric.drops]).toEqual([bench.sent, 0]);
        expect([bench.packets.inUse, bench.records.inUse, bench.fabric.occupancyBytes]).toEqual([0, 0, 0]);
        for (const port of bench.hosts)
          for (let each = 0; each < 8; each++) expect(port.isPaused(each)).toBe(false);
      }),
      { numRuns: 40 },
    );
  });
});

describe('a switch with a shared buffer', () => {
  it('pauses by dynamic thresholds and loses nothing, with another policy and nothing else', () => {
    const ports = {
      count: HOSTS,
      queueShift: QUEUE_SHIFT,
      hostPorts: 0,
      node: new Int32Array(HOSTS),
      rateBps: new Float64Array(HOSTS).fill(100e9),
      delayNs: new Int32Array(HOSTS).fill(1000),
    };
    const buffer = new Ns3Buffer(ports, 1, {
      bufferBytes: 1_000_000,
      nicBps: 100e9,
      reserveBytes: 4096,
      resumeOffsetBytes: 3072,
      shareShift: 3,
      headroomDelays: 3,
    });
    const bench = new SwitchBench({ buffer });
    bench.send(0, 2, 2000);
    bench.send(1, 2, 2000);
    bench.simulation.run();
    expect([bench.fabric.drops, bench.receivedBytes, bench.fabric.occupancyBytes]).toEqual([
      0,
      bench.sent,
      0,
    ]);
    for (const host of [0, 1]) expect(bench.hosts[host].pauses[0]).toBeGreaterThan(1);
    expect(buffer.pausedQueues()).toBe(0);
  });
});

describe('a lossy switch', () => {
  it('never pauses and drops what finds the buffer full', () => {
    const bench = new SwitchBench({ xoffBytes: 0, bufferBytes: 100_000 });
    bench.send(0, 2, 1000);
    bench.send(1, 2, 1000);
    bench.simulation.run();
    expect(bench.fabric.pauseFrames).toBe(0);
    expect(bench.fabric.drops).toBeGreaterThan(500);
    expect(bench.receivedBytes + bench.fabric.drops * 1000).toBe(bench.sent);
    expect(bench.highWaterBytes).toBeLessThanOrEqual(100_000);
    expect(bench.packets.inUse).toBe(0);
  });

  it('drops a packet for a node that it has no route to', () => {
    const bench = new SwitchBench();
    bench.send(0, 9, 1);
    bench.simulation.run();
    expect([bench.fabric.unroutable, bench.packets.inUse]).toEqual([1, 0]);
  });
});

describe('ECN', () => {
  it('marks nothing below Kmin, a part in between, everything above Kmax', () => {
    const marks = (packets: number, pmax: number) => {
      const bench = new SwitchBench({ ecnPmax: pmax, xoffBytes: 0 });
      bench.send(0, 2, packets);
      bench.send(1, 2, packets);
      bench.simulation.run();
      expect(bench.marked).toBe(bench.fabric.marks);
      return bench.marked / (2 * packets);
    };
    expect(marks(20, 1)).toBe(0);
    const some = marks(50, 0.2);
    expect(some).toBeGreaterThan(0);
    expect(some).toBeLessThan(0.2);
    expect(marks(500, 0.2)).toBeGreaterThan(0.7);
    expect(marks(500, 0)).toBe(0);
  });
});
