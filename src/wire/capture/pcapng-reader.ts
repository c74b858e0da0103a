/**
 * Reads captures in the pcapng format from anywhere: both byte orders, any resolution of stamps, several sections.
 * Blocks that are not needed are skipped. Captures are hostile input: every length is checked against what is there
 * before it is used, and where a capture breaks off the packets before that place are kept.
 *
 * @example
 * const capture = readPcapng(bytes);
 * for (const packet of capture.packets) console.log(packet.timeNs, packet.bytes.length);
 * if (capture.refusal !== null) console.log(`stopped at byte ${capture.readBytes}: ${capture.refusal}`);
 */

import { type Refusal, refusal } from '../bytes/refusal.js';
import { PCAPNG_BLOCK, PCAPNG_BYTE_ORDER_MAGIC, PCAPNG_DIRECTION, PCAPNG_OPTION } from './pcapng.js';

/** An interface as a capture describes it. */
export interface CapturedInterface {
  linkType: number;
  /** The most bytes kept of a packet; 0 is no limit. */
  snapBytes: number;
  name: string | null;
  comments: string[];
  /** The resolution byte: the exponent of 10, or of 2 where the top bit is set, of one tick's part of a second. */
  timestampResolution: number;
  /** Seconds to add to every stamp. */
  timestampOffsetSeconds: bigint;
}

/** A packet as a capture holds it. */
export interface CapturedPacket {
  /** The interface by its place in {@link PcapngCapture.interfaces}, over all sections. */
  interfaceId: number;
  /** Nanoseconds since the epoch, rounded down; null for a simple packet, which has no stamp. */
  timeNs: bigint | null;
  /** The captured bytes, a window into the capture. */
  bytes: Uint8Array;
  /** Its size on the wire. */
  originalBytes: number;
  comments: string[];
  /** Which way it went at the interface; null where the capture does not say. */
  direction: 'inbound' | 'outbound' | null;
}

/** All that could be read of a capture. */
export interface PcapngCapture {
  interfaces: CapturedInterface[];
  packets: CapturedPacket[];
  /** Why reading stopped early; null where the capture was read to its end. */
  refusal: Refusal | null;
  /** How many bytes were read: all of them, or up to the block that was refused. */
  readBytes: number;
}

const TRUNCATED = refusal('pcapng', 'truncated');
const BAD_LENGTH = refusal('pcapng', 'bad-length');
const BAD_FIELD = refusal('pcapng', 'bad-field');
const BAD_VERSION = refusal('pcapng', 'bad-version');
const NOT_PCAPNG = refusal('pcapng', 'wrong-protocol');

const LEAST_BLOCK_BYTES = 12;
const MICROSECONDS = 6;
const NS_PER_SECOND = 1_000_000_000n;

/** Never throws: what is not UTF-8 becomes U+FFFD. */
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** Reads a whole capture. Never throws: see {@link PcapngCapture.refusal}. */
export function readPcapng(bytes: Uint8Array): PcapngCapture {
  return new Reader(bytes).read();
}

class Reader {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  readonly #interfaces: CapturedInterface[] = [];
  readonly #packets: CapturedPacket[] = [];
  #littleEndian = true;
  #sectionInterfaces = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  read(): PcapngCapture {
    let at = 0;
    let refused: Refusal | null = this.#bytes.length === 0 ? TRUNCATED : null;
    while (at < this.#bytes.length && refused === null) {
      const blockBytes = this.#blockBytes(at);
      refused = typeof blockBytes === 'number' ? this.#block(at, at + blockBytes) : blockBytes;
      if (refused === null) at += blockBytes as number;
    }
    return { interfaces: this.#interfaces, packets: this.#packets, refusal: refused, readBytes: at };
  }

  /** The size of the block at `at`, once both of its lengths agree and it lies inside the capture. */
  #blockBytes(at: number): number | Refusal {
    const left = this.#bytes.length - at;
    if (left < LEAST_BLOCK_BYTES) return TRUNCATED;
    // The type of a section header reads the same in both byte orders; its magic tells the order of its own length.
    if (this.#u32(at) === PCAPNG_BLOCK.sectionHeader) {
      const magic = this.#view.getUint32(at + 8, true);
      const swapped = this.#view.getUint32(at + 8, false);
      if (magic !== PCAPNG_BYTE_ORDER_MAGIC && swapped !== PCAPNG_BYTE_ORDER_MAGIC) return NOT_PCAPNG;
      this.#littleEndian = magic === PCAPNG_BYTE_ORDER_MAGIC;
    } else if (at === 0) return NOT_PCAPNG;
    const size = this.#u32(at + 4);
    if (size < LEAST_BLOCK_BYTES || size % 4 !== 0) return BAD_LENGTH;
    if (size > left) return TRUNCATED;
    return this.#u32(at + size - 4) === size ? size : BAD_LENGTH;
  }

  #block(at: number, end: number): Refusal | null {
    const body = at + 8;
    const bodyEnd = end - 4;
    switch (this.#u32(at)) {
      case PCAPNG_BLOCK.sectionHeader:
        return this.#section(body, bodyEnd);
      case PCAPNG_BLOCK.interfaceDescription:
        return this.#interface(body, bodyEnd);
      case PCAPNG_BLOCK.enhancedPacket:
        return this.#enhancedPacket(body, bodyEnd);
      case PCAPNG_BLOCK.simplePacket:
        return this.#simplePacket(body, bodyEnd);
      default:
        return null;
    }
  }

  #section(body: number, end: number): Refusal | null {
    if (end - body < 16) return BAD_LENGTH;
    if (this.#u16(body + 4) !== 1) return BAD_VERSION;
    this.#sectionInterfaces = this.#interfaces.length;
    return null;
  }

  #interface(body: number, end: number): Refusal | null {
    if (end - body < 8) return BAD_LENGTH;
    const described: CapturedInterface = {
      linkType: this.#u16(body),
      snapBytes: this.#u32(body + 4),
      name: null,
      comments: [],
      timestampResolution: MICROSECONDS,
      timestampOffsetSeconds: 0n,
    };
    const refused = this.#options(body + 8, end, (code, from, size) => {
      if (code === PCAPNG_OPTION.comment) described.comments.push(this.#text(from, size));
      else if (code === PCAPNG_OPTION.interfaceName) described.name = this.#text(from, size);
      else if (code === PCAPNG_OPTION.interfaceTimestampResolution) {
        if (size !== 1) return BAD_LENGTH;
        described.timestampResolution = this.#bytes[from];
      } else if (code === PCAPNG_OPTION.interfaceTimestampOffset) {
        if (size !== 8) return BAD_LENGTH;
        described.timestampOffsetSeconds = this.#view.getBigInt64(from, this.#littleEndian);
      }
      return null;
    });
    if (refused === null) this.#interfaces.push(described);
    return refused;
  }

  #enhancedPacket(body: number, end: number): Refusal | null {
    if (end - body < 20) return BAD_LENGTH;
    const interfaceId = this.#sectionInterfaces + this.#u32(body);
    if (interfaceId >= this.#interfaces.length) return BAD_FIELD;
    const ticks = (BigInt(this.#u32(body + 4)) << 32n) | BigInt(this.#u32(body + 8));
    const capturedBytes = this.#u32(body + 12);
    const data = body + 20;
    const dataEnd = data + capturedBytes + (-capturedBytes & 3);
    if (dataEnd > end) return BAD_LENGTH;
    const comments: string[] = [];
    let direction: CapturedPacket['direction'] = null;
    const refused = this.#options(dataEnd, end, (code, from, size) => {
      if (code === PCAPNG_OPTION.comment) comments.push(this.#text(from, size));
      if (code === PCAPNG_OPTION.packetFlags && size === 4) direction = directionOf(this.#u32(from));
      return null;
    });
    if (refused !== null) return refused;
    this.#packets.push({
      interfaceId,
      timeNs: ticksToNs(ticks, this.#interfaces[interfaceId]),
      bytes: this.#bytes.subarray(data, data + capturedBytes),
      originalBytes: this.#u32(body + 16),
      comments,
      direction,
    });
    return null;
  }

  /** A simple packet belongs to the first interface of its section, and only the snap length says what was cut. */
  #simplePacket(body: number, end: number): Refusal | null {
    if (end - body < 4) return BAD_LENGTH;
    const interfaceId = this.#sectionInterfaces;
    if (interfaceId >= this.#interfaces.length) return BAD_FIELD;
    const originalBytes = this.#u32(body);
    const { snapBytes } = this.#interfaces[interfaceId];
    const capturedBytes = snapBytes === 0 ? originalBytes : Math.min(originalBytes, snapBytes);
    if (capturedBytes > end - body - 4) return BAD_LENGTH;
    const bytes = this.#bytes.subarray(body + 4, body + 4 + capturedBytes);
    this.#packets.push({ interfaceId, timeNs: null, bytes, originalBytes, comments: [], direction: null });
    return null;
  }

  /** Walks a list of options, with or without its end mark. */
  #options(
    from: number,
    end: number,
    take: (code: number, at: number, size: number) => Refusal | null,
  ): Refusal | null {
    let at = from;
    while (at < end) {
      // Blocks and values are padded to four bytes, so four bytes are left whenever any are.
      const code = this.#u16(at);
      const size = this.#u16(at + 2);
      if (code === PCAPNG_OPTION.end) return null;
      const next = at + 4 + size + (-size & 3);
      if (next > end) return BAD_LENGTH;
      const refused = take(code, at + 4, size);
      if (refused !== null) return refused;
      at = next;
    }
    return null;
  }

  #text(at: number, size: number): string {
    return decoder.decode(this.#bytes.subarray(at, at + size));
  }

  #u16(at: number): number {
    return this.#view.getUint16(at, this.#littleEndian);
  }

  #u32(at: number): number {
    return this.#view.getUint32(at, this.#littleEndian);
  }
}

/** Ticks of an interface's clock in nanoseconds, rounded down. */
function ticksToNs(ticks: bigint, described: CapturedInterface): bigint {
  const exponent = BigInt(described.timestampResolution & 0x7f);
  const ticksPerSecond = (described.timestampResolution & 0x80) === 0 ? 10n ** exponent : 1n << exponent;
  return described.timestampOffsetSeconds * NS_PER_SECOND + (ticks * NS_PER_SECOND) / ticksPerSecond;
}

function directionOf(flags: number): CapturedPacket['direction'] {
  const bits = flags & 3;
  if (bits === PCAPNG_DIRECTION.inbound) return 'inbound';
  return bits === PCAPNG_DIRECTION.outbound ? 'outbound' : null;
}
