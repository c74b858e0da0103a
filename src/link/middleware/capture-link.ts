import type { DatagramBatch } from '../datagram-batch.js';
import { type Link, SENT_FRAGMENT_WORD } from '../link.js';
import { type Direction, LinkAround, type LinkMiddleware } from './middleware.js';
import type { PacketRecorder, RecordedAt, RecordedPacket } from './packet-recorder.js';

/** Where a capture goes and what its clock is. */
export interface CaptureOptions {
  /** Several links may share one, and with it one file. */
  recorder: PacketRecorder;
  /** Nanoseconds since the epoch of the capture. */
  nowNs(): number | bigint;
  /** The name of an interface of the link's own; all such links share one unless set. */
  name?: string;
  /** Record one direction only, where the device at the other end records too. */
  only?: Direction;
}

/**
 * A link that records every datagram that passes as pcapng.
 *
 * @example
 * const recorder = new PacketRecorder('udp', (bytes) => stream.write(bytes));
 * const middleware = capture({ recorder, nowNs: () => BigInt(Date.now()) * 1000000n });
 */
export function capture(options: CaptureOptions): LinkMiddleware {
  return (inner) => new CaptureLink(inner, options);
}

const GID_BYTES = 16;

class CaptureLink extends LinkAround {
  private readonly options: CaptureOptions;
  private readonly packet: RecordedPacket;
  private readonly interfaceId: number;
  /** Datagrams that were recorded but not taken: whoever sends comes back with them. */
  private ahead = 0;

  constructor(inner: Link, options: CaptureOptions) {
    super(inner);
    this.options = options;
    this.interfaceId = options.name === undefined ? -1 : options.recorder.addInterface(options.name);
    const nowhere = { gid: new Uint8Array(GID_BYTES), udpPort: 0 };
    this.packet = {
      timeNs: 0,
      source: { ...nowhere },
      destination: { ...nowhere },
      trafficClass: 0,
      identification: 0,
    };
  }

  override send(batch: DatagramBatch, from: number): number {
    if (this.options.only !== 'received') this.recordSent(batch, from + this.ahead);
    const taken = this.inner.send(batch, from);
    this.ahead = batch.count - taken;
    return taken;
  }

  /** Before they are sent: a link may write the ICRCs that its system calls ask for into the batch itself. */
  private recordSent(batch: DatagramBatch, from: number): void {
    const { source, destination } = this.packet;
    source.udpPort = this.sourcePort;
    destination.udpPort = this.port;
    this.packet.identification = SENT_FRAGMENT_WORD >>> 16;
    for (let index = from; index < batch.count; index++) {
      source.gid = this.gids[batch.gidIndex[index]];
      destination.gid = addressOf(batch, index);
      this.record(batch, index, 'outbound');
    }
  }

  override received(batch: DatagramBatch): void {
    const { source, destination } = this.packet;
    destination.udpPort = this.port;
    const end = this.options.only === 'sent' ? 0 : batch.count;
    for (let index = 0; index < end; index++) {
      source.gid = addressOf(batch, index);
      source.udpPort = batch.sourcePort[index];
      destination.gid = this.gids[batch.gidIndex[index]];
      this.packet.identification = batch.fragmentWord[index] >>> 16;
      this.record(batch, index, 'inbound');
    }
    super.received(batch);
  }

  override counters(): Readonly<Record<string, number>> {
    return { ...this.inner.counters(), captured_packets: this.options.recorder.packets };
  }

  private record(batch: DatagramBatch, index: number, direction: RecordedAt['direction']): void {
    this.packet.timeNs = this.options.nowNs();
    this.packet.trafficClass = batch.trafficClass[index];
    const at = this.interfaceId < 0 ? undefined : { interfaceId: this.interfaceId, direction };
    this.options.recorder.record(this.packet, batch.bytes, batch.offset[index], batch.end[index], at);
  }
}

function addressOf(batch: DatagramBatch, index: number): Uint8Array {
  return batch.addressBytes.subarray(GID_BYTES * index, GID_BYTES * (index + 1));
}
