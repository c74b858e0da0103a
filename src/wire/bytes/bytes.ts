/** Big-endian reads and writes at an offset that the caller has checked: network byte order without a DataView. */

/** Reads 16 bits. */
export function read16(bytes: Uint8Array, at: number): number {
  return (bytes[at] << 8) | bytes[at + 1];
}

/** Reads 24 bits. */
export function read24(bytes: Uint8Array, at: number): number {
  return (bytes[at] << 16) | (bytes[at + 1] << 8) | bytes[at + 2];
}

/** Reads 32 bits, unsigned. */
export function read32(bytes: Uint8Array, at: number): number {
  return ((bytes[at] << 24) | (bytes[at + 1] << 16) | (bytes[at + 2] << 8) | bytes[at + 3]) >>> 0;
}

/** Reads 48 bits. */
export function read48(bytes: Uint8Array, at: number): number {
  return read16(bytes, at) * 0x1_0000_0000 + read32(bytes, at + 2);
}

/** Reads 64 bits exactly. */
export function read64Exact(bytes: Uint8Array, at: number): bigint {
  return (BigInt(read32(bytes, at)) << 32n) | BigInt(read32(bytes, at + 4));
}

/** Writes the low 16 bits of a value. */
export function write16(bytes: Uint8Array, at: number, value: number): void {
  bytes[at] = value >>> 8;
  bytes[at + 1] = value;
}

/** Writes the low 24 bits of a value. */
export function write24(bytes: Uint8Array, at: number, value: number): void {
  bytes[at] = value >>> 16;
  bytes[at + 1] = value >>> 8;
  bytes[at + 2] = value;
}

/** Writes the low 32 bits of a value. */
export function write32(bytes: Uint8Array, at: number, value: number): void {
  bytes[at] = value >>> 24;
  bytes[at + 1] = value >>> 16;
  bytes[at + 2] = value >>> 8;
  bytes[at + 3] = value;
}

/** Writes the low 48 bits of a safe integer. */
export function write48(bytes: Uint8Array, at: number, value: number): void {
  write16(bytes, at, Math.floor(value / 0x1_0000_0000));
  write32(bytes, at + 2, value >>> 0);
}

/** Writes the low 64 bits of a bigint. */
export function write64Exact(bytes: Uint8Array, at: number, value: bigint): void {
  write32(bytes, at, Number((value >> 32n) & 0xffff_ffffn));
  write32(bytes, at + 4, Number(value & 0xffff_ffffn));
}

/** Whether every byte of `[from, to)` is zero. */
export function allZero(bytes: Uint8Array, from: number, to: number): boolean {
  for (let at = from; at < to; at += 1) if (bytes[at] !== 0) return false;
  return true;
}
