import { keyOf, type Point } from '../space/point.js';
import { DEEP_QUEUE, referencePoint } from '../space/reference.js';
import { mostQueues, OPERATIONS, type Space, usualSpace } from '../space/space.js';
import { LENGTHS, legal, PLENTY } from './relatives.js';

/** Short messages beside long ones. */
const MIX = [LENGTHS[LENGTHS.length - 1], LENGTHS[0]];

/** Regions of a queue pair where there are many of them. */
const MANY_REGIONS = 1024;

/**
 * The ends of a space, as a factorial design has them: every kind of traffic, one way and both ways, with single and with
 * long posts, in many queues, in deep ones or in many regions, of every kind of length, with several elements and in as
 * many packets as possible. What needs much of several things at a time shows there, and seldom where each is drawn by
 * itself; what of it is not needed is for the reduction to tell. Loopback is traffic one way beside other traffic. And a
 * mild workload with the memory of each host in each other place.
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
          for (const sizes of [...LENGTHS.map((length) => [length]), MIX]) {
            const queueDepth = Math.max(reference.queueDepth, 2 * batch);
            const point = { ...reference, transport, opcode, direction, batch, queueDepth, sizes, mtu };
            const deep = { ...point, queueDepth: DEEP_QUEUE };
            const ends = [
              { ...point, qps: mostQueues(point, usual) },
              { ...deep, qps: mostQueues(deep, usual) },
              { ...point, mrs: MANY_REGIONS },
            ];
            points.push(...ends.flatMap((end) => legal({ ...end, sge: PLENTY.sge }, usual)));
          }
  for (const host of ['memoryA', 'memoryB'] as const)
    for (const place of space.choices[host].values.map(String))
      for (const direction of ['uni', 'bi'] as const)
        if (place !== reference[host])
          points.push(...legal({ ...reference, direction, [host]: place }, usual));
  return [...new Map(points.map((point) => [keyOf(point), point])).values()];
}
