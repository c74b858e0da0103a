import { availableParallelism } from 'node:os';
import { numberFlag } from './flag-value.js';
import type { KeyOf } from './option.js';

const MAX_WORKERS = 256;

/** As many threads as the flag says, or as there are processors. */
export function workersFlag<
  const Flag extends string,
  Options extends { readonly [Key in KeyOf<Flag>]?: unknown },
>(options: Options, flag: Flag): number {
  return numberFlag(options, flag, { min: 1, max: MAX_WORKERS }) ?? availableParallelism();
}
