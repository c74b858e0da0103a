import type { LinkLoss } from './link-loss.js';
import type { Domain } from './parts/domain.js';
import type { Guests } from './parts/guests.js';

/** Counters of a run. Packets are frames on the wire; bytes are as on the wire. */
export interface FabricTotals {
  events: number;
  /** Frames that crossed a link. */
  hops: number;
  sentPackets: number;
  sentBytes: number;
  deliveredPackets: number;
  deliveredBytes: number;
  discardedPackets: number;
  discardedBytes: number;
  /** Packets that no buffer took, and the data packets among them. */
  drops: number;
  droppedData: number;
  droppedDataBytes: number;
  /** Frames that links lost, and the data packets among them. */
  lost: number;
  lostData: number;
  lostDataBytes: number;
  /** Retransmission timers that ran out. */
  timeouts: number;
  /** Of the drops: what the watchdog threw away. */
  watchdogDrops: number;
  pauseFrames: number;
  resumeFrames: number;
  unpairedResumes: number;
  /** Pauses and resumes that could not be read. */
  corruptPauses: number;
  marks: number;
  /** Marked packets that reached their receivers, and those that it told their senders of. */
  markedPackets: number;
  notifications: number;
  /** Records that are packets or timers at the moment. */
  records: number;
}

/** Adds up the counters of all domains. */
export function totalsOf(
  domains: readonly Domain[],
  loss: LinkLoss | null,
  guests: Guests | null = null,
): FabricTotals {
  const sum = (read: (domain: Domain) => number) => domains.reduce((total, each) => total + read(each), 0);
  return {
    events: sum(({ events, links, watchdog }) => events - (links?.handled ?? 0) - (watchdog?.handled ?? 0)),
    hops: sum(({ wire }) => wire.hops),
    sentPackets: sum(({ nics }) => nics.sender.sentPackets),
    sentBytes: sum(({ nics }) => nics.sender.sentBytes),
    deliveredPackets: sum(({ nics }) => nics.receiver.deliveredPackets) + (guests?.lightPackets ?? 0),
    deliveredBytes: sum(({ nics }) => nics.receiver.deliveredBytes) + (guests?.lightBytes ?? 0),
    discardedPackets: sum(({ nics }) => nics.receiver.discardedPackets),
    discardedBytes: sum(({ nics }) => nics.receiver.discardedBytes),
    drops: sum(({ switches }) => switches.drops),
    droppedData: sum(({ switches }) => switches.droppedData),
    droppedDataBytes: sum(({ switches }) => switches.droppedDataBytes),
    lost: (loss?.lost ?? 0) + sum(({ links }) => links?.lost ?? 0),
    lostData: (loss?.lostData ?? 0) + sum(({ links }) => links?.lostData ?? 0),
    lostDataBytes: (loss?.lostDataBytes ?? 0) + sum(({ links }) => links?.lostDataBytes ?? 0),
    timeouts: sum(({ nics }) => nics.sender.timeouts?.reached ?? 0),
    watchdogDrops: sum(({ switches }) => switches.discarded),
    pauseFrames: sum(({ switches }) => switches.pauseFrames),
    resumeFrames: sum(({ switches }) => switches.resumeFrames),
    corruptPauses: sum(({ pauses }) => pauses.corrupt),
    unpairedResumes: sum(({ pauses }) => pauses.unpairedResumes),
    markedPackets: sum(({ nics }) => nics.receiver.markedPackets),
    notifications: sum(({ nics }) => nics.receiver.notifications),
    marks: sum(({ switches }) => switches.marks),
    records: sum(({ records }) => records.inUse),
  };
}
