/**
 * Captures in the pcapng format (IETF draft-ietf-opsawg-pcapng), written with nanosecond stamps. This file makes bytes;
 * where they go is the caller's choice.
 *
 * @example
 * const capture = concatenate([
 *   pcapngSection({ application: 'kelpie' }),
 *   pcapngInterface({ name: 'port 0' }),
 *   pcapngPacket({ interfaceId: 0, timeNs: 1500, bytes: frame }),
 * ]);
 */
import { outOfRange, requireAtMost, requireBits } from '../bytes/field.js';

/** Block types that Kelpie writes or reads. */
export const PCAPNG_BLOCK = {
  sectionHeader: 0x0a0d_0d0a,
  interfaceDescription: 0x0000_0001,
  simplePacket: 0x0000_0003,
  enhancedPacket: 0x0000_0006,
} as const;

/** Option codes that Kelpie writes or reads; the codes from 2 on belong to their block. */
export const PCAPNG_OPTION = {
  end: 0,
  comment: 1,
  sectionUserApplication: 4,
  interfaceName: 2,
  interfaceTimestampResolution: 9,
  interfaceTimestampOffset: 14,
  packetFlags: 2,
} as const;

/** Tells the byte order of a section. */
export const PCAPNG_BYTE_ORDER_MAGIC = 0x1a2b_3c4d;
/** Link type of Ethernet frames. */
export const PCAPNG_LINK_ETHERNET = 1;

const NANOSECONDS = 9;
const UNKNOWN_SECTION_LENGTH = 0xffff_ffff;
const MAXIMUM_TIME_NS = 0xffff_ffff_ffff_ffffn;
const MAXIMUM_PACKET_BYTES = 0x7fff_ffff;

const encoder = new TextEncoder();

/** A section: the packets of one capture, with numbering of interfaces of its own. */
export interface PcapngSection {
  /** The program that wrote the capture. */
  application?: string;
  comment?: string;
}

/** A port on which packets were captured. */
export interface PcapngInterface {
  name?: string;
  comment?: string;
  /** Ethernet where it is not given. */
  linkType?: number;
  /** The most bytes kept of a packet; 0 or nothing is no limit. */
  snapBytes?: number;
}

/** Which way a packet went at the interface that saw it: the lowest bits of its flags. */
export const PCAPNG_DIRECTION = { inbound: 1, outbound: 2 } as const;

/** A captured packet. */
export interface PcapngPacket {
  /** The interface by its place in the section, the first is 0. */
  interfaceId: number;
  /** Nanoseconds since the epoch of the capture. */
  timeNs: bigint | number;
  bytes: Uint8Array;
  /** Its size on the wire where the capture holds less of it. */
  originalBytes?: number;
  comment?: string;
  direction?: keyof typeof PCAPNG_DIRECTION;
}

/** The block that begins a section. */
export function pcapngSection(section: PcapngSection = {}): Uint8Array {
  const block = new Block(PCAPNG_BLOCK.sectionHeader);
  block.u32(PCAPNG_BYTE_ORDER_MAGIC);
  block.u16(1);
  block.u16(0);
  block.u32(UNKNOWN_SECTION_LENGTH);
  block.u32(UNKNOWN_SECTION_LENGTH);
  block.text(PCAPNG_OPTION.comment, 'comment', section.comment);
  block.text(PCAPNG_OPTION.sectionUserApplication, 'application', section.application);
  return block.end();
}

/** The block that describes an interface; it stands before the first packet of that interface. */
export function pcapngInterface(description: PcapngInterface = {}): Uint8Array {
  const { linkType = PCAPNG_LINK_ETHERNET, snapBytes = 0 } = description;
  requireBits('linkType', linkType, 16);
  requireBits('snapBytes', snapBytes, 32);
  const block = new Block(PCAPNG_BLOCK.interfaceDescription);
  block.u16(linkType);
  block.u16(0);
  block.u32(snapBytes);
  block.text(PCAPNG_OPTION.comment, 'comment', description.comment);
  block.text(PCAPNG_OPTION.interfaceName, 'name', description.name);
  block.option(PCAPNG_OPTION.interfaceTimestampResolution, 'resolution', Uint8Array.of(NANOSECONDS));
  return block.end();
}

/** The block of one packet. */
export function pcapngPacket(packet: PcapngPacket): Uint8Array {
  const { interfaceId, bytes, originalBytes = bytes.length } = packet;
  requireBits('interfaceId', interfaceId, 32);
  requireAtMost('bytes.length', bytes.length, MAXIMUM_PACKET_BYTES);
  requireBits('originalBytes', originalBytes, 32);
  if (originalBytes < bytes.length) outOfRange('originalBytes', originalBytes, `${bytes.length} and up`);
  const timeNs = exactTime(packet.timeNs);
  const block = new Block(PCAPNG_BLOCK.enhancedPacket, bytes.length);
  block.u32(interfaceId);
  block.u32(Number(timeNs >> 32n));
  block.u32(Number(timeNs & 0xffff_ffffn));
  block.u32(bytes.length);
  block.u32(originalBytes);
  block.padded(bytes);
  block.text(PCAPNG_OPTION.comment, 'comment', packet.comment);
  if (packet.direction !== undefined)
    block.option(
      PCAPNG_OPTION.packetFlags,
      'direction',
      Uint8Array.of(PCAPNG_DIRECTION[packet.direction], 0, 0, 0),
    );
  return block.end();
}

/** A whole capture of one section in one run of bytes. */
export function emitPcapng(
  interfaces: readonly PcapngInterface[],
  packets: Iterable<PcapngPacket>,
  section: PcapngSection = {},
): Uint8Array {
  const blocks = [pcapngSection(section)];
  for (const description of interfaces) blocks.push(pcapngInterface(description));
  for (const packet of packets) {
    requireAtMost('interfaceId', packet.interfaceId, interfaces.length - 1);
    blocks.push(pcapngPacket(packet));
  }
  return concatenate(blocks);
}

/** Joins runs of bytes. */
export function concatenate(runs: readonly Uint8Array[]): Uint8Array {
  let size = 0;
  for (const run of runs) size += run.length;
  const joined = new Uint8Array(size);
  let at = 0;
  for (const run of runs) {
    joined.set(run, at);
    at += run.length;
  }
  return joined;
}

function exactTime(timeNs: bigint | number): bigint {
  const exact = typeof timeNs === 'bigint' ? timeNs : Number.isSafeInteger(timeNs) ? BigInt(timeNs) : -1n;
  if (exact < 0n || exact > MAXIMUM_TIME_NS) outOfRange('timeNs', timeNs, 'an integer from 0 to 2^64 - 1');
  return exact;
}

/** A block in the making: little-endian, a length at both ends, everything in words of four bytes. */
class Block {
  #bytes: Uint8Array;
  #size = 8;
  #hasOptions = false;

  constructor(type: number, roomBytes = 0) {
    this.#bytes = new Uint8Array(64 + roomBytes);
    this.#writeAt(0, type);
  }

  u16(value: number): void {
    const at = this.#grow(2);
    this.#bytes[at] = value;
    this.#bytes[at + 1] = value >>> 8;
  }

  u32(value: number): void {
    this.#writeAt(this.#grow(4), value);
  }

  padded(value: Uint8Array): void {
    const at = this.#grow((value.length + 3) & ~3);
    this.#bytes.set(value, at);
  }

  option(code: number, field: string, value: Uint8Array): void {
    if (value.length > 0xffff) outOfRange(field, value.length, 'at most 65535 bytes as UTF-8');
    this.#hasOptions = true;
    this.u16(code);
    this.u16(value.length);
    this.padded(value);
  }

  text(code: number, field: string, value: string | undefined): void {
    if (value !== undefined) this.option(code, field, encoder.encode(value));
  }

  end(): Uint8Array {
    if (this.#hasOptions) this.u32(PCAPNG_OPTION.end);
    const at = this.#grow(4);
    this.#writeAt(at, this.#size);
    this.#writeAt(4, this.#size);
    return this.#bytes.subarray(0, this.#size);
  }

  #writeAt(at: number, value: number): void {
    this.#bytes[at] = value;
    this.#bytes[at + 1] = value >>> 8;
    this.#bytes[at + 2] = value >>> 16;
    this.#bytes[at + 3] = value >>> 24;
  }

  #grow(size: number): number {
    const at = this.#size;
    this.#size += size;
    if (this.#size > this.#bytes.length) {
      const larger = new Uint8Array(this.#size * 2);
      larger.set(this.#bytes);
      this.#bytes = larger;
    }
    return at;
  }
}
