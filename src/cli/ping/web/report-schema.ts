import { z } from 'zod';
import { KelpieError } from '../../../error.js';
import type { Plan, RunRecord } from '../../../jobs/ping/index.js';

/** What an agent sends to a collector. */
export interface Report {
  readonly plan: Plan;
  readonly record: RunRecord;
}

/** Bytes of a report: the largest shipped server has 20 kB. */
export const MAX_REPORT_BYTES = 256 * 1024;

const MAX_LINKS = 512;
const MAX_PATHS = 2048;
const name = z.string().min(1).max(64);
const sentence = z.string().max(1000);
const figure = z.number().min(-1e15).max(1e15);
const count = z.int().min(0).max(1e15);
const few = (of: z.ZodType) => z.array(of).max(64);

const PLAN = z.strictObject({
  host: name,
  links: z
    .array(
      z.strictObject({
        name,
        place: z.enum(['rnic', 'gpu', 'root-port', 'switch', 'memory', 'inter-socket']),
        ends: z.tuple([name, name]),
        gbps: figure,
        pcie: z.object({ lanes: count, generation: count }).nullable(),
      }),
    )
    .max(MAX_LINKS),
  rnics: z.array(name).min(1).max(64),
  endpoints: z.array(name).min(1).max(128),
  paths: z
    .array(
      z.strictObject({
        ...{ rnic: name, endpoint: name, endpointKind: z.enum(['memory', 'gpu']) },
        links: z
          .array(
            z
              .int()
              .min(0)
              .max(MAX_LINKS - 1),
          )
          .max(64),
        ...{ throughRoot: z.boolean(), crossesSockets: z.boolean() },
      }),
    )
    .max(MAX_PATHS),
});

const FINDING = z.object({
  links: few(name),
  cause: name,
  causeClass: z.enum([
    'failure',
    'configuration',
    'contention',
    'flapping',
    'device-setting',
    'software',
    'outside',
  ]),
  alternatives: few(name),
  certainty: z.enum(['verified', 'suspected']),
  evidence: few(sentence),
  advice: sentence,
  tellApart: few(sentence),
});

const RECORD = z.strictObject({
  host: name,
  atMs: z.int().min(0).max(8.64e15),
  trigger: z.enum(['start', 'idle', 'alarm']),
  why: sentence,
  paths: z
    .array(
      z
        .strictObject({
          ...{
            gbps: figure.nullable(),
            gbpsDeviation: figure,
            latencyNs: figure.nullable(),
            latencyDeviationNs: figure,
          },
          ...{
            state: z.enum(['normal', 'abnormal', 'failed', 'unjudged']),
            late: z.boolean(),
            why: sentence.optional(),
          },
        })
        .nullable(),
    )
    .max(MAX_PATHS),
  links: z.array(z.enum(['normal', 'abnormal', 'overloaded', 'gray', 'unknown'])).max(MAX_LINKS),
  accusers: z.array(count).max(MAX_LINKS),
  utilisation: z.array(figure.nullable()).max(MAX_LINKS),
  flapping: z.array(name).max(MAX_LINKS),
  findings: few(FINDING),
  unjudged: z.array(sentence).max(MAX_PATHS),
  cost: z.strictObject({ probes: count, bytes: count, busyNs: figure, elapsedNs: figure }),
  settingsHash: name,
  version: name,
  seed: count,
});

const REPORT = z.strictObject({ plan: PLAN, record: RECORD });

/** Reads a report from outside; what is wrong with it is said by field. */
export function parseReport(body: string): Report {
  let given: unknown;
  try {
    given = JSON.parse(body);
  } catch {
    throw refusal('body', 'JSON');
  }
  const { data, error } = REPORT.safeParse(given);
  if (data === undefined) {
    const [issue] = error!.issues;
    throw refusal(issue.path.join('.') || 'body', issue.message);
  }
  const { plan, record } = data as Report;
  const mesh = plan.rnics.flatMap((rnic) => plan.endpoints.map((endpoint) => `${rnic}\n${endpoint}`));
  if (plan.paths.map(({ rnic, endpoint }) => `${rnic}\n${endpoint}`).join('\n\n') !== mesh.join('\n\n'))
    throw refusal('plan.paths', 'a path from every RNIC to every endpoint, in their order');
  if (plan.paths.some(({ links }) => links.some((link) => link >= plan.links.length)))
    throw refusal('plan.paths', 'links of the plan, by their place');
  for (const [field, length] of [
    ['paths', plan.paths.length],
    ['links', plan.links.length],
    ['accusers', plan.links.length],
    ['utilisation', plan.links.length],
  ] as const)
    if (record[field].length !== length)
      throw refusal(`record.${field}`, `${length} entries, as the plan has`);
  return { plan, record };
}

function refusal(field: string, allowed: string): KelpieError {
  return new KelpieError('BAD_REPORT', 'not a report from an agent', { field, allowed });
}
