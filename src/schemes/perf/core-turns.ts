/** Somebody who may want the core. */
export interface CoreUser {
  /** Whether it has something to do now. */
  wantsCore(nowNs: number): boolean;
}

/**
 * Whose turn on the one core that all workers share it is. A worker keeps it as long as it has something to do, and when
 * others want it for one slice at most: so that of several bandwidth tenants one at a time sends, interrupted by its own
 * pauses, and not all of them in each other's pauses (PeRF §4.4).
 */
export class CoreTurns<User extends CoreUser> {
  private readonly sliceNs: number;
  private holder: User | null = null;
  private endsNs = 0;

  constructor(sliceNs: number) {
    this.sliceNs = sliceNs;
  }

  /** Whether a user has the core; one that nobody holds is taken. */
  has(user: User): boolean {
    this.holder ??= user;
    return this.holder === user;
  }

  /**
   * Passes the core on where the holder is done or had its slice; returns when to ask again, Infinity: not before something
   * happens.
   */
  turn(users: readonly User[], nowNs: number): number {
    const { holder } = this;
    const from = holder === null ? -1 : users.indexOf(holder);
    let next: User | null = null;
    for (let step = 1; step <= users.length && next === null; step++) {
      const user = users[(from + step) % users.length];
      if (user !== holder && user.wantsCore(nowNs)) next = user;
    }
    const keeps = holder?.wantsCore(nowNs) === true;
    if (next === null) {
      // Alone: its slice begins when another wants the core.
      if (!keeps) this.holder = null;
      this.endsNs = nowNs + this.sliceNs;
      return Number.POSITIVE_INFINITY;
    }
    if (keeps && nowNs < this.endsNs) return this.endsNs;
    this.holder = next;
    this.endsNs = nowNs + this.sliceNs;
    return nowNs;
  }
}
