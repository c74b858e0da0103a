import type { Symptom } from '../observation.js';
import type { Point } from '../space/point.js';
import type { Space } from '../space/space.js';
import {
  cornerAt,
  exactFeatures,
  type Feature,
  isSameSet,
  meets,
  meetsAll,
  nearlyMeetsAll,
} from './feature.js';

/** An anomaly as the search knows it. */
export interface Find {
  symptom: Symptom;
  features: readonly Feature[];
  /** Other sights of it, with less of one thing and more of another. */
  corners: Corner[];
  /** The mildest workload known to show it. */
  point: Point;
  /** Whether the set was found and the point verified by a full run; else the search ended before. */
  complete: boolean;
  /** Number of the experiment that showed it first. */
  experiment: number;
  /** How often it was found. */
  times: number;
  /** The counters that tell what it is about. */
  moved: readonly string[];
}

/** An anomaly that another hunt has found, as plain data: this one need not look there again. */
export type KnownSet = Pick<Find, 'symptom' | 'features' | 'point' | 'moved'> & {
  /** The conditions of its other sights. */
  readonly corners: readonly (readonly Feature[])[];
};

/** What a hunt has found, as another one takes it: whole sets alone. */
export function knownSetsOf(finds: readonly Find[]): KnownSet[] {
  return finds
    .filter(({ complete }) => complete)
    .map(({ symptom, features, point, moved, corners }) => ({
      ...{ symptom, features, point, moved },
      corners: corners.filter(({ verified }) => verified).map((corner) => corner.features),
    }));
}

/** Another sight of an anomaly: a point without what it does not need, and the set from there on. */
export interface Corner {
  /** Whether a full run of the point showed the anomaly's symptom. */
  verified: boolean;
  features: readonly Feature[];
  point: Point;
  /** Number of the experiment that showed it first. */
  experiment: number;
}

/** An anomalous point of the search. */
export interface Suspect {
  point: Point;
  symptom: Symptom;
  /** Number of the experiment that showed it. */
  experiment: number;
  /** The counters that tell what it is about. */
  moved: readonly string[];
}

/** What makes two workloads of one kind. */
const KIND = ['direction', 'transport', 'opcode', 'memoryA', 'memoryB'] as const;

/** The anomalies that a search has found, and to which of them a point belongs. */
export class KnownFinds {
  readonly all: Find[];
  private readonly space: Space;
  /** Those that other hunts found come first. */
  private readonly given: number;

  constructor(space: Space, given: readonly KnownSet[] = []) {
    this.space = space;
    this.given = given.length;
    this.all = given.map(({ corners, ...set }) => ({
      ...set,
      ...{ complete: true, experiment: 0, times: 0 },
      corners: corners.map((features) => ({ verified: true, features, point: set.point, experiment: 0 })),
    }));
  }

  /** Those that this hunt found itself. */
  get own(): readonly Find[] {
    return this.all.slice(this.given);
  }

  /** Those with sets. */
  get complete(): Find[] {
    return this.all.filter(({ complete }) => complete);
  }

  /** Two finds with the same set are one anomaly; the earlier one stays, and is given. */
  add(find: Find): Find {
    const twin = this.all.find(
      (each) => each.symptom === find.symptom && isSameSet(each.features, find.features, this.space),
    );
    if (twin === undefined) this.all.push(find);
    else twin.times++;
    return twin ?? find;
  }

  /** A find without a set is its point. */
  addRaw(suspect: Suspect): void {
    this.all.push(this.incomplete(suspect));
  }

  /** Another sight of a known anomaly, with the symptom that a full run showed there. */
  addCorner(owner: Find, point: Point, symptom: Symptom | null, experiment: number): void {
    const features = cornerAt(point, owner.features, owner.point);
    owner.corners.push({ verified: symptom === owner.symptom, features, point, experiment });
  }

  /** Whether no sight of an anomaly has a point's kind of traffic, direction and places. */
  isFirst({ point, corners }: Find, reduced: Point): boolean {
    const isSame = (other: Point) => KIND.every((name) => other[name] === reduced[name]);
    return !isSame(point) && !corners.some((corner) => isSame(corner.point));
  }

  /** A suspect whose set nobody has found. */
  incomplete({ point, symptom, experiment, moved }: Suspect): Find {
    const features = exactFeatures(point, this.space);
    return { symptom, features, point, corners: [], complete: false, experiment, times: 1, moved };
  }

  /** The anomaly within whose set a point is. */
  ownerOf(point: Point): Find | undefined {
    return this.findBySet((features) => meetsAll(point, features));
  }

  /** The anomaly within whose set a point is, or a step of a ladder beside it. */
  nearestOf(point: Point): Find | undefined {
    return this.findBySet((features) => nearlyMeetsAll(point, features, this.space));
  }

  private findBySet(isMet: (features: readonly Feature[]) => boolean): Find | undefined {
    return this.all.find(
      ({ features, corners, complete }) =>
        complete && (isMet(features) || corners.some((corner) => isMet(corner.features))),
    );
  }

  /** Whether an anomalous point is another sight of a known anomaly, which then counts it. */
  isSight(point: Point): boolean {
    const find = this.nearestOf(point);
    if (find === undefined) return false;
    find.times++;
    return true;
  }

  /** The known anomalies with the same symptom and telling counters, all of whose names the point has. */
  likes(suspect: Suspect): Find[] {
    return this.all.filter((find) => isLike(suspect, find));
  }

  /** How many conditions of an anomaly that it resembles a suspect fails, of the one where these are fewest. */
  failedConditions(suspect: Suspect): number {
    const fails = (features: readonly Feature[]) =>
      features.filter((feature) => !meets(suspect.point, feature)).length;
    const sets = this.likes(suspect).flatMap(({ features, corners }) => [
      features,
      ...corners.map((each) => each.features),
    ]);
    return Math.min(...sets.map(fails));
  }

  /**
   * The known anomaly that a reduced point is another corner of: the same symptom, kind of traffic, direction and places,
   * and the same telling counters. Only amounts differ, which make up for each other.
   */
  siblingOf({ point, symptom, moved }: Omit<Suspect, 'experiment'>): Find | undefined {
    return this.all.find(
      (find) =>
        find.complete &&
        find.symptom === symptom &&
        KIND.every((name) => find.point[name] === point[name]) &&
        isSubset(moved, find.moved) &&
        isSubset(find.moved, moved),
    );
  }
}

function isLike({ point, symptom, moved }: Suspect, find: Find): boolean {
  return (
    find.complete &&
    find.symptom === symptom &&
    find.features.every((feature) => !('in' in feature) || meets(point, feature)) &&
    isSubset(moved, find.moved)
  );
}

export function isSubset(one: readonly string[], other: readonly string[]): boolean {
  return one.every((name) => other.includes(name));
}
