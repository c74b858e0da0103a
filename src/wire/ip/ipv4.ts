import { read16, read32, write16, write32 } from '../bytes/bytes.js';
import { addWords, fold } from '../bytes/checksum.js';
import { requireAtMost, requireBits } from '../bytes/field.js';
import { type Refusal, refusal } from '../bytes/refusal.js';
import { View } from '../bytes/view.js';

/** Bytes of an IPv4 header without options; RoCEv2 has none (IBTA annex A17.3.1: IHL is 5). */
export const IPV4_BYTES = 20;
/** The protocol number of UDP, in IPv4 and as IPv6's next header. */
export const PROTOCOL_UDP = 17;

const VERSION_AND_LENGTH = 0;
const TYPE_OF_SERVICE = 1;
const TOTAL_BYTES = 2;
const IDENTIFICATION = 4;
const FLAGS_AND_FRAGMENT = 6;
const TIME_TO_LIVE = 8;
const PROTOCOL = 9;
const CHECKSUM = 10;
const SOURCE = 12;
const DESTINATION = 16;

const RESERVED_FLAG = 0x8000;
const DONT_FRAGMENT = 0x4000;
/** More fragments, or an offset other than 0. */
const FRAGMENT = 0x3fff;

const BAD_VERSION = refusal('ipv4', 'bad-version');
const OPTIONS = refusal('ipv4', 'unsupported');
const BAD_LENGTH = refusal('ipv4', 'bad-length');
const OVERSIZED = refusal('ipv4', 'oversized');
const RESERVED = refusal('ipv4', 'reserved-bits');
const FRAGMENTED = refusal('ipv4', 'fragmented');
const BAD_CHECKSUM = refusal('ipv4', 'bad-checksum');

/** A checked view over an IPv4 header without options whose total length lies inside the window. */
export class Ipv4View extends View {
  constructor() {
    super('ipv4', IPV4_BYTES);
  }

  protected override check(): Refusal | null {
    const first = this.bytes[this.offset + VERSION_AND_LENGTH];
    if (first >>> 4 !== 4) return BAD_VERSION;
    if ((first & 0xf) !== IPV4_BYTES / 4) return (first & 0xf) < IPV4_BYTES / 4 ? BAD_LENGTH : OPTIONS;
    return this.checkTotal();
  }

  /** Checks the total length against the window. */
  protected checkTotal(): Refusal | null {
    if (this.totalBytes < IPV4_BYTES) return BAD_LENGTH;
    return this.totalBytes > this.end - this.offset ? OVERSIZED : null;
  }

  /** DSCP in the upper six bits, ECN in the lower two. */
  get typeOfService(): number {
    return this.bytes[this.offset + TYPE_OF_SERVICE];
  }
  set typeOfService(value: number) {
    this.bytes[this.offset + TYPE_OF_SERVICE] = value;
  }

  /** Bytes of header and payload. */
  get totalBytes(): number {
    return read16(this.bytes, this.offset + TOTAL_BYTES);
  }
  set totalBytes(value: number) {
    write16(this.bytes, this.offset + TOTAL_BYTES, value);
  }

  /** Identification; the ICRC covers it. */
  get identification(): number {
    return read16(this.bytes, this.offset + IDENTIFICATION);
  }
  set identification(value: number) {
    write16(this.bytes, this.offset + IDENTIFICATION, value);
  }

  /** The three flags and the 13-bit fragment offset as they stand. */
  get flagsAndFragment(): number {
    return read16(this.bytes, this.offset + FLAGS_AND_FRAGMENT);
  }
  set flagsAndFragment(value: number) {
    write16(this.bytes, this.offset + FLAGS_AND_FRAGMENT, value);
  }

  /** Hops left. */
  get timeToLive(): number {
    return this.bytes[this.offset + TIME_TO_LIVE];
  }
  set timeToLive(value: number) {
    this.bytes[this.offset + TIME_TO_LIVE] = value;
  }

  /** What follows; 17 is UDP. */
  get protocol(): number {
    return this.bytes[this.offset + PROTOCOL];
  }
  set protocol(value: number) {
    this.bytes[this.offset + PROTOCOL] = value;
  }

  /** The header checksum as it stands. */
  get checksum(): number {
    return read16(this.bytes, this.offset + CHECKSUM);
  }
  set checksum(value: number) {
    write16(this.bytes, this.offset + CHECKSUM, value);
  }

  /** Source address as a 32-bit number. */
  get source(): number {
    return read32(this.bytes, this.offset + SOURCE);
  }
  set source(value: number) {
    write32(this.bytes, this.offset + SOURCE, value);
  }

  /** Destination address as a 32-bit number. */
  get destination(): number {
    return read32(this.bytes, this.offset + DESTINATION);
  }
  set destination(value: number) {
    write32(this.bytes, this.offset + DESTINATION, value);
  }

  /** Whether the header checksum holds. */
  get checksumHolds(): boolean {
    return fold(addWords(0, this.bytes, this.offset, this.offset + IPV4_BYTES)) === 0xffff;
  }

  /** Computes and writes the header checksum over the fields as they stand. */
  seal(): void {
    write16(this.bytes, this.offset + VERSION_AND_LENGTH, 0x4500 | this.typeOfService);
    this.checksum = 0;
    this.checksum = ~fold(addWords(0, this.bytes, this.offset, this.offset + IPV4_BYTES)) & 0xffff;
  }

  /** The sum over the pseudo header of a payload of `payloadBytes` (RFC 768), for UDP's checksum. */
  pseudoHeaderSum(payloadBytes: number): number {
    return addWords(this.protocol + payloadBytes, this.bytes, this.offset + SOURCE, this.offset + IPV4_BYTES);
  }
}

/** What an IPv4 header means. Options and fragments are refused: RoCEv2 has neither. */
export interface Ipv4 {
  version: 4;
  /** Source address as a 32-bit number; see `formatIpv4Address`. */
  source: number;
  /** Destination address as a 32-bit number. */
  destination: number;
  /** Differentiated services code point, 0 to 63. */
  dscp: number;
  /** Explicit congestion notification: 0 not capable, 1 or 2 capable, 3 congestion experienced. */
  ecn: number;
  identification: number;
  dontFragment: boolean;
  timeToLive: number;
  protocol: number;
  /** Bytes behind the header. */
  payloadBytes: number;
}

/** Reads the meaning of a wrapped view and checks the header checksum. */
export function parseIpv4(view: Ipv4View): Ipv4 | Refusal {
  const refused = checkIpv4(view);
  if (refused !== null) return refused;
  return {
    version: 4,
    source: view.source,
    destination: view.destination,
    dscp: view.typeOfService >>> 2,
    ecn: view.typeOfService & 3,
    identification: view.identification,
    dontFragment: (view.flagsAndFragment & DONT_FRAGMENT) !== 0,
    timeToLive: view.timeToLive,
    protocol: view.protocol,
    payloadBytes: view.totalBytes - IPV4_BYTES,
  };
}

/** What {@link parseIpv4} checks beyond the view, without building a meaning. */
export function checkIpv4(view: Ipv4View): Refusal | null {
  if (!view.checksumHolds) return BAD_CHECKSUM;
  const flags = view.flagsAndFragment;
  if ((flags & RESERVED_FLAG) !== 0) return RESERVED;
  return (flags & FRAGMENT) !== 0 ? FRAGMENTED : null;
}

const writer = new Ipv4View();

/** Writes the header with its checksum and returns its 20 bytes. */
export function emitIpv4(meaning: Ipv4, bytes: Uint8Array, offset: number): number {
  requireBits('ipv4.source', meaning.source, 32);
  requireBits('ipv4.destination', meaning.destination, 32);
  requireBits('ipv4.dscp', meaning.dscp, 6);
  requireBits('ipv4.ecn', meaning.ecn, 2);
  requireBits('ipv4.identification', meaning.identification, 16);
  requireBits('ipv4.timeToLive', meaning.timeToLive, 8);
  requireBits('ipv4.protocol', meaning.protocol, 8);
  requireAtMost('ipv4.payloadBytes', meaning.payloadBytes, 0xffff - IPV4_BYTES);
  writer.wrapForWriting(bytes, offset);
  writer.typeOfService = (meaning.dscp << 2) | meaning.ecn;
  writer.totalBytes = IPV4_BYTES + meaning.payloadBytes;
  writer.identification = meaning.identification;
  writer.flagsAndFragment = meaning.dontFragment ? DONT_FRAGMENT : 0;
  writer.timeToLive = meaning.timeToLive;
  writer.protocol = meaning.protocol;
  writer.source = meaning.source;
  writer.destination = meaning.destination;
  writer.seal();
  writer.release();
  return IPV4_BYTES;
}
