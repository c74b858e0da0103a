/**
 * Gives out tasks in their order. Those about machines wait while one of their machines is busy with another task, so that
 * measurements do not disturb each other; tasks behind them go first.
 *
 * @example
 * const turns = new Turns([0, 1, 2], (index) => (index < 2 ? ['host-a'] : ['host-b']));
 * await turns.take(); // 0
 * await turns.take(); // 2: 1 waits for host-a
 * turns.end(0);
 * await turns.take(); // 1
 */
export class Turns {
  private readonly waiting: number[];
  private readonly machinesOf: (index: number) => readonly string[];
  private readonly busy = new Set<string>();
  private readonly takers: ((index: number | null) => void)[] = [];

  constructor(tasks: Iterable<number>, machinesOf: (index: number) => readonly string[]) {
    this.waiting = [...tasks];
    this.machinesOf = machinesOf;
  }

  /** The next task whose machines are free, as soon as there is one; null where none is left. */
  take(): Promise<number | null> {
    return new Promise((resolve) => {
      this.takers.push(resolve);
      this.give();
    });
  }

  /** A task has ended, and its machines are free. */
  end(index: number): void {
    for (const machine of this.machinesOf(index)) this.busy.delete(machine);
    this.give();
  }

  /** Nobody gets another one. */
  stop(): void {
    this.waiting.splice(0);
    this.give();
  }

  private give(): void {
    const isFree = (index: number) => this.machinesOf(index).every((machine) => !this.busy.has(machine));
    for (;;) {
      if (this.takers.length === 0) return;
      if (this.waiting.length === 0) {
        for (const taker of this.takers.splice(0)) taker(null);
        return;
      }
      const place = this.waiting.findIndex(isFree);
      if (place < 0) return;
      const [index] = this.waiting.splice(place, 1);
      for (const machine of this.machinesOf(index)) this.busy.add(machine);
      this.takers.shift()!(index);
    }
  }
}
