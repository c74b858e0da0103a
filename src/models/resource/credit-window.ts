/** The columns of a window that nobody has taken from: shared, since nothing can be written to them. */
const NONE = new Float64Array(0);
/** Room for takers once there is one; a power of two. */
const FIRST_CAPACITY = 16;

/**
 * Credits that are taken in order and come back at known times: outstanding read bytes, posted-write credits. The
 * oldest takers return theirs first, so that a slow one holds those behind it, as a tag or credit FIFO does.
 */
export class CreditWindow {
  /** Credit that there is. */
  limit: number;
  private returnPs = NONE;
  private amounts = NONE;
  private head = 0;
  private count = 0;
  private taken = 0;
  private admittedPs = 0;

  constructor(limit: number) {
    this.limit = limit;
  }

  /** When `amount` of credit is free, from now on. One taker may ask for more than there is; it then waits for all. */
  admitPs(nowPs: number, amount: number): number {
    // First come, first served: nobody is admitted before the last one was.
    let time = nowPs > this.admittedPs ? nowPs : this.admittedPs;
    while (this.count > 0) {
      const back = this.returnPs[this.head];
      if (back > time) {
        if (this.taken + amount <= this.limit) break;
        time = back;
      }
      this.taken -= this.amounts[this.head];
      this.head = (this.head + 1) & (this.returnPs.length - 1);
      this.count--;
    }
    this.admittedPs = time;
    return time;
  }

  /** When `amount` of credit will be free, from now on, should nobody else ask for it; takes nothing and admits nobody. */
  freePs(nowPs: number, amount: number): number {
    const mask = this.returnPs.length - 1;
    while (this.count > 0 && this.returnPs[this.head] <= nowPs) {
      this.taken -= this.amounts[this.head];
      this.head = (this.head + 1) & mask;
      this.count--;
    }
    let time = nowPs > this.admittedPs ? nowPs : this.admittedPs;
    let taken = this.taken;
    for (let index = 0; index < this.count && taken + amount > this.limit; index++) {
      const at = (this.head + index) & mask;
      if (this.returnPs[at] > time) time = this.returnPs[at];
      taken -= this.amounts[at];
    }
    return time;
  }

  /** Takes `amount` until `untilPs`. */
  take(amount: number, untilPs: number): void {
    if (this.count === this.returnPs.length) this.grow();
    const tail = (this.head + this.count) & (this.returnPs.length - 1);
    this.returnPs[tail] = untilPs;
    this.amounts[tail] = amount;
    this.count++;
    this.taken += amount;
  }

  /** Credit that is out, as of the last call. */
  get outstanding(): number {
    return this.taken;
  }

  private grow(): void {
    const size = this.returnPs.length;
    const capacity = Math.max(FIRST_CAPACITY, 2 * size);
    const returnPs = new Float64Array(capacity);
    const amounts = new Float64Array(capacity);
    for (let index = 0; index < this.count; index++) {
      const from = (this.head + index) & (size - 1);
      returnPs[index] = this.returnPs[from];
      amounts[index] = this.amounts[from];
    }
    this.returnPs = returnPs;
    this.amounts = amounts;
    this.head = 0;
  }
}
