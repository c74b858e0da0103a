import { DatagramBatch, type Link, type LinkAbilities, type LinkListener } from '../../../../link/index.js';
import { formatGid } from '../../../../wire/index.js';

const ABILITIES: LinkAbilities = {
  ecnRead: true,
  ecnSet: true,
  icrc: { ipv4: 'full', ipv6: 'full' },
  icrcSent: { ipv4: true, ipv6: true },
  maxDatagramBytes: 4200,
  batching: 'batches',
  limits: [],
};
const MOST_KEPT = 512;

/** A datagram that passed the hub. */
export interface Seen {
  from: Uint8Array;
  to: Uint8Array;
  bytes: Uint8Array;
}

/**
 * A network in memory on which anybody can send anything in anybody's name, and see what passes: the worst that a
 * device can be connected to.
 */
export class Hub {
  /** The last datagrams that passed between devices. */
  readonly seen: Seen[] = [];
  /** Called for what goes to an address without a device. */
  onStray: (datagram: Seen) => void = () => {};
  /** Says which datagrams are lost on the way. */
  drops: (datagram: Seen) => boolean = () => false;
  private readonly links = new Map<string, HubLink>();
  private readonly queue: Seen[] = [];
  private running = false;

  open(gid: Uint8Array): Link {
    const link = new HubLink(this, gid);
    this.links.set(formatGid(gid), link);
    return link;
  }

  /** Sends a datagram in the name of `from`. */
  inject(from: Uint8Array, to: Uint8Array, bytes: Uint8Array): void {
    this.queue.push({ from, to, bytes });
    if (this.running) return;
    this.running = true;
    setImmediate(this.run);
  }

  /** A datagram of a device: noted, then sent. */
  carry(from: Uint8Array, to: Uint8Array, bytes: Uint8Array): void {
    if (this.seen.length >= MOST_KEPT) this.seen.shift();
    this.seen.push({ from, to, bytes });
    this.inject(from, to, bytes);
  }

  private readonly run = (): void => {
    this.running = false;
    for (const datagram of this.queue.splice(0)) {
      if (this.drops(datagram)) continue;
      const link = this.links.get(formatGid(datagram.to));
      if (link === undefined) this.onStray(datagram);
      else link.deliver(datagram);
    }
  };
}

class HubLink implements Link {
  readonly name = 'hub';
  readonly abilities = ABILITIES;
  readonly gids: readonly Uint8Array[];
  readonly sourcePort = 49152;
  readonly port = 4791;
  private readonly hub: Hub;
  private readonly batch = new DatagramBatch(1, new Uint8Array(65536));
  private listener: LinkListener | null = null;

  constructor(hub: Hub, gid: Uint8Array) {
    this.hub = hub;
    this.gids = [gid];
  }

  createBatch(capacity: number, bytes: number): DatagramBatch {
    return new DatagramBatch(capacity, new Uint8Array(bytes));
  }

  start(listener: LinkListener): void {
    this.listener = listener;
  }

  send(batch: DatagramBatch, from: number): number {
    for (let index = from; index < batch.count; index++) {
      const to = batch.addressBytes.slice(16 * index, 16 * index + 16);
      this.hub.carry(this.gids[0], to, batch.bytes.slice(batch.offset[index], batch.end[index]));
    }
    return batch.count;
  }

  deliver({ from, bytes }: Seen): void {
    const { batch } = this;
    batch.clear();
    batch.bytes.set(bytes, batch.open(bytes.length));
    const index = batch.commit(bytes.length, new Uint32Array(from.slice().buffer), 0);
    batch.sourcePort[index] = this.sourcePort;
    batch.fragmentWord[index] = 0x4000;
    this.listener?.received(batch);
  }

  poll(): boolean {
    return false;
  }

  counters(): Readonly<Record<string, number>> {
    return {};
  }

  async close(): Promise<void> {
    this.listener = null;
  }
}
