import type { ProtectionDomain } from './protection-domain.js';
import type { RemoteAddress } from './remote-address.js';

/**
 * Memory that has a place and a length but no bytes of its own, for providers whose capabilities have
 * `unbackedMemory`: simulating 200,000 regions of 4 MB must not need 800 GB. Reads of it give zeros.
 */
export interface UnbackedMemory {
  lengthBytes: number;
  /** A memory endpoint of the provider's host, such as `socket0` or `gpu1`; see `Context.placements()`. */
  placement?: string;
}

/** What can be registered: bytes over an ArrayBuffer or a SharedArrayBuffer, or memory without bytes. */
export type Registrable = Uint8Array | UnbackedMemory;

/** Choices at registration. */
export interface RegMrOptions<Iova extends RemoteAddress = number> {
  /** The address that peers use for the first byte; default `addr`. The region ends at 2^64 at the latest. */
  iova?: Iova;
  /** Where the bytes are said to lie, on providers that have places. */
  placement?: string;
}

/**
 * A registered region.
 *
 * Deregistering is refused with OBJECT_BUSY while memory windows are bound to it. It is *not* refused while work
 * requests name it: those that touch it afterwards fail with LOC_PROT_ERR (local) or REM_ACCESS_ERR (remote).
 */
export interface MemoryRegion<Iova extends RemoteAddress = number> {
  readonly pd: ProtectionDomain;
  /** The virtual address of the first byte, chosen by the provider; the same buffer always gets the same one. */
  readonly addr: number;
  readonly lengthBytes: number;
  readonly lkey: number;
  readonly rkey: number;
  /** The address that peers use for the first byte: a number, or a bigint where the program chose one. */
  readonly iova: Iova;
  readonly access: number;
  /** The bytes, or null for memory that has none. */
  readonly memory: Uint8Array | null;
  /** Deregisters. A second call is refused with OBJECT_DESTROYED. */
  dereg(): void;
}

/** A window onto a region, bound and taken away without a registration. Type 2 only: bound by a work request. */
export interface MemoryWindow {
  readonly pd: ProtectionDomain;
  /** The current key; a bind changes its low 8 bits. */
  readonly rkey: number;
  dealloc(): void;
}
