import { type Course, confirm, measure, together, trialKey } from '../experiments/trial.js';
import { type Observation, type Symptom, severityOf } from '../observation.js';
import { isUniform, keyOf, type Point } from '../space/point.js';
import { takenBack, UNITS, type Unit } from '../space/reference.js';
import {
  CHOICES,
  type ChoiceName,
  illegality,
  longestMessage,
  NUMBERS,
  type NumberName,
  repaired,
  type Space,
  spaceAround,
} from '../space/space.js';
import { Corner, EXTREMES, type Queues } from './corner.js';
import { type Feature, meets, meetsAll } from './feature.js';
import { PLENTY, TRADED } from './plenty.js';
import { type Change, type KnownSet, Reduction } from './reduction.js';

/** What came of an extraction. */
export type ExtractionResult<Owner> =
  /**
   * A set, and the mildest workload that shows its anomaly for good, with what it showed; and others that are as mild, with
   * less of one thing and more of another.
   */
  | {
      kind: 'set';
      features: Feature[];
      reduced: Point;
      symptom: Symptom;
      seen: Observation;
      corners: Point[];
    }
  /** Without what it does not need the point belongs to a known anomaly: it is another sight of that one. */
  | { kind: 'duplicate'; owner: Owner; reduced: Point; symptom: Symptom | null; corners: Point[] }
  /** The anomaly was gone in a full run. */
  | { kind: 'nothing' };

/** Numbers whose usual values are well inside the space, in both directions. */
const COUNTED: readonly NumberName[] = ['qps', 'queueDepth'];
/** Steps of a bisection that need not be exact. */
const ROUGHLY = 2;
/** Most conditions that another kind of traffic is tried without. */
const MOST_WITHOUT = 1;
/** What corners have plenty of besides queues. */
const ELEMENTS_AND_POSTS: readonly NumberName[] = ['sge', 'batch'];
const ALWAYS_TRIED: readonly ChoiceName[] = ['transport', 'opcode', 'mtu'];

/** What came of examining one dimension: a condition, and the mildest value that meets it. */
interface Outcome {
  feature?: Feature;
  bound?: Change;
}

/**
 * The minimal feature set of an anomalous point (Collie §5.2): which of its properties are needed. First the point is
 * taken back to a clean reference, as far as it stays anomalous. Of what is left numbers are bisected down, so that the set
 * says `batch >= 32` and not `batch = 57`. At the bounds, where nothing is there in plenty, names are tried against the
 * other names, and numbers upwards, for some anomalies need little of something. One fault shows itself in several ways, so
 * that any symptom counts; only the last steps, from what is needed to its bounds, keep it. What belongs to another known
 * anomaly does not count.
 *
 * @example
 * const result = yield* new Extraction(point, { space, known, symptom: 'pause', ownerOf }).run();
 */
export class Extraction<Owner extends KnownSet> extends Reduction<Owner> {
  /** Whether messages took several packets: else it is not known whether longer ones need their MTU. */
  private isCut = true;

  *run(): Course<ExtractionResult<Owner>> {
    const given = this.current;
    yield* this.takeAllBack();
    if ((yield* this.fullLook()).symptom === null) {
      // Short looks were deceived: what begins badly and then goes well. If the point itself does so there is nothing.
      const trail = this.trail.slice(0, -1);
      this.current = given;
      const { symptom } = yield* this.fullLook();
      if (symptom === null) return { kind: 'nothing' };
      // Once more with longer ones, from as far on the way as these show it.
      this.symptom = symptom;
      this.length = 'full';
      const way = trail.map((_, index) => index).slice(1);
      const farthest = yield* this.farthestOf(way, 0, (index) => this.keepsKind(trail[index]));
      this.current = trail[farthest];
      yield* this.takeAllBack();
    }
    const seen = yield* this.fullLook();
    const { isAbout, siblingOf } = this.options;
    const owner =
      [...this.owners].find((each) => this.isBeside(each) && isAbout?.(each, seen) !== false) ??
      siblingOf?.(this.current, seen);
    if (owner !== undefined) {
      const { current: reduced, reference } = this;
      const isMore = TRADED.some((name) => reduced[name] > reference[name]);
      const isFirst =
        isMore && seen.symptom === owner.symptom && this.options.isFirst?.(owner, reduced) === true;
      const corners = isFirst ? yield* this.corners(reduced, owner.symptom) : [];
      return { kind: 'duplicate', owner, reduced, symptom: seen.symptom, corners };
    }
    const { features, result } = yield* this.bounds(this.current);
    // What needs no more of anything than usual has nothing to exchange.
    const isMore = features.some((each) => 'min' in each && TRADED.some((name) => name === each.dimension));
    if (result.kind !== 'set' || !isMore) return result;
    const datagrams = yield* this.sightAsDatagrams(result.reduced, result.symptom, features);
    return { ...result, corners: [...(yield* this.corners(result.reduced, result.symptom)), ...datagrams] };
  }

  /** What a point needs of each dimension, with the point at these bounds where they hold in a full run. */
  private *bounds(rich: Point): Course<{ features: Feature[]; result: ExtractionResult<Owner> }> {
    this.current = rich;
    this.isCut = longestMessage(rich) > rich.mtu;
    const counts = NUMBERS.filter((name) => name !== 'queueDepth');
    const lower = yield* together([this.pattern(), ...counts.map((name) => this.least(name))]);
    yield* this.moveTo(lower.flatMap(({ bound }) => bound ?? []));
    // Posts decide how short a queue can be: its bound is found with the shortest of them that are needed.
    lower.push(yield* this.least('queueDepth'));
    yield* this.moveTo(lower.slice(-1).flatMap(({ bound }) => bound ?? []));
    lower.push(...(yield* this.remaining(lower)));
    // Short messages are in one packet whatever the MTU: whether it matters shows with the longest that are possible.
    const upper = [yield* this.most('sizes')];
    yield* this.moveTo(upper.flatMap(({ bound }) => bound ?? []));
    yield* this.takeBack(['mtu']);
    const named = yield* together([...this.names().map((name) => this.choice(name)), this.most('batch')]);
    const edge = this.current;
    yield* this.moveTo(named.flatMap(({ bound }) => bound ?? []));
    const features = merged([...lower, ...upper, ...named].flatMap(({ feature }) => feature ?? []));
    const result = yield* this.verify(features, [this.current, edge]);
    if (result.kind === 'set') return { features, result };
    if (this.length === 'full' || this.options.ownerOf(this.current) !== undefined)
      return { features, result: yield* this.verify(features, [rich]) };
    // Short looks were deceived: these are the bounds of something that passes. Once more, with longer ones.
    this.length = 'full';
    return yield* this.bounds(rich);
  }

  /**
   * Conditions on what two amounts make up for: without the one it shows, and without the other, but not without both. So
   * one of them could not be lowered, and looks needless.
   */
  private *remaining(found: readonly Outcome[]): Course<Outcome[]> {
    const outcomes = [...found];
    const isNamed = (name: string) => outcomes.some(({ feature }) => feature?.dimension === name);
    for (const name of TRADED) {
      if (this.current[name] <= this.reference[name] || isNamed(name)) continue;
      const outcome = yield* this.least(name);
      outcomes.push(outcome);
      yield* this.moveTo(outcome.bound === undefined ? [] : [outcome.bound]);
    }
    if (!isUniform(this.current.sizes) && !isNamed('mix') && !isNamed('sizes')) {
      const outcome = yield* this.pattern();
      outcomes.push(outcome);
      yield* this.moveTo(outcome.bound === undefined ? [] : [outcome.bound]);
    }
    return outcomes.slice(found.length);
  }

  /**
   * How little of one thing is enough where the others are there in plenty: fewest queue pairs, shortest queues, fewest
   * elements, shortest posts, longest messages. Amounts make up for each other, so that each of these may be another corner
   * of the same anomaly.
   */
  private *corners(reduced: Point, symptom: Symptom): Course<Point[]> {
    // Where the depth of queues is what matters, plenty of them are deep; else it may be many short ones or a few deep ones.
    const isDeep = reduced.queueDepth > this.reference.queueDepth;
    const queuesFor = (extreme: (typeof EXTREMES)[number]): readonly Queues[] => {
      if (isDeep || extreme === 'queueDepth') return ['deep'];
      return extreme === 'qps' ? ['many'] : ['many', 'deep'];
    };
    const cornerOf = (...how: Parameters<Corner<Owner>['run']>) =>
      new Corner(reduced, { ...this.options, symptom }).run(...how);
    const isMore = (name: NumberName) => reduced[name] > this.reference[name];
    const points = yield* together([
      ...EXTREMES.flatMap((name) => queuesFor(name).map((queues) => cornerOf(name, queues))),
      // The fewest queue entries of all, where longer posts or more elements make up for them.
      ...(!isDeep && ELEMENTS_AND_POSTS.some(isMore) ? [cornerOf('queueDepth', 'one')] : []),
      // The extremes are far from each other. Between them: deep queues for some of the queue pairs alone,
      ...(isDeep && isMore('qps') && ELEMENTS_AND_POSTS.some(isMore) ? [cornerOf('qps', 'deep alone')] : []),
      // and no deeper ones than what is plenty.
      ...(reduced.queueDepth > PLENTY.queueDepth ? [cornerOf('queueDepth', 'deep', PLENTY.queueDepth)] : []),
    ]);
    const different = new Map(points.flatMap((point) => (point === null ? [] : [[keyOf(point), point]])));
    return [...different.values()];
  }

  /** A set that claims datagrams, which need no connection, is told with them too, if a full run shows it. */
  private *sightAsDatagrams(
    reduced: Point,
    symptom: Symptom,
    features: readonly Feature[],
  ): Course<readonly Point[]> {
    const { space, known, ownerOf } = this.options;
    if (reduced.transport === 'UD') return [];
    const point = repaired({ ...reduced, transport: 'UD', opcode: 'SEND' }, spaceAround(reduced, space));
    if (point === null || !meetsAll(point, features) || ownerOf(point) !== undefined) return [];
    return (yield* confirm(known, point)).symptom === symptom ? [point] : [];
  }

  /**
   * The set with bounds that the search can do without: how little, and how much, of what the anomaly needs no more of
   * than usual. For a verified point.
   */
  *refine(features: readonly Feature[]): Course<Feature[]> {
    const outcomes = yield* together([
      ...COUNTED.filter((name) => !features.some((each) => each.dimension === name && 'min' in each)).map(
        (name) => this.down(name, this.countOf(name)),
      ),
      ...COUNTED.map((name) => this.most(name)),
    ]);
    return merged([...features, ...outcomes.flatMap(({ feature }) => feature ?? [])]);
  }

  /**
   * Moves the point to bounds, all at once or else in halves, as far as it keeps its symptom: another may be another
   * anomaly.
   */
  private *moveTo(bounds: readonly Change[]): Course<void> {
    if (bounds.length === 0) return;
    const point = this.changed(Object.assign({}, ...bounds));
    if (keyOf(point) === keyOf(this.current)) return;
    if (illegality(point, this.options.space) === null && (yield* this.symptomOf(point)) === this.symptom) {
      this.current = point;
      return;
    }
    if (bounds.length === 1) return;
    const half = bounds.length >> 1;
    yield* this.moveTo(bounds.slice(0, half));
    yield* this.moveTo(bounds.slice(half));
  }

  /** Whether the point has all but one of the conditions of a known anomaly: then it is that one, a little wider. */
  private isBeside({ features }: Owner): boolean {
    return features.filter((feature) => !meets(this.current, feature)).length <= 1;
  }

  /** Names to try against others: transport, operation and MTU always, the rest where the point is not mild in them. */
  private names(): ChoiceName[] {
    const rest = CHOICES.filter(
      (name) => !ALWAYS_TRIED.includes(name) && this.current[name] !== this.reference[name],
    );
    return [...ALWAYS_TRIED, ...rest];
  }

  private *choice(name: ChoiceName): Course<Outcome> {
    const { space } = this.options;
    const { values } = space.choices[name];
    const here = this.current[name];
    // UD has SEND alone: whether SEND is needed shows on a transport that has the others.
    const change = (value: string | number): Change => {
      if (name === 'opcode' && this.current.transport === 'UD')
        return { opcode: value as Point['opcode'], transport: 'RC' };
      return value === 'UD' ? { transport: value, ...this.asDatagrams() } : { [name]: value };
    };
    const others = values.filter(
      (value) => value !== here && illegality(this.changed(change(value)), space) === null,
    );
    const isTraffic = name === 'transport' || name === 'opcode';
    const shown = yield* together(
      // What pauses where this one does not, or the other way round, is another one, as with amounts.
      others.map((value) =>
        isTraffic ? this.isSame(change(value)) : this.keepsKind(this.changed(change(value))),
      ),
    );
    const showing = values.filter((value) => value === here || shown[others.indexOf(value)]);
    const bound = { [name]: showing[0] };
    // Where nothing else is possible, as with SEND on UD, another condition says so already. A transport was taken back
    // together with its operation only: alone it may be as good as the mildest. So may an operation, at the bounds.
    if (showing.length === others.length + 1) return isTraffic && others.length > 0 ? { bound } : {};
    const feature = { dimension: name, in: showing };
    // An operation is no milder than others.
    if (name === 'opcode') return { feature };
    return { feature, bound: name === 'mtu' ? { mtu: this.worstMtu(showing.map(Number)) } : bound };
  }

  /** What is sent, in messages that datagrams can have: a set that needs no long ones claims these too. */
  private asDatagrams(): Change {
    const { current } = this;
    if (current.opcode !== 'SEND') return {};
    const datagrams = repaired({ ...current, transport: 'UD' }, spaceAround(current, this.options.space));
    return datagrams === null ? {} : { sizes: datagrams.sizes };
  }

  /** Of some MTUs, none of which is milder than others, the one that shows the anomaly most. */
  private worstMtu(mtus: readonly number[]): number {
    const severity = (mtu: number) => {
      const point = this.changed({ mtu });
      const seen = this.options.known.get(trialKey({ point, length: this.length, purpose: 'features' }));
      return seen?.symptom === this.symptom ? severityOf(seen) : 0;
    };
    return mtus.reduce((worst, each) => (severity(each) > severity(worst) ? each : worst));
  }

  /**
   * Whether another kind of traffic, or messages of another length, show the same anomaly: they are anomalous, and need what
   * this one needs. What stays anomalous without it has an anomaly of its own.
   */
  private *isSame(change: Change): Course<boolean> {
    if (!(yield* this.isAnomalous(change))) return false;
    const { length } = this;
    const { space, known, ownerOf } = this.options;
    const point = this.changed(change);
    const needed = (Object.keys(UNITS) as Unit[]).filter(
      (unit) =>
        unit !== 'traffic' &&
        !UNITS[unit].some((name) => name in change) &&
        UNITS[unit].some((name) => String(this.current[name]) !== String(this.reference[name])),
    );
    const differs = (each: Point | null) => each !== null && keyOf(each) !== keyOf(point);
    // What takes nothing back says nothing: of datagrams, MTUs that none of them reaches.
    const isEffective = (unit: Unit) => differs(takenBack(point, [unit], this.reference, space));
    const without = ('transport' in change ? needed.filter(isEffective) : needed)
      .slice(0, MOST_WITHOUT)
      .flatMap((unit) => takenBack(point, [unit], this.reference, space) ?? [])
      .filter(differs);
    const shown = yield* together(
      without.map(function* (each): Course<boolean> {
        if (ownerOf(each) !== undefined) return true;
        return (yield* measure(known, { point: each, length, purpose: 'features' })).symptom !== null;
      }),
    );
    return !shown.includes(true);
  }

  private *pattern(): Course<Outcome> {
    const { sizes, layout } = this.current;
    if (isUniform(sizes)) return yield* this.least('sizes');
    const [least, most] = [Math.min(...sizes), Math.max(...sizes)];
    // One of the sizes may be enough; else short and long messages are needed together: how short and how long.
    for (const size of [most, least]) {
      if ((yield* this.symptomOf(this.changed({ sizes: [size] }))) !== this.symptom) continue;
      const outcome = yield* this.least('sizes', size);
      return { feature: outcome.feature, bound: outcome.bound ?? { sizes: [size] } };
    }
    const { ladder } = this.options.space.sizes;
    const middle = Math.sqrt(most) * Math.sqrt(least);
    const shorter = ladder.filter((rung) => rung > least && rung <= middle);
    const longer = ladder.filter((rung) => rung < most && rung > middle).reverse();
    const [shortMax, longMin] = yield* together([
      this.farthest(shorter, least, (limit) => ({
        sizes: sizes.map((size) => (size <= middle ? limit : size)),
      })),
      this.farthest(longer, most, (limit) => ({
        sizes: sizes.map((size) => (size > middle ? limit : size)),
      })),
    ]);
    const within = layout === 'list' ? { of: 'elements' as const } : {};
    return { feature: { dimension: 'mix', shortMax, longMin, ...within } };
  }

  /** How little of a number is enough. */
  private *least(name: NumberName | 'sizes', from = this.countOf(name)): Course<Outcome> {
    // Where the usual value is enough nobody minds less, but short messages are as usual as long ones, and with deep
    // queues few queue pairs may be another anomaly.
    const isDeep = name === 'qps' && this.current.queueDepth !== this.reference.queueDepth;
    if (from === this.usual(name) && name !== 'sizes' && !isDeep) return {};
    return yield* this.down(name, from);
  }

  private *down(name: NumberName | 'sizes', from: number): Course<Outcome> {
    const below = this.legalRungs(name)
      .filter((rung) => rung < from)
      .reverse();
    if (below.length === 0) return {};
    const shows = (rung: number) => this.isAnomalous(changeOf(name, rung));
    // An amount beyond the usual was lowered before: hardly anything less will do.
    const first = below[0];
    const isLow = name !== 'sizes' && from > this.usual(name);
    if (isLow && !(yield* shows(first)))
      return { feature: { dimension: name, min: from }, bound: changeOf(name, from) };
    const least = yield* this.farthestOf(isLow ? below.slice(1) : below, isLow ? first : from, shows);
    const bound = changeOf(name, Math.min(from, Math.max(least, this.usual(name))));
    if (least === below[below.length - 1]) return { bound };
    return { feature: { dimension: name, min: least }, bound };
  }

  /** How much of a number is too much. */
  private *most(name: NumberName | 'sizes'): Course<Outcome> {
    if (name === 'sizes' && !isUniform(this.current.sizes)) return {};
    const value = this.countOf(name);
    const above = this.legalRungs(name).filter((rung) => rung > value);
    const steps = name === 'sizes' ? Number.POSITIVE_INFINITY : ROUGHLY;
    const given = (rung: number): Change => changeOf(name, rung);
    const atUsualMtu = (rung: number): Change => ({ ...given(rung), mtu: this.reference.mtu });
    const isOpen = name === 'sizes' && !this.isCut;
    const longest = isOpen ? yield* this.farthest(above, value, atUsualMtu) : 0;
    // Longer ones may show it in more packets: then it is the MTU that matters.
    const cut = isOpen ? yield* this.longestCut(above, Math.max(longest, this.current.mtu)) : null;
    const isUsual = cut === null && longest > this.current.mtu;
    const change = cut?.change ?? (isUsual ? atUsualMtu : given);
    // What is in many packets already, and needs them, may become about these alone.
    const shows = (rung: number) =>
      name === 'batch'
        ? this.keepsKind(this.changed(given(rung)))
        : name === 'sizes' && this.current.mtu !== this.reference.mtu
          ? this.isSame(given(rung))
          : this.isAnomalous(given(rung));
    const most = cut?.longest ?? (isUsual ? longest : yield* this.farthestOf(above, value, shows, steps));
    // As near to the usual value as it gets.
    const within = above.filter((rung) => rung <= most && rung <= this.usual(name));
    const bound = change(within[within.length - 1] ?? value);
    if (above.length === 0 || most === above[above.length - 1]) return { bound };
    return { feature: { dimension: name, max: most }, bound };
  }

  /** The longest messages beyond a length that show the same anomaly at the smallest MTU; null where there are none. */
  private *longestCut(
    rungs: readonly number[],
    beyond: number,
  ): Course<{ longest: number; change: (rung: number) => Change } | null> {
    const mtu = Math.min(...this.options.space.choices.mtu.values.map(Number));
    const change = (rung: number): Change => ({ sizes: [rung], mtu });
    const shows = function* (this: Extraction<Owner>, rung: number): Course<boolean> {
      const point = this.changed(change(rung));
      return (yield* this.keepsKind(point)) && this.isKin(point) && (yield* this.isSame(change(rung)));
    }.bind(this);
    const [next, ...longer] = rungs.filter((rung) => rung > beyond);
    if (next === undefined || !(yield* shows(next))) return null;
    return { longest: yield* this.farthestOf(longer, next, shows), change };
  }

  /** The rungs of a ladder that are legal here, without those that are drawn seldom unless the point has them. */
  private legalRungs(name: NumberName | 'sizes'): number[] {
    const space = spaceAround(this.current, this.options.space);
    const usualMax = name === 'sizes' ? Number.POSITIVE_INFINITY : space.numbers[name].usualMax;
    return ladderOf(space, name).filter(
      (rung) =>
        rung <= Math.max(usualMax, this.countOf(name)) &&
        illegality(this.changed(changeOf(name, rung)), space) === null,
    );
  }

  private countOf(name: NumberName | 'sizes'): number {
    return name === 'sizes' ? this.current.sizes[0] : this.current[name];
  }

  private usual(name: NumberName | 'sizes'): number {
    return name === 'sizes' ? this.reference.sizes[0] : this.reference[name];
  }

  /** The farthest of the rungs, near to far, that still shows the anomaly: most dimensions are not needed. */
  private *farthest(
    rungs: readonly number[],
    start: number,
    change: (rung: number) => Change,
    steps = Number.POSITIVE_INFINITY,
  ): Course<number> {
    return yield* this.farthestOf(rungs, start, (rung) => this.isAnomalous(change(rung)), steps);
  }

  /** The mildest of these points that shows an anomaly for good. */
  private *verify(features: Feature[], points: readonly Point[]): Course<ExtractionResult<Owner>> {
    const { space, known, ownerOf } = this.options;
    for (const reduced of points) {
      if (illegality(reduced, space) !== null || ownerOf(reduced) !== undefined) continue;
      const seen = yield* confirm(known, reduced);
      if (seen.symptom !== null)
        return { kind: 'set', features, reduced, symptom: seen.symptom, seen, corners: [] };
    }
    return { kind: 'nothing' };
  }
}

function changeOf(name: NumberName | 'sizes', value: number): Change {
  return name === 'sizes' ? { sizes: [value] } : { [name]: value };
}

function ladderOf(space: Space, name: NumberName | 'sizes'): readonly number[] {
  return name === 'sizes' ? space.sizes.ladder : space.numbers[name].ladder;
}

/** Lower and upper bounds of a number as one condition. */
function merged(features: readonly Feature[]): Feature[] {
  const result: Feature[] = [];
  for (const feature of features) {
    const index = result.findIndex(({ dimension }) => dimension === feature.dimension);
    if (index < 0) result.push(feature);
    else result[index] = { ...result[index], ...feature } as Feature;
  }
  return result;
}
