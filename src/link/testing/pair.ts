import { parseGid } from '../../wire/ib/gid.js';
import { DatagramBatch } from '../datagram-batch.js';
import type { Link, LinkAbilities, LinkListener } from '../link.js';

const ABILITIES: LinkAbilities = {
  ecnRead: true,
  ecnSet: true,
  icrc: { ipv4: 'full', ipv6: 'full' },
  icrcSent: { ipv4: true, ipv6: true },
  maxDatagramBytes: 8192,
  batching: 'batches',
  limits: [],
};

/** One end of a link in memory, for tests: what is sent arrives at the other end at once, or as much as `accepts`. */
export class MemoryLink implements Link {
  readonly name: string;
  readonly abilities = ABILITIES;
  readonly gids: readonly Uint8Array[];
  readonly sourcePort = 49152;
  readonly port = 4791;
  other: MemoryLink | null = null;
  listener: LinkListener | null = null;
  /** How many datagrams are taken before the link says that it is full. */
  accepts = Number.POSITIVE_INFINITY;
  private sent = 0;

  constructor(name: string, address: string) {
    this.name = name;
    this.gids = [parseGid(address)];
  }

  createBatch(capacity: number, bytes: number): DatagramBatch {
    return new DatagramBatch(capacity, new Uint8Array(bytes));
  }

  start(listener: LinkListener): void {
    this.listener = listener;
  }

  send(batch: DatagramBatch, from: number): number {
    const count = Math.min(batch.count - from, this.accepts);
    this.accepts -= count;
    if (count === 0) return from;
    this.sent += count;
    const copy = new DatagramBatch(count, new Uint8Array(batch.bytes.length));
    for (let index = from; index < from + count; index++) {
      const at = copy.append(batch, index);
      copy.addressBytes.set(this.gids[0], 16 * at);
      copy.sourcePort[at] = this.sourcePort;
    }
    this.other?.listener?.received(copy);
    return from + count;
  }

  poll(): boolean {
    return false;
  }

  counters(): Readonly<Record<string, number>> {
    return { link_tx_datagrams: this.sent };
  }

  async close(): Promise<void> {
    this.listener = null;
  }
}

/** Two ends. */
export function memoryPair(): [MemoryLink, MemoryLink] {
  const left = new MemoryLink('left', '::ffff:10.0.0.1');
  const right = new MemoryLink('right', '::ffff:10.0.0.2');
  left.other = right;
  right.other = left;
  return [left, right];
}
