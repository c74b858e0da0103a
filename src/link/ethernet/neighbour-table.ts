/** Neighbours that are remembered; a flood of made-up ones must not fill the memory. */
const MOST_NEIGHBOURS = 256;
/** Datagrams that wait for one neighbour. */
const MOST_WAITING = 64;
const MOST_ASKING = 32;

/** Who has which MAC address, and what waits for an answer. Addresses are GIDs in text. */
export class NeighbourTable {
  private readonly macs = new Map<string, number>();
  private readonly waiting = new Map<string, Uint8Array[]>();

  /** The MAC of an address, null where it is not known. */
  macOf(address: string): number | null {
    return this.macs.get(address) ?? null;
  }

  /** Learns a MAC and gives the frames that waited for it. */
  learn(address: string, mac: number): readonly Uint8Array[] {
    if (!this.macs.has(address) && this.macs.size >= MOST_NEIGHBOURS)
      this.macs.delete(this.macs.keys().next().value as string);
    this.macs.set(address, mac);
    const frames = this.waiting.get(address) ?? [];
    this.waiting.delete(address);
    return frames;
  }

  /** Whether somebody waits for the address. */
  isAwaited(address: string): boolean {
    return this.waiting.has(address);
  }

  /** Keeps a frame until the address is known; `first` where nothing waited for it before, `full` where it is lost. */
  hold(address: string, frame: Uint8Array): 'first' | 'held' | 'full' {
    const frames = this.waiting.get(address);
    if (frames === undefined) {
      if (this.waiting.size >= MOST_ASKING) return 'full';
      this.waiting.set(address, [frame]);
      return 'first';
    }
    if (frames.length >= MOST_WAITING) return 'full';
    frames.push(frame);
    return 'held';
  }

  /** Nobody answers: forgets what waited and says how much that was. */
  giveUp(address: string): number {
    const lost = this.waiting.get(address)?.length ?? 0;
    this.waiting.delete(address);
    return lost;
  }
}
