/** Words: how many wait, which meeting this is, and whether a thread has failed. */
const WAITING = 0;
const MEETING = 1;
const FAILED = 2;
const WORDS = 3;

/** How often a thread looks before it goes to sleep: the others are often there within a microsecond. */
const LOOKS = 2000;

/** Where the threads of a team wait for each other. What they wrote before is seen by all behind it. */
export class Barrier {
  private readonly words: Int32Array;
  private readonly members: number;

  constructor(buffer: SharedArrayBuffer, members: number) {
    this.words = new Int32Array(buffer);
    this.members = members;
  }

  /** The memory that one needs. */
  static buffer(): SharedArrayBuffer {
    return new SharedArrayBuffer(WORDS * Int32Array.BYTES_PER_ELEMENT);
  }

  /** Waits for all others; false if one of them has failed, and will not come. */
  meet(): boolean {
    const { words } = this;
    const meeting = Atomics.load(words, MEETING);
    if (Atomics.add(words, WAITING, 1) === this.members - 1) {
      Atomics.store(words, WAITING, 0);
      this.open();
    } else {
      for (let look = 0; look < LOOKS && Atomics.load(words, MEETING) === meeting; look++);
      while (Atomics.load(words, MEETING) === meeting) Atomics.wait(words, MEETING, meeting);
    }
    return Atomics.load(words, FAILED) === 0;
  }

  /** This thread will not come again: nobody waits for it. */
  fail(): void {
    Atomics.store(this.words, FAILED, 1);
    this.open();
  }

  private open(): void {
    Atomics.add(this.words, MEETING, 1);
    Atomics.notify(this.words, MEETING);
  }
}
