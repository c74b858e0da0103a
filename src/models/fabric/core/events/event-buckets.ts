/** Words of a bucket. */
const BUCKET_SHIFT = 2;
const COUNT = 0;
const FIRST = 1;
/** With two records the second; with more, the first chunk. */
const SECOND = 2;
/** With more than two records: where the next one goes. */
const PLACE = 3;
/** Records from the second on are in chunks of one cache line: 15 records, then the place of the next chunk. */
const CHUNK = 16;
const LINK = 15;
const FIRST_CHUNKS = 1024;

/**
 * Buckets of records, each in order of arrival. A bucket holds the numbers of records and never touches the records
 * themselves: those are all over memory, buckets that fill at the same time are not.
 */
export class EventBuckets {
  private readonly buckets: Int32Array;
  /** A bit per bucket that has records. */
  private readonly occupied: Int32Array;
  private chunks: Int32Array;
  /** Free chunks, linked at their ends; -1 if there are none. */
  private free = -1;

  constructor(count: number) {
    this.buckets = new Int32Array(count << BUCKET_SHIFT);
    this.occupied = new Int32Array(count >> 5);
    this.chunks = new Int32Array(0);
    this.grow(FIRST_CHUNKS * CHUNK);
  }

  append(bucket: number, record: number): void {
    const { buckets } = this;
    const at = bucket << BUCKET_SHIFT;
    const count = buckets[at];
    buckets[at] = count + 1;
    if (count === 0) {
      buckets[at + FIRST] = record;
      this.occupied[bucket >>> 5] |= 1 << (bucket & 31);
    } else if (count === 1) {
      buckets[at + SECOND] = record;
    } else {
      const place = buckets[at + PLACE];
      if (count > 2 && (place & LINK) !== LINK) {
        this.chunks[place] = record;
        buckets[at + PLACE] = place + 1;
      } else {
        this.appendToChunk(at, count, record);
      }
    }
  }

  countOf(bucket: number): number {
    return this.buckets[(bucket << BUCKET_SHIFT) + COUNT];
  }

  /** The first bucket with records from `from` to `to`, both included; -1 if there is none. */
  next(from: number, to: number): number {
    const { occupied } = this;
    let word = from >>> 5;
    let bits = occupied[word] & (-1 << (from & 31));
    if (bits === 0) {
      const last = to >>> 5;
      do {
        if (word === last) return -1;
        bits = occupied[++word];
      } while (bits === 0);
    }
    return (word << 5) + 31 - Math.clz32(bits & -bits);
  }

  isEmpty(): boolean {
    const { occupied } = this;
    for (let word = 0; word < occupied.length; word++) if (occupied[word] !== 0) return false;
    return true;
  }

  /** Empties a bucket into `records`, in order. */
  take(bucket: number, records: Int32Array): void {
    const { buckets } = this;
    const at = bucket << BUCKET_SHIFT;
    const count = buckets[at];
    buckets[at] = 0;
    this.occupied[bucket >>> 5] &= ~(1 << (bucket & 31));
    records[0] = buckets[at + FIRST];
    if (count === 2) records[1] = buckets[at + SECOND];
    else if (count > 2) this.takeChunks(buckets[at + SECOND], count, records);
  }

  private appendToChunk(at: number, count: number, record: number): void {
    const { buckets } = this;
    let place = buckets[at + PLACE];
    if (count === 2) {
      const first = this.takeChunk();
      this.chunks[first] = buckets[at + SECOND];
      buckets[at + SECOND] = first;
      place = first + 1;
    } else if ((place & LINK) === LINK) {
      const next = this.takeChunk();
      this.chunks[place] = next;
      place = next;
    }
    this.chunks[place] = record;
    buckets[at + PLACE] = place + 1;
  }

  private takeChunks(first: number, count: number, records: Int32Array): void {
    const { chunks } = this;
    let place = first;
    for (let index = 1; index < count; index++) {
      if ((place & LINK) === LINK) {
        const next = chunks[place];
        this.releaseChunk(place - LINK);
        place = next;
      }
      records[index] = chunks[place++];
    }
    this.releaseChunk((place - 1) & ~LINK);
  }

  private takeChunk(): number {
    if (this.free < 0) this.grow(this.chunks.length * 2);
    const chunk = this.free;
    this.free = this.chunks[chunk + LINK];
    return chunk;
  }

  private releaseChunk(chunk: number): void {
    this.chunks[chunk + LINK] = this.free;
    this.free = chunk;
  }

  private grow(words: number): void {
    const before = this.chunks.length;
    const chunks = new Int32Array(words);
    chunks.set(this.chunks);
    this.chunks = chunks;
    for (let chunk = words - CHUNK; chunk >= before; chunk -= CHUNK) this.releaseChunk(chunk);
  }
}
