import { NotificationPoint, NotificationScope } from '../../../transport/congestion/notification-point.js';
import type { Wheel } from '../core/events/wheel.js';
import {
  ACK,
  ARRIVED,
  FLOW,
  KIND_MASK,
  MARKED,
  META,
  NACK,
  RECORD_SHIFT,
  type Records,
  ROUTE,
  SEQ,
  SIZE,
} from '../core/records.js';
import type { FlowTable } from './flow-table.js';
import type { NicOptions } from './nic-options.js';
import { PacketSets } from './packet-sets.js';

const PS_PER_NS = 1000;

/**
 * The receiving side of light NICs. Go-back-N: packets are taken in order, each is acknowledged, and what comes after a
 * gap makes the receiver ask for what is missing. Under selective repeat it keeps what comes after a gap.
 */
export class Receiver {
  /** Data packets that arrived in order, and their bytes on the wire. */
  deliveredPackets = 0;
  deliveredBytes = 0;
  /** Those that were thrown away: they came after a gap, or twice. */
  discardedPackets = 0;
  discardedBytes = 0;
  private readonly records: Records;
  private readonly wheel: Wheel;
  private readonly flows: FlowTable;
  private readonly options: NicOptions;
  /** Under selective repeat: packets that arrived beyond a gap. */
  private readonly arrived: PacketSets | null;
  /** Packets that came twice are acknowledged: the first acknowledgement may be lost, and a timer waits for it. */
  private readonly acksAgain: boolean;
  /** Marks that arrived, and those that were reported. */
  markedPackets = 0;
  notifications = 0;
  /** Which marks are reported; null: all. */
  private readonly notification: NotificationPoint | null;
  /** Called when a flow's last byte has arrived; null if nobody waits. */
  private readonly onReceived: ((flow: number) => void) | null;

  /** `window` is the most packets that a flow has in flight. */
  constructor(
    records: Records,
    wheel: Wheel,
    flows: FlowTable,
    options: NicOptions,
    window: number,
    onReceived: ((flow: number) => void) | null,
  ) {
    this.records = records;
    this.wheel = wheel;
    this.flows = flows;
    this.options = options;
    const { recovery } = options;
    this.arrived = recovery.kind === 'selective' ? new PacketSets(flows.count, window) : null;
    this.onReceived = onReceived;
    const { notifyNs = 0 } = options;
    const scope = NotificationScope.QUEUE_PAIR;
    this.notification =
      notifyNs > 0
        ? new NotificationPoint({ intervalPs: notifyNs * PS_PER_NS, scope, queuePairs: flows.count })
        : null;
    this.acksAgain = recovery.kind === 'selective' || recovery.timeoutNs > 0;
  }

  /** Takes a data packet in. True if its record is now an acknowledgement to send, false if it is gone. */
  receive(record: number): boolean {
    const { flows, records } = this;
    const { words, ends } = records;
    const at = record << RECORD_SHIFT;
    const flow = ends[at + FLOW];
    const expected = flows.expectedBytes[flow];
    const ahead = (ends[at + SEQ] - (expected | 0)) | 0;
    if (ahead === 0) {
      const answers = this.deliver(flow, expected, words[at + SIZE]);
      if (this.arrived !== null) this.closeGap(flow, this.arrived);
      if (this.onReceived !== null && flows.expectedBytes[flow] >= flows.sizeBytes[flow])
        this.onReceived(flow);
      if (answers) {
        this.answer(record, flow, ACK);
        return true;
      }
    } else if (ahead > 0 && this.arrived !== null) {
      this.keep(record, flow, expected + ahead, this.arrived);
      return true;
    } else {
      this.discardedPackets++;
      this.discardedBytes += words[at + SIZE];
      if (ahead > 0 && this.asksAgain(flow, expected)) {
        this.answer(record, flow, NACK);
        return true;
      }
      if (ahead < 0 && this.acksAgain) {
        this.answer(record, flow, ACK);
        return true;
      }
    }
    records.free(record);
    return false;
  }

  /** The expected packet; says whether it is acknowledged. */
  private deliver(flow: number, expected: number, bytes: number): boolean {
    const { ackIntervalBytes, chunkBytes, headerBytes } = this.options;
    const reached = expected + bytes - headerBytes;
    this.flows.expectedBytes[flow] = reached;
    this.deliveredPackets++;
    this.deliveredBytes += bytes;
    return reached >= ackIntervalBytes || reached % chunkBytes === 0;
  }

  /** A marked packet arrived: whether the sender is told. */
  private notifies(flow: number): boolean {
    this.markedPackets++;
    const due = this.notification?.due(this.wheel.nowNs * PS_PER_NS, flow, 0) ?? true;
    if (!due) return false;
    this.notifications++;
    return true;
  }

  /** A packet beyond a gap is kept, and the answer says which it was. */
  private keep(record: number, flow: number, offset: number, arrived: PacketSets): void {
    const { words, ends } = this.records;
    const at = record << RECORD_SHIFT;
    const packet = offset / this.options.payloadBytes;
    if (arrived.has(flow, packet)) {
      this.discardedPackets++;
      this.discardedBytes += words[at + SIZE];
    } else {
      arrived.add(flow, packet);
      this.deliveredPackets++;
      this.deliveredBytes += words[at + SIZE];
    }
    ends[at + ARRIVED] = ends[at + SEQ];
    this.answer(record, flow, NACK);
  }

  /** Packets that were kept and now follow the expected one. */
  private closeGap(flow: number, arrived: PacketSets): void {
    const { expectedBytes, sizeBytes } = this.flows;
    const { payloadBytes } = this.options;
    let packet = Math.ceil(expectedBytes[flow] / payloadBytes);
    for (; arrived.has(flow, packet); packet++) {
      arrived.delete(flow, packet);
      expectedBytes[flow] = Math.min(sizeBytes[flow], (packet + 1) * payloadBytes);
    }
  }

  /** Whether a packet beyond a gap makes the receiver ask for what is missing: once per gap and interval. */
  private asksAgain(flow: number, expected: number): boolean {
    const { flows, options } = this;
    if (this.wheel.nowNs < flows.askAgainNs[flow] && flows.askedBytes[flow] === expected) return false;
    flows.askAgainNs[flow] = this.wheel.nowNs + options.askAgainNs;
    flows.askedBytes[flow] = expected;
    if (options.backToChunk)
      flows.expectedBytes[flow] = Math.floor(expected / options.chunkBytes) * options.chunkBytes;
    return true;
  }

  /** The data record becomes its acknowledgement: mark, class, send time and telemetry stay. */
  private answer(record: number, flow: number, kind: number): void {
    const { words, ends } = this.records;
    const at = record << RECORD_SHIFT;
    ends[at + SEQ] = this.flows.expectedBytes[flow] | 0;
    words[at + SIZE] = this.options.ackBytes;
    let meta = (words[at + META] & ~KIND_MASK) | kind;
    if ((meta & MARKED) !== 0 && !this.notifies(flow)) meta &= ~MARKED;
    words[at + META] = meta;
    words[at + ROUTE] = this.flows.routeBack[flow];
  }
}
