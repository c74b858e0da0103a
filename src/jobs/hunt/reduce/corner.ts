import type { Course } from '../experiments/trial.js';
import { isUniform, keyOf, type Point } from '../space/point.js';
import {
  illegality,
  leastDepth,
  mostQueues,
  type NumberName,
  repaired,
  type Space,
  spaceAround,
} from '../space/space.js';
import { PLENTY, TRADED } from './plenty.js';
import { type KnownSet, Reduction } from './reduction.js';

/** What a corner has least of, or longest: the others are there in plenty. */
export const EXTREMES = ['qps', 'queueDepth', 'sge', 'batch', 'sizes'] as const;

/** No rung of a ladder. */
const NONE = -1;

/**
 * Whether plenty of queue entries are those of many queues, or of deep ones; or of deep ones, with nothing else in plenty;
 * or whether there is one queue alone, with plenty of everything else.
 */
export type Queues = 'many' | 'deep' | 'deep alone' | 'one';

/**
 * Another corner of an anomaly: the extreme of one dimension that still shows it where the amounts are there in plenty, and
 * then as little of each of these as that needs. It keeps its symptom and what tells of it.
 *
 * @example
 * const point = yield* new Corner(reduced, { space, known, symptom: 'throughput', ownerOf }).run('qps', 'deep');
 */
export class Corner<Owner extends KnownSet> extends Reduction<Owner> {
  /** The corner, verified by a full run; null where there is none but the point itself. No less than `least` is tried. */
  *run(extreme: (typeof EXTREMES)[number], queues: Queues, least = 0): Course<Point | null> {
    const { space } = this.options;
    const start = this.current;
    const rungs = this.rungsTo(extreme).filter((rung) => rung >= least);
    const others = TRADED.filter((name) => name !== extreme);
    // Queues make up for each other; elements, posts and regions only where more of them than usual are needed. Where it is
    // not about queues, plenty of regions is enough: each queue pair has its own.
    const isMore = (name: NumberName) => start[name] > this.reference[name];
    const isPlain = (name: NumberName) => name === 'qps' && !isQueue(extreme) && isMore('mrs');
    const isRich = (name: NumberName) =>
      isQueue(name) ? queues !== 'one' : queues !== 'deep alone' && isMore(name);
    const rich = Object.fromEntries(
      others
        .filter((name) => isRich(name) && !isPlain(name))
        .map((name) => [name, Math.max(start[name], PLENTY[name])]),
    );
    // All queues together have this much room: where they are deep, fewer of them have to do.
    const isDeep = queues !== 'many';
    const around = spaceAround(start, space);
    const fewest = Math.min(start.qps, start.direction === 'loopback' ? 2 : 1);
    const at = (rung: number, sizes: readonly number[]) => {
      const value = extreme === 'sizes' ? { sizes: [rung] } : { sizes, [extreme]: rung };
      const wanted: Point = this.changed({ ...rich, ...value, ...(queues === 'one' ? { qps: fewest } : {}) });
      if (extreme !== 'qps') wanted.qps = Math.min(wanted.qps, room(wanted, isDeep, around));
      const point = repaired(wanted, around);
      const asked = extreme === 'sizes' ? point?.sizes[0] : point?.[extreme];
      return asked === rung ? point : null;
    };
    // Where the next step does not show it the others do not make up for it, with more and shorter messages neither.
    for (const sizes of this.lengthsFor(extreme)) {
      const shows = (rung: number) => this.isSame(at(rung, sizes));
      if (rungs.length === 0 || !(yield* shows(rungs[0]))) continue;
      const farthest = yield* this.farthestOf(rungs.slice(1), rungs[0], shows);
      this.current = at(farthest, sizes)!;
      if ((yield* this.fullLook()).symptom === this.symptom) return yield* this.lowered(start, others);
      // What short looks show of so many queue entries may pass: less far, or with more and shorter messages, it may last.
      this.current = start;
      this.length = 'full';
      const nearer = rungs.slice(0, rungs.indexOf(farthest));
      const lasting = yield* this.farthestOf(nearer, NONE, shows);
      if (lasting !== NONE) {
        this.current = at(lasting, sizes)!;
        return yield* this.lowered(start, others);
      }
      this.length = 'short';
    }
    return null;
  }

  /** The lengths of messages that a corner is looked for with: the point's, and a quarter of it: four times as many fit. */
  private lengthsFor(extreme: (typeof EXTREMES)[number]): (readonly number[])[] {
    const { sizes } = this.current;
    if (extreme === 'sizes' || !isUniform(sizes) || sizes[0] >= this.reference.sizes[0]) return [sizes];
    const shorter = this.options.space.sizes.ladder.findLast((rung) => rung <= sizes[0] / 4);
    return shorter === undefined ? [sizes] : [sizes, [shorter]];
  }

  /** The corner with messages as long as in the point and with as little of the amounts as it needs, verified. */
  private *lowered(start: Point, others: readonly (keyof typeof PLENTY)[]): Course<Point | null> {
    const { space } = this.options;
    const rich = this.current;
    // A corner at its bounds has to last.
    this.length = 'full';
    const { ladder } = space.sizes;
    const longer = ladder.filter((rung) => rung > rich.sizes[0] && rung <= start.sizes[0]);
    const longest = yield* this.farthestOf(longer, rich.sizes[0], (rung) =>
      this.isSame(this.changed({ sizes: [rung], mtu: start.mtu })),
    );
    if (longest > rich.sizes[0]) this.current = this.changed({ sizes: [longest], mtu: start.mtu });
    for (const name of others) yield* this.lowerTo(name, Math.min(start[name], this.reference[name]));
    if (keyOf(this.current) === keyOf(start)) return null;
    const { symptom } = yield* this.fullLook();
    return symptom === this.symptom ? this.current : null;
  }

  /** The rungs from the point on, without it: fewer of an amount, or longer messages. */
  private rungsTo(extreme: (typeof EXTREMES)[number]): number[] {
    const { space } = this.options;
    if (extreme !== 'sizes')
      return space.numbers[extreme].ladder.filter((rung) => rung < this.current[extreme]).reverse();
    const { sizes } = this.current;
    if (!isUniform(sizes)) return [];
    return space.sizes.ladder.filter((rung) => rung > sizes[0] && rung <= this.reference.sizes[0]);
  }

  private *lowerTo(name: keyof typeof PLENTY, least: number): Course<void> {
    const { ladder } = this.options.space.numbers[name];
    const value = this.current[name];
    const rungs = ladder.filter((rung) => rung >= least && rung < value).reverse();
    const enough = yield* this.farthestOf(rungs, value, (rung) =>
      this.isSame(this.changed({ [name]: rung })),
    );
    this.current = this.changed({ [name]: enough });
  }

  /** Whether a point shows the same anomaly. */
  private *isSame(point: Point | null): Course<boolean> {
    if (point === null || illegality(point, this.options.space) !== null) return false;
    return (yield* this.symptomOf(point)) === this.symptom && this.isKin(point);
  }
}

/** Queue pairs that there is room for: with queues as deep as wanted, or just as deep as the posts need. */
function room(wanted: Point, isDeep: boolean, space: Space): number {
  return mostQueues(isDeep ? wanted : { ...wanted, queueDepth: leastDepth(wanted) }, space);
}

function isQueue(name: string): boolean {
  return name === 'qps' || name === 'queueDepth';
}
