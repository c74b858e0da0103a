import { isSubset, type KnownFinds, type Suspect } from '../reduce/known-finds.js';

/**
 * Anomalous points on their way to a set: those that are looked at, those that wait for one of them, and those that can
 * wait.
 */
export class Suspects {
  private readonly finds: KnownFinds;
  private readonly underway = new Set<Suspect>();
  private readonly waiting: Suspect[] = [];
  /** Those that resemble known anomalies. */
  private readonly later: Suspect[] = [];

  constructor(finds: KnownFinds) {
    this.finds = finds;
  }

  /** Takes one in to wait. */
  wait(suspect: Suspect): void {
    this.waiting.push(suspect);
  }

  /**
   * The suspect if it should be looked at now; where it is known, resembles a known one or may be one that is underway, it
   * is put aside.
   */
  admit(suspect: Suspect): Suspect | null {
    if (this.finds.isSight(suspect.point)) return null;
    if (this.finds.likes(suspect).length > 0) this.later.push(suspect);
    else if (this.mayBeUnderway(suspect)) this.waiting.push(suspect);
    else return suspect;
    return null;
  }

  begin(suspect: Suspect): void {
    this.underway.add(suspect);
  }

  end(suspect: Suspect): void {
    this.underway.delete(suspect);
  }

  /** The next that has waited long enough. */
  nextWaiting(): Suspect | undefined {
    return this.nextOf(this.waiting);
  }

  /** The next of those that resemble known anomalies: the one that resembles them least is likeliest to be another. */
  nextResembling(): Suspect | undefined {
    const apart = new Map(this.later.map((each) => [each, this.finds.failedConditions(each)]));
    this.later.sort((one, other) => apart.get(other)! - apart.get(one)!);
    return this.nextOf(this.later);
  }

  private nextOf(suspects: Suspect[]): Suspect | undefined {
    for (let index = 0; index < suspects.length; index++) {
      const suspect = suspects[index];
      if (this.finds.isSight(suspect.point)) suspects.splice(index--, 1);
      else if (!this.mayBeUnderway(suspect)) return suspects.splice(index, 1)[0];
    }
    return undefined;
  }

  /** Whether one that is underway may be the same anomaly, as far as symptom, traffic and telling counters say. */
  private mayBeUnderway({ point, symptom, moved }: Suspect): boolean {
    return [...this.underway].some(
      (other) =>
        other.symptom === symptom &&
        (other.point.direction === point.direction ||
          (other.point.transport === point.transport && other.point.opcode === point.opcode)) &&
        (isSubset(moved, other.moved) || isSubset(other.moved, moved)),
    );
  }

  /** All that have no set yet, one of each kind. */
  left(): Suspect[] {
    const kinds = new Set<string>();
    return [...this.underway, ...this.waiting, ...this.later].filter(({ point, symptom }) => {
      if (this.finds.isSight(point)) return false;
      const kind = [symptom, point.transport, point.opcode, point.direction].join();
      if (kinds.has(kind)) return false;
      kinds.add(kind);
      return true;
    });
  }
}
