import type { Point } from '../space/point.js';
import { DEEP_QUEUE, referencePoint } from '../space/reference.js';
import { type NumberName, OPERATIONS, repaired, type Space } from '../space/space.js';

/** Amounts that make up for each other, each with what is plenty of it and still cheap to set up. */
export const PLENTY = { qps: 256, batch: 64, queueDepth: DEEP_QUEUE, sge: 4 } as const satisfies Partial<
  Record<NumberName, number>
>;
/** Lengths that travel differently: within a packet, as a few packets of the smallest MTU, as many. */
export const LENGTHS = [128, 4096, 65536];

/**
 * The same workload with every other kind of traffic: what one stumbles over another often does, if not in the same way.
 * UC is RC without acknowledgements, so that RC is enough.
 */
export function otherTraffic(point: Point, space: Space): Point[] {
  return (['RC', 'UD'] as const).flatMap((transport) =>
    OPERATIONS[transport].flatMap((opcode) => legal({ ...point, transport, opcode }, space)),
  );
}

/** The same workload with messages of other lengths, in as many packets as the space allows. */
export function otherLengths(point: Point, space: Space): Point[] {
  const mtu = Math.min(...space.choices.mtu.values.map(Number));
  return LENGTHS.flatMap((length) => legal({ ...point, sizes: [length], mtu }, space));
}

/**
 * Half of an amount that an anomaly needs, and plenty of another: where amounts make up for each other the same fault, or
 * another one, shows there.
 */
export function exchanged(point: Point, space: Space): Point[] {
  const reference = referencePoint(space);
  const names = Object.keys(PLENTY) as (keyof typeof PLENTY)[];
  const needed = names.filter((name) => point[name] > reference[name]);
  return needed.flatMap((name) =>
    names
      .filter((other) => other !== name && point[other] < PLENTY[other])
      .flatMap((other) =>
        legal({ ...point, [other]: PLENTY[other], [name]: Math.max(1, point[name] >> 1) }, space),
      ),
  );
}

/** The point within the bounds of the space, or nothing where it has no such traffic. */
export function legal(point: Point, space: Space): Point[] {
  const { choices, numbers } = space;
  if (!choices.transport.values.includes(point.transport)) return [];
  if (!choices.opcode.values.includes(point.opcode)) return [];
  const most = (name: NumberName) => numbers[name].ladder[numbers[name].ladder.length - 1];
  const { qps, queueDepth, batch, sge } = point;
  const within = {
    ...point,
    qps: Math.min(qps, most('qps')),
    queueDepth: Math.min(queueDepth, most('queueDepth')),
    batch: Math.min(batch, most('batch')),
    sge: Math.min(sge, most('sge')),
  };
  const result = repaired(within, space);
  return result === null ? [] : [result];
}
