/** The keys of a queue pair's state in the context store. */
export class ContextKeys {
  /** Entries in use: a queue pair that issues READs has more than one, which its accesses take in turn. */
  entries = 1;
  /** The key of a list of elements that is too long for the context. */
  readonly elementsKey: number;
  private readonly firstKey: number;
  private turn = 0;

  /** `firstKey`: the first of `keys` keys; the last of them is that of a long list of elements. */
  constructor(firstKey: number, keys: number) {
    this.firstKey = firstKey;
    this.elementsKey = firstKey + keys - 1;
  }

  /** The entry that the next access touches. */
  next(): number {
    if (this.entries === 1) return this.firstKey;
    this.turn = (this.turn + 1) % this.entries;
    return this.firstKey + this.turn;
  }
}
