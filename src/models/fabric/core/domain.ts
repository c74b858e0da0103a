import type { LightNics } from '../nic/light-nics.js';
import type { SwitchPlane } from '../switching/switch-plane.js';
import type { LinkLoss } from './link-loss.js';
import type { PauseLog } from './pause-log.js';
import { BUSY, type Ports } from './ports.js';
import {
  KIND_MASK,
  META,
  PAUSE,
  PORT,
  RECORD_SHIFT,
  type Records,
  ROUTE,
  SEQ,
  SIZE,
  WAKE,
} from './records.js';
import type { Timers } from './timers.js';
import type { Wheel } from './wheel.js';

/** What an event loop works on. */
export interface DomainParts {
  readonly records: Records;
  readonly wheel: Wheel;
  readonly ports: Ports;
  readonly switches: SwitchPlane;
  readonly nics: LightNics;
  readonly timers: Timers;
  readonly pauseLog: PauseLog;
  /** Null if no link loses packets. */
  readonly loss: LinkLoss | null;
}

/** The event loop of a fabric: hands each record to the part that it concerns. */
export class Domain {
  events = 0;
  /** Resumes of classes that were not paused. */
  unpairedResumes = 0;
  private readonly records: Records;
  private readonly wheel: Wheel;
  private readonly ports: Ports;
  private readonly switches: SwitchPlane;
  private readonly nics: LightNics;
  private readonly timers: Timers;
  private readonly pauseLog: PauseLog;
  private readonly loss: LinkLoss | null;

  constructor(parts: DomainParts) {
    this.records = parts.records;
    this.wheel = parts.wheel;
    this.ports = parts.ports;
    this.switches = parts.switches;
    this.nics = parts.nics;
    this.timers = parts.timers;
    this.pauseLog = parts.pauseLog;
    this.loss = parts.loss;
  }

  get nowNs(): number {
    return this.wheel.nowNs;
  }

  /** Runs everything up to and including `untilNs`, or about `maxEvents` events of it; true if all of it was run. */
  run(untilNs: number, maxEvents = Infinity): boolean {
    const { wheel, records } = this;
    const limit = this.events + maxEvents;
    while (this.events < limit) {
      if (!wheel.advance(untilNs)) return true;
      for (let record = wheel.take(); record >= 0; record = wheel.take()) {
        records.ensure();
        this.events++;
        this.handle(record);
      }
    }
    return false;
  }

  private handle(record: number): void {
    const { ports } = this;
    if (record < ports.count) {
      ports.state[record] &= ~BUSY;
      if (ports.state[record] === 0) this.serve(record);
      return;
    }
    const { words } = this.records;
    const at = record << RECORD_SHIFT;
    const kind = words[at + META] & KIND_MASK;
    const port = words[at + PORT];
    if (this.loss !== null && kind <= PAUSE && this.loss.loses(port, kind, words[at + SIZE])) {
      this.records.free(record);
      return;
    }
    if (kind < PAUSE) {
      if (port < ports.hostPorts) this.nics.receive(record, port);
      else this.switches.receive(record, port);
    } else if (kind === PAUSE) {
      this.onPause(record, port);
    } else if (kind === WAKE) {
      this.nics.onWake(record);
    } else {
      this.timers.fire(record);
    }
  }

  private serve(port: number): void {
    if (port < this.ports.hostPorts) this.nics.serve(port);
    else this.switches.serve(port);
  }

  /** A pause holds a class of a port; a resume lets it go on. A pause that comes twice is a pause. */
  private onPause(record: number, port: number): void {
    const { words } = this.records;
    const at = record << RECORD_SHIFT;
    const trafficClass = words[at + SEQ];
    const pauses = words[at + ROUTE];
    this.records.free(record);
    this.pauseLog.add(this.wheel.nowNs, port, trafficClass, pauses);
    const { ports } = this;
    if (pauses === 1) {
      ports.paused[port] |= 1 << trafficClass;
      return;
    }
    if ((ports.paused[port] & (1 << trafficClass)) === 0) this.unpairedResumes++;
    ports.paused[port] &= ~(1 << trafficClass);
    if (ports.state[port] === 0) this.serve(port);
  }
}
