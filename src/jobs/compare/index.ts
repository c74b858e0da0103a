/**
 * One workload or sweep over several subsystems, devices or settings side by side. Runs in a browser; who has threads
 * passes a pool in.
 *
 * @example
 * import { compare } from 'kelpie/compare';
 *
 * const { points } = await compare({
 *   variants: [
 *     { name: 'as shipped', on: 'srnic' },
 *     { name: 'small cache', on: 'srnic', changes: { 'device.contextCacheEntries': 64 } },
 *   ],
 *   workload: { opcode: 'SEND', sizes: [512], mtu: 1024, threads: 4, measure: { maxNs: 500_000 } },
 *   sweep: { parameter: 'qps', values: [4, 256] },
 * });
 * const [, shipped = 0, , small = 0] = points.map(({ readings }) => readings?.goodputGbps ?? 0);
 * console.log(points.length, shipped > small); // 4 true
 *
 * @module
 */
export {
  CHANGES_IN_WORDS,
  type ChangedSubsystem,
  type Changes,
  changeSubsystem,
  isChange,
  lossesOf,
} from './change.js';
export {
  type CompareKind,
  type CompareOptions,
  type ComparePoint,
  type CompareRequest,
  type Comparison,
  compare,
  requireComparable,
  type Variant,
} from './compare.js';
export { type FatTree, fabricNics, runFatTree } from './fat-tree.js';
export {
  asComparison,
  type Grid,
  type GridOptions,
  type GridPoint,
  type GridRequest,
  planGrid,
  sweep,
} from './grid.js';
export { type ComparePreset, comparePresets } from './presets.js';
export { parseSweep, type Sweep } from './sweep.js';
export { type CompareAnswer, type CompareTask, type Readings, runCompareTask } from './task.js';
export { withField } from './workload-field.js';
