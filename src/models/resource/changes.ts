/** Something that is on from a time, for a time, and perhaps again and again. */
export interface Change {
  readonly fromPs: number;
  /** Infinity: to the end. */
  readonly forPs: number;
  /** 0: once. */
  readonly everyPs: number;
  /** It begins or ends now. */
  set(active: boolean): void;
}

interface Entry {
  readonly change: Change;
  active: boolean;
  nextPs: number;
}

/**
 * Changes that come at known times and are made when somebody next looks. They need no events: a world in which a link
 * flaps forever is as idle as any other when nothing crosses it.
 */
export class Changes {
  /** When the next change is due; whoever depends on them compares and calls {@link advance}. */
  nextPs = Number.POSITIVE_INFINITY;
  /** When somebody last looked and something was due. */
  nowPs = 0;
  private readonly entries: Entry[] = [];

  /** Adds a change and makes it if it is due. Returns what takes it back. */
  add(nowPs: number, change: Change): () => void {
    const entry: Entry = { change, active: false, nextPs: nowPs };
    this.entries.push(entry);
    this.advance(nowPs, true);
    return () => {
      const place = this.entries.indexOf(entry);
      if (place < 0) return;
      this.entries.splice(place, 1);
      if (entry.active) change.set(false);
    };
  }

  /** Makes every change that is due. */
  advance(nowPs: number, force = false): void {
    if (nowPs < this.nextPs && !force) return;
    this.nowPs = nowPs;
    this.nextPs = Number.POSITIVE_INFINITY;
    for (const entry of this.entries) {
      if (nowPs >= entry.nextPs) {
        const active = isActive(entry.change, nowPs);
        entry.nextPs = nextChangePs(entry.change, nowPs);
        if (active !== entry.active) {
          entry.active = active;
          entry.change.set(active);
        }
      }
      if (entry.nextPs < this.nextPs) this.nextPs = entry.nextPs;
    }
  }
}

function isActive({ fromPs, forPs, everyPs }: Change, nowPs: number): boolean {
  if (nowPs < fromPs) return false;
  const since = nowPs - fromPs;
  return (everyPs > 0 ? since % everyPs : since) < forPs;
}

/** When a change begins or ends next, after now. */
function nextChangePs({ fromPs, forPs, everyPs }: Change, nowPs: number): number {
  if (nowPs < fromPs) return fromPs;
  const since = nowPs - fromPs;
  if (everyPs === 0) return since < forPs ? fromPs + forPs : Number.POSITIVE_INFINITY;
  const begun = fromPs + Math.floor(since / everyPs) * everyPs;
  return nowPs < begun + forPs ? begun + forPs : begun + everyPs;
}
