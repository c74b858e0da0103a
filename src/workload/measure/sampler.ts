import type { Delivered } from '../description/message-plan.js';
import type { Place, Places } from '../program/places.js';
import type { Lane, TenantRig } from '../program/rig.js';
import type { Worker } from '../program/worker.js';
import type { DeviceProbe, LinkUse, Testbed } from '../testbed.js';
import { CounterReader } from './counter-reader.js';
import type { InFlight } from './latency-log.js';
import { LevelLog, type LevelMark, type LevelSeries } from './level-log.js';
import { LinkLog, type LinkMark } from './link-log.js';
import { Rows } from './rows.js';

/** Everything that was known at one moment. */
export interface Sample {
  timeNs: number;
  /** For each lane, what was delivered so far. */
  lanes: Delivered[];
  /** For each device, its counters in the order of its reader. */
  counters: Float64Array[];
  /** For each worker, the time its core has worked. */
  busyNs: Float64Array;
  /** For each device, the sum over its send queues of the time they had nothing to send, or no receive to send it to. */
  idleNs: Float64Array;
  /** For each tenant, its requests in flight so far. */
  inFlight: InFlight[];
  /** The links; null where nobody asked for them. */
  links: LinkMark | null;
  /** How full queues and links are; null where nobody asked for it. */
  levels: LevelMark | null;
}

/** What is read besides counters. */
export interface SamplerOptions {
  /** The links. */
  links: boolean;
  /** How full queues and links are. */
  levels: boolean;
}

/** Reads facts at the ends of slices and keeps them. */
export class Sampler {
  readonly samples: Sample[] = [];
  readonly lanes: readonly Lane[];
  /** For each device, what its counters are called. */
  readonly readers: readonly CounterReader[];
  private readonly workers: readonly Worker[];
  /** By device. */
  private readonly probes: readonly DeviceProbe[];
  /** Whether every device tells the bytes that it has placed. */
  private readonly seesPlacement: boolean;
  /** Whether every device tells for how long its send queues had nothing to send. */
  private readonly seesIdle: boolean;
  private readonly rows = new Rows();
  private readonly rigs: readonly TenantRig[];
  /** The index of each device among all. */
  private readonly indices: ReadonlyMap<Place, number>;
  private readonly testbed: Pick<Testbed, 'links' | 'queues'>;
  private readonly linkLog: LinkLog | null;
  private readonly levelLog: LevelLog | null;

  constructor(
    testbed: Pick<Testbed, 'links' | 'queues'>,
    places: Places,
    rigs: readonly TenantRig[],
    { links, levels }: SamplerOptions,
  ) {
    this.testbed = testbed;
    this.linkLog = links ? new LinkLog() : null;
    this.levelLog = levels ? new LevelLog(() => testbed.queues(), places, rigs) : null;
    this.indices = new Map(places.all.map((place, index) => [place, index]));
    this.probes = places.all.map(({ device }) => device.probe);
    this.seesPlacement = this.probes.every(({ placedBytes }) => placedBytes !== null);
    this.seesIdle = this.probes.every(({ idleSendQueueNs }) => idleSendQueueNs !== null);
    this.rigs = rigs;
    this.lanes = rigs.flatMap((rig) => rig.lanes);
    this.readers = places.all.map(({ device }) => new CounterReader(device));
    this.workers = rigs.flatMap((rig) => rig.workers);
  }

  /** Reads everything now; `timeNs` counts from the start of the run. */
  take(timeNs: number, clockNs: number): void {
    const links: readonly LinkUse[] =
      this.linkLog === null && this.levelLog === null ? [] : this.testbed.links();
    this.samples.push({
      timeNs,
      lanes: this.lanes.map((lane) => this.deliveredOn(lane)),
      counters: this.readers.map((reader) => reader.read()),
      busyNs: this.busyNs(),
      idleNs: this.idleNs(clockNs),
      inFlight: this.rigs.map((rig) => rig.latency.inFlight(clockNs)),
      links: this.linkLog?.take(links) ?? null,
      levels: this.levelLog?.take(timeNs, links) ?? null,
    });
  }

  /** How full queues and links were, slice by slice; null where nobody asked for it. */
  levelSeries(nameOf: (name: string) => string): LevelSeries | null {
    const marks = this.samples.flatMap(({ levels }) => levels ?? []);
    return this.levelLog?.series(marks, nameOf) ?? null;
  }

  /** Bytes delivered on all lanes in each slice from `first` on, as a rate in Gb/s. */
  deliveredGbps(first: number): number[] {
    return this.perSlice(first, (before, after) => {
      let bytes = 0;
      for (let lane = 0; lane < after.lanes.length; lane++)
        bytes += after.lanes[lane].bytes - before.lanes[lane].bytes;
      return (bytes * 8) / (after.timeNs - before.timeNs);
    });
  }

  /** Messages delivered on all lanes in each slice, per second. */
  messagesPerSecond(first: number): number[] {
    return this.perSlice(first, (before, after) => {
      let messages = 0;
      for (let lane = 0; lane < after.lanes.length; lane++)
        messages += after.lanes[lane].messages - before.lanes[lane].messages;
      return (messages * 1e9) / (after.timeNs - before.timeNs);
    });
  }

  /** Pause share of the device that paused most, in each slice; zero where the device does not count it. */
  pauseShare(first: number): number[] {
    return this.perSlice(first, (before, after) => {
      let most = 0;
      for (let place = 0; place < this.readers.length; place++)
        most = Math.max(most, this.pauseRatio(before, after, place) ?? 0);
      return most;
    });
  }

  /** Share of the time between two samples in which a device told its peer to pause; null where it does not count that. */
  pauseRatio(before: Sample, after: Sample, place: number): number | null {
    const pauseNs = this.readers[place].pauseNs(before.counters[place], after.counters[place]);
    return pauseNs === null ? null : pauseNs / (after.timeNs - before.timeNs);
  }

  /** The counters of a device that moved in the last slice, with how far. */
  moved(place: number): Record<string, number> {
    const [before, after] = this.samples.slice(-2).map(({ counters }) => counters[place]);
    const moves: Record<string, number> = {};
    this.readers[place].names.forEach((name, column) => {
      const grown = (after[column] ?? 0) - (before[column] ?? 0);
      if (grown !== 0) moves[name] = grown;
    });
    return moves;
  }

  /** One value for each slice that begins at or after sample `first`. */
  perSlice(first: number, value: (before: Sample, after: Sample) => number): number[] {
    const values: number[] = [];
    for (let index = first + 1; index < this.samples.length; index++)
      values.push(value(this.samples[index - 1], this.samples[index]));
    return values;
  }

  private deliveredOn(lane: Lane): Delivered {
    const { delivered, perByte, sinks } = lane;
    if (!this.seesPlacement || perByte === null) return { ...delivered };
    // The device sees each packet land: finer than completions, which come a batch of whole messages at a time. The
    // rest follows in proportion.
    let bytes = 0;
    for (const { place, qpNum } of sinks) bytes += place.device.probe.placedBytes!(qpNum);
    return {
      messages: bytes * perByte.messages,
      bytes,
      packets: bytes * perByte.packets,
      l2Bytes: bytes * perByte.l2Bytes,
    };
  }

  private busyNs(): Float64Array {
    const { workers } = this;
    const row = this.rows.next(workers.length);
    for (let index = 0; index < workers.length; index++) row[index] = workers[index].thread.busyNs;
    return row;
  }

  private idleNs(clockNs: number): Float64Array {
    const { probes } = this;
    if (this.seesIdle) {
      const row = this.rows.next(probes.length);
      for (let index = 0; index < probes.length; index++) row[index] = probes[index].idleSendQueueNs!();
      return row;
    }
    const sums = Float64Array.from(probes, ({ receiveWaitNs }) => receiveWaitNs?.() ?? 0);
    for (const rig of this.rigs)
      for (const { sender, worker } of rig.senders)
        sums[this.indices.get(worker.place)!] += sender.idleUntil(clockNs);
    return sums;
  }
}
