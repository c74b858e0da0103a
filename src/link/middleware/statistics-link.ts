import { OPCODES } from '../../wire/ib/opcode.js';
import type { DatagramBatch } from '../datagram-batch.js';
import type { Link } from '../link.js';
import { LinkAround, type LinkMiddleware } from './middleware.js';

const CONGESTION_EXPERIENCED = 3;
const ECN_MASK = 3;

/**
 * A link that counts what passes: datagrams and bytes each way, by opcode, and marks of congestion.
 *
 * @example
 * const link = withMiddlewares(udp, [statistics]);
 * link.counters()['tx_rc_write_middle'];
 */
export const statistics: LinkMiddleware = (inner) => new StatisticsLink(inner);

/** Counts of one direction. */
class Tally {
  datagrams = 0;
  bytes = 0;
  marked = 0;
  readonly byOpcode = new Float64Array(256);

  add(batch: DatagramBatch, from: number, to: number): void {
    for (let index = from; index < to; index++) {
      this.datagrams++;
      this.bytes += batch.end[index] - batch.offset[index];
      this.byOpcode[batch.bytes[batch.offset[index]]]++;
      if ((batch.trafficClass[index] & ECN_MASK) === CONGESTION_EXPERIENCED) this.marked++;
    }
  }

  into(counters: Record<string, number>, prefix: 'tx' | 'rx'): void {
    counters[`${prefix}_datagrams`] = this.datagrams;
    counters[`${prefix}_bytes`] = this.bytes;
    counters[`${prefix}_ecn_marked`] = this.marked;
    let known = 0;
    for (const { opcode, name } of OPCODES) {
      const count = this.byOpcode[opcode];
      known += count;
      if (count > 0) counters[`${prefix}_${name.toLowerCase()}`] = count;
    }
    if (known < this.datagrams) counters[`${prefix}_unknown_opcode`] = this.datagrams - known;
  }
}

class StatisticsLink extends LinkAround {
  private readonly sent = new Tally();
  private readonly arrived = new Tally();

  constructor(inner: Link) {
    super(inner);
  }

  override send(batch: DatagramBatch, from: number): number {
    const taken = this.inner.send(batch, from);
    this.sent.add(batch, from, taken);
    return taken;
  }

  override received(batch: DatagramBatch): void {
    this.arrived.add(batch, 0, batch.count);
    super.received(batch);
  }

  override counters(): Readonly<Record<string, number>> {
    const counters = { ...this.inner.counters() };
    this.sent.into(counters, 'tx');
    this.arrived.into(counters, 'rx');
    return counters;
  }
}
