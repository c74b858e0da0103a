import type { Subsystem } from '../../profiles/index.js';
import type { Budget, HuntPlan } from './run-plan.js';
import { collieSpace, limitedSpace, type Space } from './space/space.js';

/** All that programs can ask of a subsystem: its memories and GPUs, and what its device has room for. */
export function spaceOf({ host, placement, device: { constants } }: Subsystem): Space {
  const places = host.nodes.filter(({ kind }) => kind === 'memory' || kind === 'gpu').map(({ name }) => name);
  const usualFirst = [placement.memory, ...places.filter((name) => name !== placement.memory)];
  return limitedSpace(collieSpace(usualFirst), {
    sge: constants.maxElements,
    queueDepth: constants.maxWorkRequests,
    // Queue pairs of both directions and regions of both sides have room.
    qps: constants.maxQps / 2,
    regions: constants.maxMrs / 2,
  });
}

/**
 * A hunt for as long as the budget says: Collie's search, guided by all counters, with minimal feature sets. What else
 * is given wins.
 *
 * @example
 * const plan = planFor(subsystem, { kind: 'experiments', amount: 600 }, { seed: 7 });
 */
export function planFor(space: Space | Subsystem, budget: Budget, choices: Partial<HuntPlan> = {}): HuntPlan {
  return {
    seed: 1,
    space: 'choices' in space ? space : spaceOf(space),
    strategy: 'annealing',
    counters: ['diagnostic', 'performance'],
    mfs: true,
    timeScale: 1,
    repairs: {},
    ...choices,
    budget,
  };
}
