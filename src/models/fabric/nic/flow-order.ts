import type { FlowSpec } from './flow-spec.js';

/** Which flows wait for others, and who waits for each: lists in one row, each flow's from its beginning on. */
export class FlowOrder {
  /** Flows that each still waits for. */
  readonly waits: Int32Array;
  private readonly begin: Int32Array;
  private readonly dependents: Int32Array;

  constructor(specs: readonly FlowSpec[]) {
    const count = specs.length;
    const indexOf = new Map(specs.map((spec, index) => [spec, index]));
    this.waits = Int32Array.from(specs, ({ after = [] }) => after.length);
    this.begin = new Int32Array(count + 1);
    for (const { after = [] } of specs) for (const each of after) this.begin[indexOf.get(each)! + 1]++;
    for (let flow = 0; flow < count; flow++) this.begin[flow + 1] += this.begin[flow];
    const next = this.begin.slice();
    this.dependents = new Int32Array(this.begin[count]);
    for (const [index, { after = [] }] of specs.entries())
      for (const each of after) this.dependents[next[indexOf.get(each)!]++] = index;
  }

  get isEmpty(): boolean {
    return this.dependents.length === 0;
  }

  /** A host has seen the end of a flow: calls `start` for each flow from that host that waits for nothing more. */
  done(flow: number, isFrom: (dependent: number) => boolean, start: (flow: number) => void): void {
    for (let at = this.begin[flow]; at < this.begin[flow + 1]; at++) {
      const dependent = this.dependents[at];
      if (isFrom(dependent) && --this.waits[dependent] === 0) start(dependent);
    }
  }
}
