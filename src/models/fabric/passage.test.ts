import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Random, Simulation } from '../../engine/index.js';
import { Records } from './core/records.js';
import { EgressPort } from './egress-port.js';
import { FabricPackets } from './fabric-packets.js';
import { ThresholdBuffer } from './switching/threshold-buffer.js';
import { QUEUE_SHIFT, WorldSwitch } from './world-switch.js';

const HOSTS = 2;
const PAUSE_PS = 50_000;

/** What happens at a time: packets are sent, a receiver pauses or resumes a class, or the cable to it gets slower. */
interface Step {
  readonly atPs: number;
  readonly host: number;
  readonly kind: 'send' | 'hold' | 'degrade' | 'look';
  readonly count: number;
  readonly bytes: number;
  readonly priority: number;
}

/** Two hosts at a switch. All that can be seen from outside is written down. */
class Bench {
  readonly simulation = new Simulation();
  readonly seen: string[] = [];
  private readonly packets = new FabricPackets();
  private readonly hosts: EgressPort[] = [];
  private readonly fabric: WorldSwitch;
  private readonly paused = new Set<string>();
  private name = 0;

  constructor(passage: boolean, rates: readonly number[], xoffBytes: number) {
    const { simulation, packets } = this;
    this.fabric = new WorldSwitch(simulation, packets, new Records(0), new Random(1), {
      name: 'switch',
      ports: HOSTS,
      telemetry: null,
      buffer: new ThresholdBuffer({
        queues: HOSTS << QUEUE_SHIFT,
        bufferBytes: 200_000,
        xoffBytes,
        xonBytes: xoffBytes / 2,
        headroomBytes: 20_000,
      }),
      marking: { minBytes: 5000, maxBytes: 40_000, probability: 0.5 },
    });
    const sink = simulation.register('sink', (packet, host) => {
      this.seen.push(`${simulation.now} ${host} ${packets.psn[packet]} ${packets.flags[packet]}`);
      packets.free(packet);
    });
    const pauseHandler = simulation.register('held', (host, priority, paused) => {
      this.seen.push(`${simulation.now} held ${host} ${priority} ${paused}`);
      this.hosts[host].setPaused(priority, paused === 1);
    });
    for (let host = 0; host < HOSTS; host++) {
      const cable = { gbps: rates[host], delayPs: 310_000 };
      const target = { handler: this.fabric.arrivalHandler, port: host };
      const sender = {
        onSent: () => this.seen.push(`${simulation.now} sent ${host}`),
        awaits: () => true,
        countSent: () => {},
      };
      this.hosts.push(new EgressPort(simulation, packets, { ...cable, name: `host${host}`, target, sender }));
      const down = { handler: sink, port: host };
      this.fabric.addPort({
        ...cable,
        ...{ name: `down${host}`, target: down, pauseHandler, pauseDelayPs: PAUSE_PS },
      });
      this.fabric.route(host, [host]);
    }
    if (!passage) return;
    const opened = this.fabric.openPassage([0, 1]);
    expect(opened).not.toBeNull();
    for (const host of this.hosts) host.passage = opened;
  }

  run(steps: readonly Step[]): void {
    for (const step of steps) {
      this.simulation.run(Math.max(step.atPs, this.simulation.now));
      this.take(step);
    }
    for (const each of this.paused) this.hold(each);
    this.simulation.run();
    this.look();
    expect([this.packets.inUse, this.fabric.occupancyBytes]).toEqual([0, 0]);
  }

  private take({ host, kind, count, bytes, priority }: Step): void {
    const { packets } = this;
    if (kind === 'look') this.look();
    else if (kind === 'hold') this.hold(`${host} ${priority}`);
    else if (kind === 'degrade') {
      this.fabric.disturb();
      this.fabric.sides[host].degrade(1 / count, 100 * bytes, 0, () => new Random(2));
    } else
      for (let index = 0; index < count; index++) {
        const packet = packets.take();
        packets.wireBytes[packet] = bytes;
        packets.payloadBytes[packet] = bytes;
        packets.priority[packet] = priority;
        packets.destination[packet] = 1 - host;
        packets.flags[packet] = 0;
        packets.psn[packet] = this.name++;
        this.hosts[host].send(packet);
      }
  }

  /** A receiver pauses a class, or resumes it. */
  private hold(key: string): void {
    const [host, priority] = key.split(' ').map(Number);
    const pauses = !this.paused.delete(key);
    if (pauses) this.paused.add(key);
    this.simulation.after(PAUSE_PS, this.fabric.pauseHandler, host, priority, pauses ? 1 : 0);
  }

  private look(): void {
    const sides = this.fabric.sides.map((side) => {
      side.settle();
      const { sentBytes, sentPackets, busyPs, waitedPs, allQueuedBytes } = side;
      return [sentBytes, sentPackets, busyPs, waitedPs, allQueuedBytes];
    });
    const { occupancyBytes, marks, drops, pauseFrames } = this.fabric;
    this.seen.push(JSON.stringify([this.simulation.now, sides, occupancyBytes, marks, drops, pauseFrames]));
  }
}

const steps = fc
  .array(
    fc.record({
      atPs: fc.integer({ min: 0, max: 20_000_000 }),
      host: fc.nat(1),
      kind: fc.constantFrom('send', 'send', 'send', 'send', 'hold', 'degrade', 'look', 'look'),
      count: fc.integer({ min: 1, max: 12 }),
      bytes: fc.constantFrom(84, 1000, 4170),
      priority: fc.nat(1),
    }),
    { minLength: 1, maxLength: 40 },
  )
  .map((list): Step[] => [...list].sort((a, b) => a.atPs - b.atPs));

describe('a passage', () => {
  it('changes nothing but the number of events', () => {
    let fewer = 0;
    fc.assert(
      fc.property(
        steps,
        fc.constantFrom([100, 100], [200, 40]),
        fc.constantFrom(20_000, 100_000),
        (list, rates, xoff) => {
          const [plain, passing] = [false, true].map((passage) => new Bench(passage, rates, xoff));
          plain.run(list);
          passing.run(list);
          expect(passing.seen).toEqual(plain.seen);
          fewer += plain.simulation.events - passing.simulation.events;
        },
      ),
      { numRuns: 300, seed: 7 },
    );
    expect(fewer).toBeGreaterThan(1000);
  });
});
