const PAGE_BYTES = 4096;
/** Above 4 GiB, so that an address cut to 32 bits is found out at once. */
const FIRST_ADDRESS = 0x1_0000_0000;

/** Half of the space: the other half is left for memory, 64 TiB. */
const START_PAGES = 2 ** 46 / PAGE_BYTES;

/**
 * Gives virtual addresses to memory. The bytes of an ArrayBuffer keep theirs for as long as the buffer lives, whatever
 * views of it are registered and however often; different buffers never overlap. Addresses are page aligned for whole
 * buffers, never 0 and below 2^47.
 */
export class AddressSpace {
  private nextAddress: number;
  private readonly bases = new WeakMap<ArrayBufferLike, number>();

  /** `start` draws the address to begin with, 0 up to 1; devices that strangers can reach begin anywhere. */
  constructor(start: () => number = () => 0) {
    this.nextAddress = FIRST_ADDRESS + Math.floor(start() * START_PAGES) * PAGE_BYTES;
  }

  /** The address of the first byte of a view. */
  addressOf(memory: Uint8Array): number {
    const { buffer } = memory;
    const known = this.bases.get(buffer);
    if (known !== undefined) return known + memory.byteOffset;
    const room = 'maxByteLength' in buffer ? (buffer.maxByteLength as number) : buffer.byteLength;
    const base = this.reserve(room);
    this.bases.set(buffer, base);
    return base + memory.byteOffset;
  }

  /** Addresses for memory that has no bytes, hence no buffer to be known by: each time others. */
  reserve(lengthBytes: number): number {
    const base = this.nextAddress;
    // A page stays empty behind every buffer: an overrun by one byte meets nobody's memory.
    this.nextAddress = base + (Math.floor(lengthBytes / PAGE_BYTES) + 2) * PAGE_BYTES;
    return base;
  }
}
