import type { RecvWr, Sge } from '../../verbs/index.js';

/** The receives of one connection in the order of posting, which is the order in which messages take them. */
export class Receives {
  private readonly places: (Sge | null)[] = [];
  private readonly announced = new Map<number, number>();
  private first = 0;

  /** The tenant posted one; only one with a single element can be written to ahead. */
  post(wr: RecvWr): void {
    this.places.push(wr.sgList?.length === 1 ? { ...wr.sgList[0] } : null);
  }

  /** The next one completed: the bytes of its whole message where it was announced, else 0. */
  complete(): number {
    const sequence = this.first++;
    this.places.shift();
    const bytes = this.announced.get(sequence) ?? 0;
    this.announced.delete(sequence);
    return bytes;
  }

  /** Where message `sequence` of this many bytes will be received; null where no receive was posted or it is too small. */
  placeOf(sequence: number, bytes: number): Sge | null {
    const place = this.places[sequence - this.first] ?? null;
    return place !== null && place.length >= bytes ? place : null;
  }

  /** Most of a message will be written ahead of it. */
  announce(sequence: number, bytes: number): void {
    this.announced.set(sequence, bytes);
  }

  clear(): void {
    this.places.length = 0;
    this.announced.clear();
    this.first = 0;
  }
}
