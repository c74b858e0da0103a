/** Streaming count, mean, variance, least and greatest: constant memory, stable where sums of squares cancel (Welford). */
export class Statistics {
  count = 0;
  /** NaN before the first value, as are `min` and `max`. */
  mean = Number.NaN;
  min = Number.NaN;
  max = Number.NaN;
  private squares = 0;

  add(value: number): void {
    const count = ++this.count;
    if (count === 1) {
      this.mean = value;
      this.min = value;
      this.max = value;
      return;
    }
    const before = value - this.mean;
    this.mean += before / count;
    this.squares += before * (value - this.mean);
    if (value < this.min) this.min = value;
    if (value > this.max) this.max = value;
  }

  /** Variance of a sample (divided by n - 1); NaN below two values. */
  get variance(): number {
    return this.count < 2 ? Number.NaN : this.squares / (this.count - 1);
  }

  /** Square root of the variance. */
  get deviation(): number {
    return Math.sqrt(this.variance);
  }

  /** Takes another's values in, as though they had been added here (Chan, Golub and LeVeque's update). */
  merge(other: Statistics): void {
    if (other.count === 0) return;
    if (this.count === 0) {
      this.count = other.count;
      this.mean = other.mean;
      this.min = other.min;
      this.max = other.max;
      this.squares = other.squares;
      return;
    }
    const count = this.count + other.count;
    const apart = other.mean - this.mean;
    this.squares += other.squares + (apart * apart * this.count * other.count) / count;
    this.mean += (apart * other.count) / count;
    this.count = count;
    this.min = Math.min(this.min, other.min);
    this.max = Math.max(this.max, other.max);
  }
}
