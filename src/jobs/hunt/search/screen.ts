import { keyOf, type Point } from '../space/point.js';
import { DEEP_QUEUE, referencePoint } from '../space/reference.js';
import { mostQueues, OPERATIONS, type Space, usualSpace } from '../space/space.js';
import { LENGTHS, legal, PLENTY } from './relatives.js';

/** Short messages beside long ones. */
const MIX = [LENGTHS[LENGTHS.length - 1], LENGTHS[0]];

/**
 * The ends of a space, as a factorial design has them: every kind of traffic, one way and both ways, with single and with
 * long posts, in many queues and in deep ones, of every kind of length, with several elements and in as many packets as
 * possible. What needs much of several things at a time shows there, and seldom where each is drawn by itself; what of it
 * is not needed is for the reduction to tell. Loopback is traffic one way beside other traffic.
 */
export function screenOf(space: Space): Point[] {
  const reference = referencePoint(space);
  const usual = usualSpace(space);
  const mtu = Math.min(...space.choices.mtu.values.map(Number));
  const points: Point[] = [];
  for (const transport of ['RC', 'UD'] as const)
    for (const opcode of OPERATIONS[transport])
      for (const direction of ['uni', 'bi'] as const)
        for (const batch of [1, PLENTY.batch])
          for (const queueDepth of [Math.max(reference.queueDepth, 2 * batch), DEEP_QUEUE])
            for (const sizes of [...LENGTHS.map((length) => [length]), MIX]) {
              const point = { ...reference, transport, opcode, direction, batch, queueDepth, sizes, mtu };
              const qps = mostQueues(point, usual);
              points.push(...legal({ ...point, sge: PLENTY.sge, qps }, usual));
            }
  return [...new Map(points.map((point) => [keyOf(point), point])).values()];
}
