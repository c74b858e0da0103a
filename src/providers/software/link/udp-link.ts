import {
  DatagramBatch,
  IdentificationBasis,
  type Link,
  type LinkAbilities,
  type LinkListener,
} from '../../../link/index.js';
import { longestDatagram } from './interface-mtu.js';
import { type IpEndpoint, parseEndpoint } from './ip-endpoint.js';
import type { Libc } from './libc.js';
import type { LinkOptions } from './link-options.js';
import { UdpReceiver } from './udp-receiver.js';
import { UdpSender } from './udp-sender.js';
import { openUdpSocket, type UdpSocket } from './udp-socket.js';
import { type Watcher, watchDescriptor } from './watcher.js';

/** Calls of recvmmsg before others get their turn. */
const MOST_ROUNDS = 8;

/**
 * A link over a UDP socket that the C library opened: the options that RoCEv2 needs, and batches. After traffic
 * of its owner's connections it looks for more without sleeping for a short time, because waking up costs more than a
 * round trip.
 */
export class UdpLink implements Link {
  readonly name: string;
  readonly abilities: LinkAbilities;
  readonly gids: readonly Uint8Array[];
  readonly sourcePort: number;
  readonly port: number;
  /** What the system granted. */
  readonly socket: UdpSocket;
  private readonly libc: Libc;
  private readonly sender: UdpSender;
  private readonly receiver: UdpReceiver;
  private readonly spinMs: number;
  private listener: LinkListener | null = null;
  private watcher: Watcher | null = null;
  private full = false;
  private closed = false;
  private receiving = false;
  private spinning = false;
  private activeMs = 0;

  constructor(libc: Libc, options: Required<LinkOptions>) {
    const endpoint = parseEndpoint(options.address);
    this.libc = libc;
    this.socket = openUdpSocket(libc, { ...options, endpoint });
    this.name = `udp ${endpoint.text} port ${options.port}`;
    this.gids = [endpoint.gid];
    this.port = options.port;
    this.sourcePort = options.port;
    this.spinMs = options.spinUs / 1000;
    this.sender = new UdpSender(libc, this.socket, endpoint, options.port, new IdentificationBasis());
    this.receiver = new UdpReceiver(libc, this.socket, endpoint.version);
    this.abilities = abilitiesOf(this.socket, endpoint);
  }

  createBatch(capacity: number, bytes: number): DatagramBatch {
    return new DatagramBatch(capacity, new Uint8Array(bytes));
  }

  start(listener: LinkListener): void {
    this.listener = listener;
    this.watcher = watchDescriptor(this.libc, this.socket.fd, {
      readable: () => this.poll(),
      writable: () => this.drained(),
    });
  }

  send(batch: DatagramBatch, from: number): number {
    if (this.closed || this.full) return this.closed ? batch.count : from;
    const next = this.sender.send(batch, from);
    if (next < batch.count) {
      this.full = true;
      this.watcher?.wantWritable(true);
    }
    return next;
  }

  poll(): boolean {
    const { listener, receiver } = this;
    // A listener that polls from inside `received` would overwrite the batch that it reads.
    if (listener === null || this.closed || this.receiving) return false;
    this.receiving = true;
    let found = false;
    try {
      for (let round = 0; round < MOST_ROUNDS; round++) {
        const more = receiver.receive();
        if (receiver.batch.count === 0) break;
        found = true;
        listener.received(receiver.batch);
        if (!more || this.closed) break;
      }
    } finally {
      this.receiving = false;
    }
    return found;
  }

  expect(): void {
    if (this.spinMs <= 0) return;
    this.activeMs = performance.now();
    if (this.spinning) return;
    this.spinning = true;
    setImmediate(this.spin);
  }

  counters(): Readonly<Record<string, number>> {
    const { sender, receiver } = this;
    return {
      link_tx_datagrams: sender.datagrams,
      link_tx_bytes: sender.bytes,
      link_tx_calls: sender.calls,
      link_tx_errors: sender.errors,
      link_rx_datagrams: receiver.datagrams,
      link_rx_bytes: receiver.bytes,
      link_rx_calls: receiver.calls,
      link_rx_refused: receiver.refused,
    };
  }

  async close(): Promise<void> {
    if (this.closed) return;
    this.closed = true;
    this.watcher?.stop();
    this.listener = null;
    this.libc.close(this.socket.fd);
  }

  private drained(): void {
    this.watcher?.wantWritable(false);
    if (!this.full) return;
    this.full = false;
    this.listener?.writable();
  }

  private readonly spin = (): void => {
    this.spinning = false;
    if (this.closed) return;
    this.poll();
    if (this.spinning || performance.now() - this.activeMs >= this.spinMs) return;
    this.spinning = true;
    setImmediate(this.spin);
  };
}

function abilitiesOf(socket: UdpSocket, endpoint: IpEndpoint): LinkAbilities {
  const limits: string[] = [];
  if (endpoint.version === 4)
    limits.push('IPv4: a UDP socket does not show the identification, so 16 bits of an ICRC are checked');
  if (endpoint.version === 4 && !socket.fixedIdentification)
    limits.push('IPv4: the identification of what is sent is not known, so peers other than Kelpie drop it');
  if (!socket.zeroChecksum)
    limits.push('IPv6: datagrams with UDP checksum 0, which Linux sends, are not received');
  if (!socket.ecn) limits.push('ECN bits of what arrives are not seen');
  if (!socket.segmentation)
    limits.push('no UDP segmentation offload: a datagram at a time passes the kernel');
  return {
    ecnRead: socket.ecn,
    ecnSet: true,
    icrc: { ipv4: '16 bits', ipv6: 'full' },
    icrcSent: { ipv4: socket.fixedIdentification, ipv6: true },
    maxDatagramBytes: longestDatagram(endpoint),
    batching: socket.segmentation ? 'segmentation' : 'batches',
    receiveBufferBytes: socket.receiveBufferBytes,
    limits,
  };
}
