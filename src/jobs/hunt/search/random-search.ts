import type { Random } from '../../../engine/index.js';
import { type Course, measure } from '../experiments/trial.js';
import type { HuntState } from '../hunt-state.js';

/** Random input: one point after another, none of them guided (the baseline of Collie §7.2). */
export function* drawAtRandom(state: HuntState, random: Random): Course<void> {
  for (;;) {
    const point = state.freshPoint(random);
    if (point === null) return;
    const observation = yield* measure(state.known, { point, length: 'short', purpose: 'search' });
    yield* state.examine(point, observation);
  }
}
