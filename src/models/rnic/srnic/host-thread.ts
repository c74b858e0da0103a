import type { Simulation } from '../../../engine/index.js';
import type { OnloadedConstants } from '../../../profiles/index.js';
import type { SlowPath, SlowPathClient } from '../../../transport/index.js';
import type { DmaPath } from '../../pcie/dma-path.js';
import type { PciePort } from '../../pcie/pcie-port.js';
import type { RnicCounters } from '../rnic-counters.js';

/** What the thread is made of. */
export interface HostThreadParts {
  constants: OnloadedConstants;
  name: string;
  simulation: Simulation;
  counters: RnicCounters;
  pcie: PciePort;
  queuePath: DmaPath;
}

/**
 * The software that keeps the bitmaps of a device (SRNIC, NSDI'23, §4.4.2): a thread of the host that polls a queue which
 * the NIC writes events to, handles them one after the other, and stores commands in the NIC.
 */
export class HostThread implements SlowPath {
  private readonly simulation: Simulation;
  private readonly counters: RnicCounters;
  private readonly pcie: PciePort;
  private readonly queuePath: DmaPath;
  private readonly eventHandler: number;
  private readonly commandHandler: number;
  private readonly eventBytes: number;
  private readonly commandBytes: number;
  private readonly headerBytes: number;
  private readonly eventNs: number;
  private readonly eventPs: number;
  private readonly delayPs: number;
  /** Events that the queue has room for, and those in it. */
  private readonly queueEvents: number;
  private queuedEvents = 0;
  /** When the thread has handled all that it was told of. */
  private freePs = 0;
  /** Halves of queue pairs that ever lost something, and their numbers here. */
  private readonly clients: SlowPathClient[] = [];
  private readonly numbers = new Map<SlowPathClient, number>();

  constructor({ constants, name, simulation, counters, pcie, queuePath }: HostThreadParts) {
    this.simulation = simulation;
    this.counters = counters;
    this.pcie = pcie;
    this.queuePath = queuePath;
    this.eventBytes = constants.slowPathEventBytes;
    this.commandBytes = constants.slowPathCommandBytes;
    this.queueEvents = constants.slowPathQueueEvents;
    this.headerBytes = constants.pcieTlpOverheadBytes;
    this.eventNs = constants.slowPathEventNs;
    this.eventPs = Math.round(constants.slowPathEventNs * 1000);
    this.delayPs = Math.round(constants.slowPathDelayNs * 1000);
    this.eventHandler = simulation.register(`${name}/slow-path`, (client, psn, expectedPsn) => {
      this.queuedEvents--;
      this.clients[client].onEvent(psn, expectedPsn, simulation.now);
    });
    this.commandHandler = simulation.register(`${name}/slow-path-command`, (client, psn, count) =>
      this.clients[client].onCommand(psn, count, simulation.now),
    );
  }

  /** A queue that is full loses nothing that it has: what comes then is not taken. */
  hasRoom(): boolean {
    if (this.queuedEvents < this.queueEvents) return true;
    this.counters.slow_path_full++;
    return false;
  }

  event(client: SlowPathClient, psn: number, expectedPsn: number, nowPs: number): void {
    const { counters, eventNs } = this;
    counters.slow_path_events++;
    this.queuedEvents++;
    counters.slow_path_bytes += this.eventBytes + this.headerBytes;
    counters.slow_path_ns += eventNs;
    const writtenPs = this.pcie.write(nowPs, this.eventBytes, this.queuePath) + this.delayPs;
    // Events are written in their order, and the thread takes them in it.
    this.freePs = Math.max(this.freePs, writtenPs) + this.eventPs;
    this.simulation.at(this.freePs, this.eventHandler, this.numberOf(client), psn, expectedPsn);
  }

  command(client: SlowPathClient, psn: number, count: number, nowPs: number): void {
    this.counters.slow_path_bytes += this.commandBytes + this.headerBytes;
    this.pcie.store(nowPs, this.commandBytes);
    this.simulation.after(this.delayPs, this.commandHandler, this.numberOf(client), psn, count);
  }

  private numberOf(client: SlowPathClient): number {
    let number = this.numbers.get(client);
    if (number === undefined) {
      number = this.clients.push(client) - 1;
      this.numbers.set(client, number);
    }
    return number;
  }
}
