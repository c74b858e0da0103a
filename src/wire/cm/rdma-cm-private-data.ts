import { read16, read32, write16, write32 } from '../bytes/bytes.js';
import { outOfRange, requireBits, requireBytes } from '../bytes/field.js';
import { type Refusal, refusal } from '../bytes/refusal.js';
import { View } from '../bytes/view.js';

/** The size of the header that RDMA-CM puts before the consumer's private data in a REQ (IBTA vol. 1, annex A11). */
export const RDMA_CM_HEADER_BYTES = 36;
/** What is left of a REQ's private data for the consumer. */
export const RDMA_CM_CONSUMER_BYTES = 56;

/** Bytes 4 and 5 of a service id that stands for a port (annex A11). */
export const RDMA_PORT_SPACE = { tcp: 0x0106, udp: 0x0111 } as const;

const VERSION = 0;
const IP_VERSION = 1;
const SOURCE_PORT = 2;
const SOURCE_ADDRESS = 4;
const DESTINATION_ADDRESS = 20;
const ADDRESS_BYTES = 16;
const IPV4_IN_ADDRESS = 12;

const BAD_VERSION = refusal('rdma-cm', 'bad-version');
const BAD_IP_VERSION = refusal('rdma-cm', 'unsupported-address');
const NOT_A_PORT = refusal('rdma-cm', 'unknown-kind');

/** A checked view over the IP addressing header in a REQ's private data. */
export class RdmaCmHeaderView extends View {
  constructor() {
    super('rdma-cm', RDMA_CM_HEADER_BYTES);
  }

  /** Major and minor version of the header: 0.0. */
  get version(): number {
    return this.bytes[this.offset + VERSION] | 0;
  }
  set version(value: number) {
    this.bytes[this.offset + VERSION] = value;
  }

  /** 4 or 6. */
  get ipVersion(): number {
    return this.bytes[this.offset + IP_VERSION] >>> 4;
  }
  set ipVersion(value: number) {
    this.bytes[this.offset + IP_VERSION] = value << 4;
  }

  /** The port that the requester is bound to; the port it asks for is in the service id. */
  get sourcePort(): number {
    return read16(this.bytes, this.offset + SOURCE_PORT);
  }
  set sourcePort(value: number) {
    write16(this.bytes, this.offset + SOURCE_PORT, value);
  }

  /** The requester's IPv4 address as a 32-bit number: the last four bytes of its field. */
  get sourceIpv4(): number {
    return read32(this.bytes, this.offset + SOURCE_ADDRESS + IPV4_IN_ADDRESS);
  }
  set sourceIpv4(value: number) {
    this.#setIpv4(SOURCE_ADDRESS, value);
  }

  /** The requester's IPv6 address, without a copy. */
  get sourceIpv6(): Uint8Array {
    return this.#address(SOURCE_ADDRESS);
  }
  set sourceIpv6(value: Uint8Array) {
    this.bytes.set(value, this.offset + SOURCE_ADDRESS);
  }

  /** The IPv4 address that is asked for, as a 32-bit number: the last four bytes of its field. */
  get destinationIpv4(): number {
    return read32(this.bytes, this.offset + DESTINATION_ADDRESS + IPV4_IN_ADDRESS);
  }
  set destinationIpv4(value: number) {
    this.#setIpv4(DESTINATION_ADDRESS, value);
  }

  /** The IPv6 address that is asked for, without a copy. */
  get destinationIpv6(): Uint8Array {
    return this.#address(DESTINATION_ADDRESS);
  }
  set destinationIpv6(value: Uint8Array) {
    this.bytes.set(value, this.offset + DESTINATION_ADDRESS);
  }

  #address(at: number): Uint8Array {
    return this.bytes.subarray(this.offset + at, this.offset + at + ADDRESS_BYTES);
  }

  #setIpv4(at: number, value: number): void {
    this.bytes.fill(0, this.offset + at, this.offset + at + IPV4_IN_ADDRESS);
    write32(this.bytes, this.offset + at + IPV4_IN_ADDRESS, value);
  }

  protected override check(): Refusal | null {
    if (this.version !== 0) return BAD_VERSION;
    return this.ipVersion === 4 || this.ipVersion === 6 ? null : BAD_IP_VERSION;
  }
}

/** Who asks for a connection, in IP's words: addresses are 32-bit numbers on IPv4 and 16 bytes on IPv6. */
export type RdmaCmHeader =
  | { ipVersion: 4; sourcePort: number; sourceAddress: number; destinationAddress: number }
  | { ipVersion: 6; sourcePort: number; sourceAddress: Uint8Array; destinationAddress: Uint8Array };

/** Reads the header from a view that was wrapped without a refusal. */
export function parseRdmaCmHeader(view: RdmaCmHeaderView): RdmaCmHeader | Refusal {
  const sourcePort = view.sourcePort;
  if (view.ipVersion === 4) {
    const { sourceIpv4: sourceAddress, destinationIpv4: destinationAddress } = view;
    return { ipVersion: 4, sourcePort, sourceAddress, destinationAddress };
  }
  const sourceAddress = view.sourceIpv6.slice();
  const destinationAddress = view.destinationIpv6.slice();
  return { ipVersion: 6, sourcePort, sourceAddress, destinationAddress };
}

const writing = new RdmaCmHeaderView();

/** Writes the header and returns its size; the consumer's bytes follow it. */
export function emitRdmaCmHeader(header: RdmaCmHeader, bytes: Uint8Array, offset: number): number {
  requireRdmaCmHeader(header);
  writing.wrapForWriting(bytes, offset);
  writing.version = 0;
  writing.ipVersion = header.ipVersion;
  writing.sourcePort = header.sourcePort;
  if (header.ipVersion === 4) {
    writing.sourceIpv4 = header.sourceAddress;
    writing.destinationIpv4 = header.destinationAddress;
  } else {
    writing.sourceIpv6 = header.sourceAddress;
    writing.destinationIpv6 = header.destinationAddress;
  }
  writing.release();
  return RDMA_CM_HEADER_BYTES;
}

function requireRdmaCmHeader(header: RdmaCmHeader): void {
  requireBits('rdma-cm.sourcePort', header.sourcePort, 16);
  if (header.ipVersion === 4) {
    requireBits('rdma-cm.sourceAddress', header.sourceAddress, 32);
    requireBits('rdma-cm.destinationAddress', header.destinationAddress, 32);
  } else if (header.ipVersion === 6) {
    requireBytes('rdma-cm.sourceAddress', header.sourceAddress, ADDRESS_BYTES);
    requireBytes('rdma-cm.destinationAddress', header.destinationAddress, ADDRESS_BYTES);
  } else {
    outOfRange('rdma-cm.ipVersion', (header as { ipVersion: unknown }).ipVersion, '4 or 6');
  }
}

/**
 * The service id that stands for a port: 0x0000_0000_0106_pppp in the TCP port space, which all connected queue pairs
 * use.
 *
 * @example
 * rdmaCmServiceId(7174); // 0x1061c06n, rping's service
 */
export function rdmaCmServiceId(port: number, portSpace: number = RDMA_PORT_SPACE.tcp): bigint {
  requireBits('rdma-cm.port', port, 16);
  requireBits('rdma-cm.portSpace', portSpace, 16);
  return (BigInt(portSpace) << 16n) | BigInt(port);
}

/** The port that a service id of the given port space stands for. */
export function rdmaCmPort(serviceId: bigint, portSpace: number = RDMA_PORT_SPACE.tcp): number | Refusal {
  return serviceId >> 16n === BigInt(portSpace) ? Number(serviceId & 0xffffn) : NOT_A_PORT;
}
