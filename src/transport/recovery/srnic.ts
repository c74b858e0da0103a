import type { Endpoint } from '../endpoint.js';
import { psnAdd, psnDiff } from '../packet/psn.js';
import type { SelectiveRecovery } from './loss-recovery.js';
import { PsnBitmap } from './psn-bitmap.js';
import { type SelectiveOptions, selectiveOptions } from './selective-options.js';
import { SelectiveRequester } from './selective-requester.js';
import type { EarlyArrivals, EarlyKeeper } from './selective-responder.js';
import { directSlowPath, type SlowPath, type SlowPathClient } from './slow-path.js';

/** What a device chooses about SRNIC's recovery. */
export interface SrnicOptions extends SelectiveOptions {
  /** The way to host software and back; default: it takes no time. */
  readonly slowPath: SlowPath;
}

/**
 * SRNIC's responder (NSDI 2023, §4.4.2, Figures 7 and 8). The NIC knows the expected PSN and, in recovery, the last run of
 * PSNs without a hole. The bitmap is software's: it is told of every packet and answers with the first PSN that is missing.
 * Where that lies in the run or right behind it nothing is missing any more: software vouches for all before the run, the
 * NIC for the run, whatever is under way between them.
 */
class SrnicResponder implements EarlyArrivals, SlowPathClient {
  readonly endpoint: Endpoint;
  private readonly keeper: EarlyKeeper;
  private readonly windowPackets: number;
  private readonly slowPath: SlowPath;
  /** The NIC's: the run, from its first PSN to one past its last. */
  private left = 0;
  private rightEnd = 0;
  /** Software's: what has arrived, and the first PSN that has not. */
  private readonly arrived = new PsnBitmap();
  private missingPsn = 0;

  constructor(keeper: EarlyKeeper, windowPackets: number, slowPath: SlowPath) {
    this.keeper = keeper;
    this.endpoint = keeper.endpoint;
    this.windowPackets = windowPackets;
    this.slowPath = slowPath;
  }

  arrive(packet: number, traits: number, nowPs: number): void {
    const { keeper } = this;
    const { packets, device } = this.endpoint.context;
    const psn = packets.psn[packet];
    const inOrder = psn === keeper.expectedPsn;
    if (!inOrder) device.counters.out_of_sequence++;
    // What software cannot be told of is not placed: its bitmap would miss it. The requester hears of it by what follows,
    // or by its timer.
    if (!this.slowPath.hasRoom()) {
      device.counters.dropped_packets++;
      return;
    }
    if (keeper.isKept(psn)) {
      device.counters.duplicate_request++;
    } else if (psnDiff(psn, keeper.expectedPsn) >= this.windowPackets || !keeper.keep(packet, traits)) {
      // What cannot be kept shows in its turn what is wrong with it.
      if (inOrder) keeper.deliver(packet, traits);
      else device.counters.dropped_packets++;
      return;
    } else {
      this.placed(psn, psnAdd(psn, keeper.packetsOf(packet, traits)));
    }
    this.slowPath.event(this, psn, keeper.expectedPsn, nowPs);
    // The one that is expected is acknowledged once software has answered; to name it as missing would mean that it was
    // dropped.
    if (psn !== keeper.expectedPsn && keeper.isKept(psn)) keeper.reportSack(psn);
  }

  private placed(psn: number, end: number): void {
    const { keeper } = this;
    if (!keeper.keeping || psnDiff(psn, this.rightEnd) > 0) {
      keeper.keeping = true;
      this.left = psn;
      this.rightEnd = end;
    } else if (psn === this.rightEnd) {
      this.rightEnd = end;
    }
  }

  /** Software: notes the packet and says what is missing first. */
  onEvent(psn: number, expectedPsn: number, nowPs: number): void {
    const { arrived, keeper } = this;
    for (; psnDiff(this.missingPsn, expectedPsn) < 0; this.missingPsn = psnAdd(this.missingPsn, 1))
      arrived.clear(this.missingPsn);
    if (psnDiff(psn, this.missingPsn) >= 0) {
      const end = psnAdd(psn, keeper.keptPackets(psn));
      for (let each = psn; each !== end; each = psnAdd(each, 1)) arrived.set(each, this.missingPsn);
    }
    for (; arrived.test(this.missingPsn); this.missingPsn = psnAdd(this.missingPsn, 1))
      arrived.clear(this.missingPsn);
    this.slowPath.command(this, this.missingPsn, 0, nowPs);
  }

  /** The NIC: all before this PSN is there. */
  onCommand(psn: number): void {
    const { keeper } = this;
    if (!keeper.keeping) return;
    const whole = psnDiff(psn, this.left) >= 0 && psnDiff(psn, this.rightEnd) <= 0;
    const end = whole ? this.rightEnd : psn;
    const before = keeper.expectedPsn;
    while (psnDiff(keeper.expectedPsn, end) < 0 && keeper.isKept(keeper.expectedPsn)) {
      if (!keeper.deliverKept()) return;
    }
    if (whole && keeper.expectedPsn === end) keeper.keeping = false;
    if (keeper.expectedPsn !== before) keeper.acknowledge();
  }

  forget(): void {
    this.arrived.clearAll();
    this.missingPsn = this.keeper.expectedPsn;
    this.keeper.keeping = false;
  }
}

/**
 * SRNIC's loss recovery (NSDI 2023, §4.4.2): selective repeat whose bitmaps lie in host memory. With a slow path that takes
 * no time it does what IRN's does.
 */
export function srnic(options: Partial<SrnicOptions> = {}): SelectiveRecovery {
  const complete = selectiveOptions(options);
  const slowPath = options.slowPath ?? directSlowPath;
  const { windowPackets } = complete;
  return {
    name: 'srnic',
    selective: true,
    windowPackets,
    requester: (resender) => new SelectiveRequester(resender, complete, slowPath),
    responder: (keeper) => new SrnicResponder(keeper, windowPackets, slowPath),
  };
}
