import {
  ACK,
  FLOW,
  KIND_MASK,
  META,
  NACK,
  RECORD_SHIFT,
  type Records,
  ROUTE,
  SEQ,
  SIZE,
} from '../core/records.js';
import type { Wheel } from '../core/wheel.js';
import type { FlowTable } from './flow-table.js';
import type { NicOptions } from './nic-options.js';

/**
 * The receiving side of light NICs, go-back-N: packets are taken in order, each is acknowledged, and what comes after a
 * gap makes the receiver ask for what is missing.
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

  constructor(records: Records, wheel: Wheel, flows: FlowTable, options: NicOptions) {
    this.records = records;
    this.wheel = wheel;
    this.flows = flows;
    this.options = options;
  }

  /** Takes a data packet in. True if its record is now an acknowledgement to send, false if it is gone. */
  receive(record: number): boolean {
    const { flows, records } = this;
    const { words } = records;
    const at = record << RECORD_SHIFT;
    const flow = words[at + FLOW];
    const expected = flows.expectedBytes[flow];
    const ahead = (words[at + SEQ] - (expected | 0)) | 0;
    if (ahead === 0) {
      if (this.deliver(flow, expected, words[at + SIZE])) {
        this.answer(record, flow, ACK);
        return true;
      }
    } else {
      this.discardedPackets++;
      this.discardedBytes += words[at + SIZE];
      if (ahead > 0 && this.asksAgain(flow, expected)) {
        this.answer(record, flow, NACK);
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
    const { words } = this.records;
    const at = record << RECORD_SHIFT;
    words[at + SEQ] = this.flows.expectedBytes[flow] | 0;
    words[at + SIZE] = this.options.ackBytes;
    words[at + META] = (words[at + META] & ~KIND_MASK) | kind;
    words[at + ROUTE] = this.flows.routeBack[flow];
  }
}
