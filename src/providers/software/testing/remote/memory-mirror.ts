/** Bytes of a memory that changed. */
export interface MemoryChange {
  id: number;
  at: number;
  bytes: Uint8Array;
}

interface Mirrored {
  bytes: Uint8Array;
  /** What both sides knew when they last spoke. */
  known: Uint8Array;
}

const BLOCK_BYTES = 64;

/**
 * One side of memory that two processes both have. Whenever they speak, each tells the other what it changed since: a
 * block that only one side wrote is then the same on both.
 */
export class MemoryMirror {
  private readonly byId = new Map<number, Mirrored>();

  /** Begins to mirror; both sides begin with the same bytes. */
  add(id: number, bytes: Uint8Array): void {
    this.byId.set(id, { bytes, known: bytes.slice() });
  }

  /** The bytes of a memory. */
  get(id: number): Uint8Array | undefined {
    return this.byId.get(id)?.bytes;
  }

  /** What changed here since the last call. */
  changes(): MemoryChange[] {
    const found: MemoryChange[] = [];
    for (const [id, { bytes, known }] of this.byId) {
      if (Buffer.compare(bytes, known) === 0) continue;
      for (let at = 0; at < bytes.length; at += BLOCK_BYTES) {
        const block = bytes.slice(at, at + BLOCK_BYTES);
        if (Buffer.compare(block, known.subarray(at, at + BLOCK_BYTES)) === 0) continue;
        known.set(block, at);
        found.push({ id, at, bytes: block });
      }
    }
    return found;
  }

  /** What changed there. */
  apply(changes: readonly MemoryChange[]): void {
    for (const { id, at, bytes } of changes) {
      const mirrored = this.byId.get(id);
      mirrored?.bytes.set(bytes, at);
      mirrored?.known.set(bytes, at);
    }
  }

  clear(): void {
    this.byId.clear();
  }
}
