import type { Endpoint } from '../endpoint.js';
import { psnDiff } from '../packet/psn.js';
import type { BitPool } from './bit-pool.js';
import { PsnBitmap } from './psn-bitmap.js';

/** What selective repeat may do to the responder of its queue pair. */
export interface EarlyKeeper {
  readonly endpoint: Endpoint;
  readonly expectedPsn: number;
  /** Whether packets in order are to go through the recovery as well. */
  keeping: boolean;
  /**
   * Puts the payload of a packet in its place and keeps the rest until its turn. False where that cannot be done: then
   * it is as if it had not come, and what is wrong with it shows in its turn.
   */
  keep(packet: number, traits: number): boolean;
  isKept(psn: number): boolean;
  /** PSNs that a packet takes: a READ those of its response, all others one. */
  packetsOf(packet: number, traits: number): number;
  /** The same of a kept packet; 0 where none is kept. */
  keptPackets(psn: number): number;
  /** Processes a packet in order. False where it was refused. */
  deliver(packet: number, traits: number): boolean;
  /** Processes the kept packet that is expected next. False where it was refused. */
  deliverKept(): boolean;
  acknowledge(): void;
  /** Says what is missing, and which packet came instead. */
  reportSack(psn: number): void;
}

/** The half of selective repeat at a responder: packets beyond a gap, and all packets while there is one. */
export interface EarlyArrivals {
  /** A packet came whose PSN is not before the expected one. */
  arrive(packet: number, traits: number, nowPs: number): void;
  /** A connection begins or ends. */
  forget(): void;
}

/** Keeps what comes out of order, with a bit for each packet (IRN, SIGCOMM 2018, §5.3). */
export class SelectiveResponder implements EarlyArrivals {
  private readonly keeper: EarlyKeeper;
  private readonly windowPackets: number;
  private readonly pool: BitPool | null;
  private readonly arrived = new PsnBitmap();

  constructor(keeper: EarlyKeeper, windowPackets: number, pool: BitPool | null = null) {
    this.keeper = keeper;
    this.windowPackets = windowPackets;
    this.pool = pool;
  }

  arrive(packet: number, traits: number): void {
    const { keeper, arrived } = this;
    const { packets, device } = keeper.endpoint.context;
    const psn = packets.psn[packet];
    if (psn === keeper.expectedPsn) {
      if (keeper.deliver(packet, traits)) this.drain();
      return;
    }
    device.counters.out_of_sequence++;
    if (arrived.test(psn)) {
      device.counters.duplicate_request++;
    } else if (psnDiff(psn, keeper.expectedPsn) >= this.windowPackets || !this.take(packet, traits)) {
      device.counters.dropped_packets++;
      return;
    } else {
      arrived.set(psn, keeper.expectedPsn);
      keeper.keeping = true;
    }
    keeper.reportSack(psn);
  }

  private take(packet: number, traits: number): boolean {
    if (this.pool !== null && !this.pool.hasRoom) return false;
    if (!this.keeper.keep(packet, traits)) return false;
    this.pool?.take();
    return true;
  }

  /** What was waiting for the packet that came has its turn. */
  private drain(): void {
    const { keeper, arrived } = this;
    while (arrived.test(keeper.expectedPsn)) {
      arrived.clear(keeper.expectedPsn);
      this.pool?.give(1);
      if (!keeper.deliverKept()) break;
    }
    keeper.keeping = arrived.count > 0;
    keeper.acknowledge();
  }

  forget(): void {
    this.pool?.give(this.arrived.count);
    this.arrived.clearAll();
    this.keeper.keeping = false;
  }
}
