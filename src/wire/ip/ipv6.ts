import { read16, read24, read32, write16, write32 } from '../bytes/bytes.js';
import { addWords } from '../bytes/checksum.js';
import { requireBits, requireBytes } from '../bytes/field.js';
import { type Refusal, refusal } from '../bytes/refusal.js';
import { View } from '../bytes/view.js';

/** Bytes of an IPv6 header, without extension headers. */
export const IPV6_BYTES = 40;
/** Bytes of an IPv6 address. */
export const IPV6_ADDRESS_BYTES = 16;

const FIRST_WORD = 0;
const PAYLOAD_BYTES = 4;
const NEXT_HEADER = 6;
const HOP_LIMIT = 7;
const SOURCE = 8;
const DESTINATION = 24;

const OVERSIZED = refusal('ipv6', 'oversized');

/** A checked view over an IPv6 header whose payload length lies inside the window. */
export class Ipv6View extends View {
  readonly #badVersion: Refusal;

  /** `header` names the view in refusals: the GRH has the same layout. */
  constructor(header = 'ipv6') {
    super(header, IPV6_BYTES);
    this.#badVersion = refusal(header, 'bad-version');
  }

  protected override check(): Refusal | null {
    if (this.bytes[this.offset] >>> 4 !== 6) return this.#badVersion;
    return this.checkPayload();
  }

  /** Checks the payload length against the window. */
  protected checkPayload(): Refusal | null {
    return this.payloadBytes > this.end - this.offset - IPV6_BYTES ? OVERSIZED : null;
  }

  /** DSCP in the upper six bits, ECN in the lower two. */
  get trafficClass(): number {
    return (read16(this.bytes, this.offset) >>> 4) & 0xff;
  }

  /** The 20-bit flow label. */
  get flowLabel(): number {
    return read24(this.bytes, this.offset + 1) & 0xf_ffff;
  }

  /** Writes version 6, the traffic class and the flow label, which share a word. */
  setFirstWord(trafficClass: number, flowLabel: number): void {
    const word = 0x6000_0000 | ((trafficClass & 0xff) << 20) | (flowLabel & 0xf_ffff);
    write32(this.bytes, this.offset + FIRST_WORD, word);
  }

  /** Bytes behind the header. */
  get payloadBytes(): number {
    return read16(this.bytes, this.offset + PAYLOAD_BYTES);
  }
  set payloadBytes(value: number) {
    write16(this.bytes, this.offset + PAYLOAD_BYTES, value);
  }

  /** What follows; 17 is UDP. */
  get nextHeader(): number {
    return this.bytes[this.offset + NEXT_HEADER];
  }
  set nextHeader(value: number) {
    this.bytes[this.offset + NEXT_HEADER] = value;
  }

  /** Hops left. */
  get hopLimit(): number {
    return this.bytes[this.offset + HOP_LIMIT];
  }
  set hopLimit(value: number) {
    this.bytes[this.offset + HOP_LIMIT] = value;
  }

  /** One 32-bit word (0 to 3) of the source address, to compare addresses without a copy. */
  sourceWord(index: 0 | 1 | 2 | 3): number {
    return read32(this.bytes, this.offset + SOURCE + 4 * index);
  }

  /** One 32-bit word (0 to 3) of the destination address. */
  destinationWord(index: 0 | 1 | 2 | 3): number {
    return read32(this.bytes, this.offset + DESTINATION + 4 * index);
  }

  /** A copy of the source address. */
  get source(): Uint8Array {
    return this.bytes.slice(this.offset + SOURCE, this.offset + SOURCE + IPV6_ADDRESS_BYTES);
  }
  set source(value: Uint8Array) {
    this.bytes.set(value, this.offset + SOURCE);
  }

  /** A copy of the destination address. */
  get destination(): Uint8Array {
    return this.bytes.slice(this.offset + DESTINATION, this.offset + DESTINATION + IPV6_ADDRESS_BYTES);
  }
  set destination(value: Uint8Array) {
    this.bytes.set(value, this.offset + DESTINATION);
  }

  /** The sum over the pseudo header of a payload of `payloadBytes` (RFC 8200 §8.1), for UDP's checksum. */
  pseudoHeaderSum(payloadBytes: number): number {
    return addWords(
      this.nextHeader + payloadBytes,
      this.bytes,
      this.offset + SOURCE,
      this.offset + IPV6_BYTES,
    );
  }
}

/** What an IPv6 header means. */
export interface Ipv6 {
  version: 6;
  /** Source address, 16 bytes; see `formatIpv6Address`. */
  source: Uint8Array;
  /** Destination address, 16 bytes. */
  destination: Uint8Array;
  /** Differentiated services code point, 0 to 63. */
  dscp: number;
  /** Explicit congestion notification: 0 not capable, 1 or 2 capable, 3 congestion experienced. */
  ecn: number;
  flowLabel: number;
  hopLimit: number;
  nextHeader: number;
  /** Bytes behind the header. */
  payloadBytes: number;
}

/** Reads the meaning of a wrapped view. */
export function parseIpv6(view: Ipv6View): Ipv6 | Refusal {
  return {
    version: 6,
    source: view.source,
    destination: view.destination,
    dscp: view.trafficClass >>> 2,
    ecn: view.trafficClass & 3,
    flowLabel: view.flowLabel,
    hopLimit: view.hopLimit,
    nextHeader: view.nextHeader,
    payloadBytes: view.payloadBytes,
  };
}

const writer = new Ipv6View();

/** Writes the header and returns its 40 bytes. */
export function emitIpv6(meaning: Ipv6, bytes: Uint8Array, offset: number): number {
  requireBytes('ipv6.source', meaning.source, IPV6_ADDRESS_BYTES);
  requireBytes('ipv6.destination', meaning.destination, IPV6_ADDRESS_BYTES);
  requireBits('ipv6.dscp', meaning.dscp, 6);
  requireBits('ipv6.ecn', meaning.ecn, 2);
  requireBits('ipv6.flowLabel', meaning.flowLabel, 20);
  requireBits('ipv6.hopLimit', meaning.hopLimit, 8);
  requireBits('ipv6.nextHeader', meaning.nextHeader, 8);
  requireBits('ipv6.payloadBytes', meaning.payloadBytes, 16);
  writer.wrapForWriting(bytes, offset);
  writer.setFirstWord((meaning.dscp << 2) | meaning.ecn, meaning.flowLabel);
  writer.payloadBytes = meaning.payloadBytes;
  writer.nextHeader = meaning.nextHeader;
  writer.hopLimit = meaning.hopLimit;
  writer.source = meaning.source;
  writer.destination = meaning.destination;
  writer.release();
  return IPV6_BYTES;
}
