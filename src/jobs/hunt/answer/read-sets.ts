import { z } from 'zod';
import { CHOICES, NUMBERS } from '../space/space.js';
import type { Anomaly, HuntAnswer } from './answer.js';

const feature = z.union([
  z.looseObject({ dimension: z.literal([...CHOICES]), in: z.array(z.union([z.string(), z.number()])) }),
  z.looseObject({ dimension: z.literal('mix'), shortMax: z.number(), longMin: z.number() }),
  z.looseObject({
    dimension: z.literal([...NUMBERS, 'sizes']),
    min: z.number().optional(),
    max: z.number().optional(),
  }),
]);
const set = z.array(feature);
const anomaly = z.looseObject({
  complete: z.boolean(),
  symptom: z.string(),
  severity: z.number(),
  why: z.string(),
  set,
  matches: z.array(z.string()),
  advice: z.array(
    z.looseObject({ text: z.string(), dimension: z.string(), change: z.record(z.string(), z.unknown()) }),
  ),
  corners: z.array(z.looseObject({ set })).optional(),
});
const answer = z.looseObject({
  format: z.literal('kelpie-hunt/1'),
  subsystem: z.string(),
  anomalies: z.array(anomaly),
});

/**
 * The anomalies of an answer that came from outside, those that were reduced; else where it is not what a hunt says, such as
 * `anomalies[0].set`. An answer of an earlier version has all that is looked at.
 *
 * @example
 * const sets = readSets(JSON.parse(text));
 */
export function readSets(value: unknown): { subsystem: string; anomalies: Anomaly[] } | { wrongAt: string } {
  const read = answer.safeParse(value);
  if (!read.success) return { wrongAt: z.core.toDotPath(read.error.issues[0].path) };
  const { subsystem, anomalies } = read.data as unknown as HuntAnswer;
  return { subsystem, anomalies: anomalies.filter(({ complete }) => complete) };
}
