import { read16, write16 } from '../bytes/bytes.js';
import { addWords, fold } from '../bytes/checksum.js';
import { requireAtMost, requireBits } from '../bytes/field.js';
import { type Refusal, refusal } from '../bytes/refusal.js';
import { View } from '../bytes/view.js';

/** Bytes of a UDP header. */
export const UDP_BYTES = 8;
/** The destination port of RoCEv2 (IANA: roce). */
export const ROCE_PORT = 4791;

/** The source ports that RoCEv2 senders use begin here: the dynamic ports. */
const FIRST_SOURCE_PORT = 0xc000;
const LABEL_RANGE = 2 ** 20;

/**
 * The UDP source port of a flow between two queue pairs, for the hashing of switches (RoCEv2, A17.9.2). The numbers are
 * joined as Linux does it, so that a capture of either shows the same port: their product folded to a flow label of 20
 * bits, and that to 14.
 *
 * @example
 * roceSourcePort(0x11, 0x22); // 0xc242
 */
export function roceSourcePort(ownQpn: number, peerQpn: number): number {
  const product = ownQpn * peerQpn;
  const label =
    (product % LABEL_RANGE) ^
    (Math.floor(product / LABEL_RANGE) % LABEL_RANGE) ^
    Math.floor(product / LABEL_RANGE ** 2);
  return FIRST_SOURCE_PORT | ((label & 0x3fff) ^ (label >>> 14));
}

const SOURCE_PORT = 0;
const DESTINATION_PORT = 2;
const LENGTH = 4;
const CHECKSUM = 6;

const BAD_LENGTH = refusal('udp', 'bad-length');
const OVERSIZED = refusal('udp', 'oversized');
const BAD_CHECKSUM = refusal('udp', 'bad-checksum');

/** A checked view over a UDP header whose length lies inside the window. */
export class UdpView extends View {
  constructor() {
    super('udp', UDP_BYTES);
  }

  protected override check(): Refusal | null {
    if (this.totalBytes < UDP_BYTES) return BAD_LENGTH;
    return this.totalBytes > this.end - this.offset ? OVERSIZED : null;
  }

  /** Source port; RoCEv2 senders vary it by flow, for the switches' hashing. */
  get sourcePort(): number {
    return read16(this.bytes, this.offset + SOURCE_PORT);
  }
  set sourcePort(value: number) {
    write16(this.bytes, this.offset + SOURCE_PORT, value);
  }

  /** Destination port, 4791 for RoCEv2. */
  get destinationPort(): number {
    return read16(this.bytes, this.offset + DESTINATION_PORT);
  }
  set destinationPort(value: number) {
    write16(this.bytes, this.offset + DESTINATION_PORT, value);
  }

  /** Bytes of header and payload. */
  get totalBytes(): number {
    return read16(this.bytes, this.offset + LENGTH);
  }
  set totalBytes(value: number) {
    write16(this.bytes, this.offset + LENGTH, value);
  }

  /** The checksum as it stands; 0 means that the sender computed none. */
  get checksum(): number {
    return read16(this.bytes, this.offset + CHECKSUM);
  }
  set checksum(value: number) {
    write16(this.bytes, this.offset + CHECKSUM, value);
  }

  /** Computes and writes the checksum. A sum of zero is sent as 0xffff, since 0 says 'none' (RFC 768). */
  seal(pseudoHeaderSum: number): void {
    this.checksum = 0;
    const computed = ~this.#sum(pseudoHeaderSum) & 0xffff;
    this.checksum = computed === 0 ? 0xffff : computed;
  }

  /**
   * Whether the checksum holds. Zero is accepted with both IP versions: RoCEv2 has the ICRC and senders leave
   * the checksum out, as RFC 6935 lets tunnels do over IPv6.
   */
  verify(pseudoHeaderSum: number): Refusal | null {
    if (this.checksum === 0) return null;
    return this.#sum(pseudoHeaderSum) === 0xffff ? null : BAD_CHECKSUM;
  }

  #sum(pseudoHeaderSum: number): number {
    return fold(addWords(pseudoHeaderSum, this.bytes, this.offset, this.offset + this.totalBytes));
  }
}

/** What a UDP header means. */
export interface Udp {
  sourcePort: number;
  destinationPort: number;
  /** Bytes behind the header. */
  payloadBytes: number;
  /** The checksum as it stands on the wire; it needs the IP header, so `UdpView.seal` and `verify` work on it. */
  checksum: number;
}

/** Reads the meaning of a wrapped view; the checksum is not verified, since it needs the IP header. */
export function parseUdp(view: UdpView): Udp | Refusal {
  return {
    sourcePort: view.sourcePort,
    destinationPort: view.destinationPort,
    payloadBytes: view.totalBytes - UDP_BYTES,
    checksum: view.checksum,
  };
}

const writer = new UdpView();

/** Writes the header and returns its 8 bytes. */
export function emitUdp(meaning: Udp, bytes: Uint8Array, offset: number): number {
  requireBits('udp.sourcePort', meaning.sourcePort, 16);
  requireBits('udp.destinationPort', meaning.destinationPort, 16);
  requireAtMost('udp.payloadBytes', meaning.payloadBytes, 0xffff - UDP_BYTES);
  requireBits('udp.checksum', meaning.checksum, 16);
  writer.wrapForWriting(bytes, offset);
  writer.sourcePort = meaning.sourcePort;
  writer.destinationPort = meaning.destinationPort;
  writer.totalBytes = UDP_BYTES + meaning.payloadBytes;
  writer.checksum = meaning.checksum;
  writer.release();
  return UDP_BYTES;
}
