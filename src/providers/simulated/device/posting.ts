import type { NicQueuePair, Rnic } from '../../../models/index.js';
import type { HostConstants } from '../../../profiles/index.js';
import type {
  BaseQueuePair,
  DoorbellPath,
  Poster,
  PostingCosts,
  WqePool,
} from '../../../verbs/base/index.js';

/** How far a core is from a device and its queues, beyond a core next to both; one way. */
export interface CoreDistance {
  readonly deviceNs: number;
  readonly queuesNs: number;
}

const NEXT_TO_IT: CoreDistance = { deviceNs: 0, queuesNs: 0 };

/**
 * What posting costs a core of a host. The fence before a doorbell waits until the core owns the lines of the requests,
 * and finding a completion takes its line from where it lies: a round trip each, if that is another socket's memory. Work
 * takes longer at a lower clock, the round trips do not.
 */
export function coreCosts(constants: HostConstants, { queuesNs } = NEXT_TO_IT, clockShare = 1): PostingCosts {
  const { postNs, wqeNs, elementNs, receiveWqeNs, doorbellNs, pollNs } = constants;
  return {
    postNs: postNs / clockShare + 2 * queuesNs,
    wqeNs: wqeNs / clockShare,
    elementNs: elementNs / clockShare,
    receiveWqeNs: receiveWqeNs / clockShare,
    doorbellNs: doorbellNs / clockShare,
    pollNs: pollNs / clockShare + 2 * queuesNs,
  };
}

/** The way of a core's stores to the device. */
export function coreDoorbell(constants: HostConstants, { deviceNs } = NEXT_TO_IT): DoorbellPath {
  return { latencyNs: constants.mmioLatencyNs + deviceNs, writeCombining: constants.writeCombining === 1 };
}

/** Posting on a simulated device: what it costs the poster, and when its doorbell is at the device. */
export class Posting {
  private readonly nic: Rnic;
  private readonly wqes: WqePool;
  /** Doorbells that nobody rings fill queues before a program begins; they are as those of a core would be. */
  private readonly freeDoorbell: DoorbellPath;

  constructor(nic: Rnic, wqes: WqePool, freeDoorbell: DoorbellPath) {
    this.nic = nic;
    this.wqes = wqes;
    this.freeDoorbell = freeDoorbell;
  }

  /** `count` requests were written to a send queue: the poster rings its doorbell. */
  sends(qp: BaseQueuePair, pair: NicQueuePair, count: number, poster: Poster | null): void {
    const { nic } = this;
    const { doorbells } = nic.sendPath;
    const wqe = qp.sends.last;
    const elements = Math.max(1, this.wqes.sgeCount[wqe]);
    pair.send.wqeBytes = this.wqeBytes(qp.qpType === 'UD', wqe, elements);
    const { writeCombining } = poster?.doorbell ?? this.freeDoorbell;
    const pushed = count === 1 && writeCombining && pair.send.wqeBytes <= nic.constants.pushBytes;
    if (poster === null) {
      doorbells.ringFree(pair, count, pushed, elements);
      return;
    }
    const { costs, doorbell } = poster;
    const ns = costs.postNs + count * (costs.wqeNs + (elements - 1) * costs.elementNs) + costs.doorbellNs;
    poster.charge(ns * 1000);
    const storedPs = Math.round(poster.timePs);
    const takenPs = Math.round(doorbells.acceptPs(pair, storedPs));
    poster.charge(takenPs - storedPs);
    doorbells.ring(pair, count, pushed, takenPs + Math.round(doorbell.latencyNs * 1000));
  }

  /** A WQE as the device reads it; with inline data, or of several blocks, in whole blocks (Kalia et al., ATC 2016). */
  private wqeBytes(datagram: boolean, wqe: number, elements: number): number {
    const { nic, wqes } = this;
    const { constants } = nic;
    const { sendWqeCacheLineBytes: blockBytes } = constants;
    const inline = nic.sendPath.requests.hasPayload(wqe);
    const bytes = inline
      ? (datagram ? constants.udInlineWqeBytes : constants.inlineWqeBytes) + wqes.length[wqe]
      : (datagram ? constants.udWqeBytes : constants.wqeBytes) + (elements - 1) * constants.wqeElementBytes;
    return bytes <= blockBytes && !inline ? bytes : Math.ceil(bytes / blockBytes) * blockBytes;
  }

  /** `count` receives were written to a receive queue; the device looks there by itself. */
  receives(count: number, poster: Poster | null): void {
    poster?.charge((poster.costs.postNs + count * poster.costs.receiveWqeNs) * 1000);
  }
}
