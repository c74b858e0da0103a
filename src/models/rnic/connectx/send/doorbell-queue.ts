/** The column of a queue that has had no doorbell: shared, since nothing can be written to it. */
const NONE = new Float64Array(0);
/** Room for doorbells once there is one; a power of two. */
const FIRST_CAPACITY = 16;

/**
 * Doorbells that reached the device and wait for the context of their queue pair. There is room for a few; a core that
 * rings one more is held by the posted write until one of them is taken. Doorbells are taken in the order in which they
 * came, since each waits the same time for one of the same slots.
 */
export class DoorbellQueue {
  private readonly room: number;
  private readyPs = NONE;
  private head = 0;
  private count = 0;

  constructor(room: number) {
    this.room = room;
  }

  /** A doorbell waits until then. */
  add(nowPs: number, readyPs: number): void {
    this.forget(nowPs);
    if (this.count === this.readyPs.length) this.grow();
    this.readyPs[(this.head + this.count) & (this.readyPs.length - 1)] = readyPs;
    this.count++;
  }

  /** When a core that writes a doorbell at `atPs`, now or later, gets rid of it. */
  acceptPs(nowPs: number, atPs: number): number {
    this.forget(nowPs);
    if (this.count < this.room) return atPs;
    const freed = this.readyPs[(this.head + this.count - this.room) & (this.readyPs.length - 1)];
    return Math.max(freed, atPs);
  }

  private forget(nowPs: number): void {
    while (this.count > 0 && this.readyPs[this.head] <= nowPs) {
      this.head = (this.head + 1) & (this.readyPs.length - 1);
      this.count--;
    }
  }

  private grow(): void {
    const size = this.readyPs.length;
    const larger = new Float64Array(Math.max(FIRST_CAPACITY, 2 * size));
    for (let index = 0; index < size; index++) larger[index] = this.readyPs[(this.head + index) & (size - 1)];
    this.readyPs = larger;
    this.head = 0;
  }
}
