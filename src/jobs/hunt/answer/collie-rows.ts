import type { Symptom } from '../observation.js';
import type { Feature } from '../reduce/feature.js';
import { type DimensionName, type Point, totalRegions } from '../space/point.js';
import type { ChoiceName } from '../space/space.js';

/** A row of Collie's Table 2 with the conditions that a reduced point must meet to be it. */
export interface CollieRow {
  id: string;
  /** The subsystem that it was found on. */
  on: 'F' | 'H';
  symptom: Symptom;
  /** What the vendors had done about it by the time of the paper (appendix A). */
  fixed: boolean;
  conditions: readonly Condition[];
  /** Dimensions that the set must name, one of them at least: without them the point meets the conditions by accident. */
  named: readonly (DimensionName | 'mix')[];
}

/** A condition on the reduced point and its set, with its words. */
interface Condition {
  text: string;
  holds: (point: Point, features: readonly Feature[]) => boolean;
}

/** What a find is held against. */
export interface Matchable {
  symptom: Symptom;
  features: readonly Feature[];
  point: Point;
  complete: boolean;
}

const condition = (text: string, holds: Condition['holds']): Condition => ({ text, holds });
const traffic = (transport: Point['transport'], opcode: Point['opcode']) =>
  condition(`${transport} ${opcode}`, (point) => point.transport === transport && point.opcode === opcode);
const transport = (value: Point['transport']) => condition(value, (point) => point.transport === value);
const direction = (value: Point['direction']) => condition(value, (point) => point.direction === value);
const mtu = (value: number) => condition(`MTU ${value}`, (point) => point.mtu === value);
const sizes = (text: string, least: number, most: number) =>
  condition(text, (point) => point.sizes.every((size) => size >= least && size <= most));
const mix = condition(
  'mix of <= 1 KB and >= 64 KB',
  ({ sizes: pattern }) => pattern.some((size) => size <= 1024) && pattern.some((size) => size >= 65536),
);
type Count = 'qps' | 'batch' | 'queueDepth' | 'sge';
const above = (name: Count, clean: number) => condition(`${name} > ${clean}`, (point) => point[name] > clean);
const atMost = (name: Count, most: number) => condition(`${name} <= ${most}`, (point) => point[name] <= most);
const isGpu = (place: string) => place.startsWith('gpu');
/** The point has the mildest value, or the set says that it would do as well. */
const needless = (name: ChoiceName, mild: readonly string[]): Condition['holds'] => {
  return (point, features) => {
    if (mild.includes(String(point[name]))) return true;
    const needed = features.find(({ dimension }) => dimension === name);
    return needed === undefined || ('in' in needed && needed.in.some((each) => mild.includes(String(each))));
  };
};
const eitherWay = condition('either direction', needless('direction', ['uni']));
const places = [needless('memoryA', ['', 'memory0']), needless('memoryB', ['', 'memory0'])];
const usual = condition('local memory', (point, features) => places.every((place) => place(point, features)));

/** The triggers of the rows that say nothing of posts have 8 or 16: a set that needs more is about the posts. */
const usualPosts = atMost('batch', 16);

/**
 * Table 2 by the numbers of appendix A (the table exchanges #7 and #8). A bound is met beyond the setting that the
 * appendix's trigger is known to be clean at: the edge itself lies somewhere between the two. A row that says nothing of
 * direction and memory is met where the set needs neither.
 */
export const collieRows: readonly CollieRow[] = [
  row(
    'C1',
    'F',
    'pause',
    false,
    ['batch', 'queueDepth'],
    [...[traffic('UD', 'SEND'), above('batch', 8), above('queueDepth', 64), eitherWay, usual]],
  ),
  row(
    'C2',
    'F',
    'throughput',
    false,
    ['queueDepth'],
    [
      ...[traffic('UD', 'SEND'), atMost('batch', 32), above('queueDepth', 128), above('qps', 4)],
      ...[sizes('<= 1 KB', 0, 1024), eitherWay, usual],
    ],
  ),
  row(
    'C3',
    'F',
    'pause',
    true,
    ['mtu'],
    [
      ...[
        traffic('RC', 'READ'),
        mtu(1024),
        sizes('>= 16 KB', 4097, Number.POSITIVE_INFINITY),
        eitherWay,
        usual,
      ],
    ],
  ),
  row(
    'C4',
    'F',
    'pause',
    false,
    ['batch', 'sge', 'qps'],
    [
      ...[
        direction('bi'),
        traffic('RC', 'READ'),
        above('batch', 8),
        above('sge', 1),
        above('qps', 20),
        usual,
      ],
    ],
  ),
  row(
    'C5',
    'F',
    'pause',
    false,
    ['batch', 'queueDepth'],
    [
      ...[traffic('RC', 'SEND'), mtu(1024), above('batch', 8), above('queueDepth', 128)],
      ...[sizes('2 to 8 KB', 1025, 16383), eitherWay, usual],
    ],
  ),
  row(
    'C6',
    'F',
    'throughput',
    false,
    ['queueDepth', 'sge'],
    [
      ...[traffic('RC', 'SEND'), mtu(1024), atMost('batch', 32), above('sge', 1), above('queueDepth', 128)],
      ...[above('qps', 8), sizes('<= 1 KB', 0, 1024), eitherWay, usual],
    ],
  ),
  row(
    'C7',
    'F',
    'throughput',
    false,
    ['qps'],
    [
      ...[traffic('RC', 'WRITE'), atMost('batch', 15), above('qps', 64), sizes('<= 1 KB', 0, 4095)],
      ...[eitherWay, usual],
    ],
  ),
  row(
    'C8',
    'F',
    'throughput',
    false,
    ['mrs'],
    [
      ...[traffic('RC', 'WRITE'), atMost('batch', 15), sizes('<= 1 KB', 0, 4095), eitherWay, usual],
      condition('> 1536 regions', (point) => totalRegions(point) > 24 * 64),
    ],
  ),
  row('C9', 'F', 'pause', true, ['mix', 'sge'], [direction('bi'), above('sge', 1), mix, usual]),
  row(
    'C10',
    'F',
    'pause',
    false,
    ['mix', 'batch', 'qps'],
    [...[direction('bi'), traffic('RC', 'WRITE'), above('batch', 8), above('qps', 64), mix, usual]],
  ),
  row(
    'C11',
    'F',
    'pause',
    true,
    ['memoryA', 'memoryB'],
    [
      direction('bi'),
      condition('memory of the other socket', ({ memoryA, memoryB }) =>
        [memoryA, memoryB].some((place) => place !== 'memory0' && !isGpu(place) && place !== ''),
      ),
      usualPosts,
    ],
  ),
  row(
    'C12',
    'F',
    'pause',
    true,
    ['memoryA', 'memoryB'],
    [condition('GPU memory', ({ memoryA, memoryB }) => isGpu(memoryA) || isGpu(memoryB)), usualPosts],
  ),
  row('C13', 'F', 'pause', false, ['direction'], [direction('loopback'), usual, usualPosts]),
  row(
    'C14',
    'H',
    'throughput',
    false,
    ['qps', 'mtu'],
    [...[direction('bi'), transport('RC'), mtu(4096), above('sge', 1), above('qps', 256), usual]],
  ),
  row(
    'C15',
    'H',
    'pause',
    false,
    ['queueDepth', 'qps'],
    [...[traffic('UD', 'SEND'), above('queueDepth', 16), above('qps', 4), eitherWay, usual]],
  ),
  row(
    'C16',
    'H',
    'pause',
    false,
    ['qps', 'mtu'],
    [...[traffic('RC', 'READ'), mtu(1024), above('qps', 64), eitherWay, usual]],
  ),
  row(
    'C17',
    'H',
    'pause',
    true,
    ['queueDepth', 'qps'],
    [
      ...[traffic('RC', 'SEND'), atMost('batch', 16), above('queueDepth', 32), above('qps', 16)],
      ...[sizes('<= 1 KB', 0, 1024), eitherWay, usual],
    ],
  ),
  row(
    'C18',
    'H',
    'pause',
    true,
    ['batch'],
    [
      ...[direction('bi'), transport('RC'), mtu(1024), above('batch', 8), above('qps', 8)],
      ...[sizes('<= 64 KB', 0, 65536), usual],
    ],
  ),
];

function row(
  id: string,
  on: CollieRow['on'],
  symptom: Symptom,
  fixed: boolean,
  named: CollieRow['named'],
  conditions: readonly Condition[],
): CollieRow {
  return { id, on, symptom, fixed, conditions, named };
}

/**
 * The rows of Table 2 that a find is: the row with most conditions among those whose symptom it has, whose conditions its
 * reduced point meets and whose dimensions its set names. None, or one.
 *
 * @example
 * matchRows(find, 'F'); // ['C5']
 */
export function matchRows(find: Matchable, on: CollieRow['on']): string[] {
  const fitting = collieRows.filter((each) => each.on === on && isRow(find, each));
  if (fitting.length === 0) return [];
  return [fitting.reduce((best, each) => (each.conditions.length > best.conditions.length ? each : best)).id];
}

function isRow({ symptom, features, point, complete }: Matchable, each: CollieRow): boolean {
  if (symptom !== each.symptom || !each.conditions.every(({ holds }) => holds(point, features))) return false;
  // No row is about an upper bound of an amount.
  const names = features.filter((feature) => !isCeiling(feature)).map(({ dimension }) => dimension as string);
  return !complete || each.named.some((name) => names.includes(name));
}

function isCeiling(feature: Feature): boolean {
  return 'max' in feature && feature.max !== undefined && feature.min === undefined;
}

/** The column of Table 2 that a subsystem belongs to, by its name; null where it is no subsystem of Collie's. */
export function tableColumn(subsystem: string): CollieRow['on'] | null {
  if (/^collie-[efg](-|$)/.test(subsystem)) return 'F';
  return /^collie-h(-|$)/.test(subsystem) ? 'H' : null;
}
