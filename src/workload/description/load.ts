import { z } from 'zod';
import { KelpieError } from '../../error.js';
import { nearest } from '../../profiles/nearest.js';
import {
  manyTenantsSchema,
  oneTenantSchema,
  queuePairsOf,
  type Tenant,
  type tenantSchema,
  type Workload,
  type WorkloadInput,
  workloadSchema,
} from './description.js';
import { findIllegality } from './legality.js';
import { formatPath, SourceDocument, type SourcePath } from './source-document.js';

/**
 * Reads a workload from YAML or JSON. What is wrong is said with file, line, field, value and what is allowed.
 *
 * @example
 * const workload = parseWorkload('transport: UD\nopcode: SEND\nsizes: [2048]', 'ud.yaml');
 */
export function parseWorkload(text: string, fileName: string): Workload {
  const document = new SourceDocument(text, fileName);
  return resolve(document.value, (path, summary, allowed) =>
    document.error('WORKLOAD_INVALID', summary, path, allowed),
  );
}

/**
 * Completes a workload that a program made.
 *
 * @example
 * const workload = resolveWorkload({ opcode: 'READ', qps: 8, mtu: 1024, sizes: [4194304] });
 */
export function resolveWorkload(input: WorkloadInput): Workload {
  return resolve(
    input,
    (path, summary, allowed) =>
      new KelpieError('WORKLOAD_INVALID', summary, {
        field: formatPath(path),
        given: valueAt(input, path),
        allowed,
      }),
  );
}

/** The published schema of a workload file. */
export function workloadJsonSchema(): object {
  return { title: 'Kelpie workload', ...z.toJSONSchema(workloadSchema, { io: 'input' }) };
}

const SEE_SCHEMA = 'see docs/schema/workload.schema.json';
const KNOWN_FIELDS = [
  ...new Set([...Object.keys(oneTenantSchema.shape), ...Object.keys(manyTenantsSchema.shape)]),
];

type Complain = (path: SourcePath, summary: string, allowed?: string) => KelpieError;

function resolve(value: unknown, complain: Complain): Workload {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw complain([], 'a workload is a mapping of fields', SEE_SCHEMA);
  const many = 'tenants' in value;
  const outcome = (many ? manyTenantsSchema : oneTenantSchema).safeParse(value);
  if (!outcome.success) throw explainIssue(outcome.error.issues[0], complain);
  const { name, description, settings = {}, measure, ...rest } = outcome.data;
  const tenants =
    'tenants' in rest
      ? rest.tenants.map((tenant, index) => complete(tenant, `tenant${index}`))
      : [complete(rest, name)];
  const workload: Workload = {
    name,
    ...(description === undefined ? {} : { description }),
    settings: definedOnly(settings),
    measure,
    tenants,
  };
  const illegality = findIllegality(workload);
  if (illegality !== null) {
    const { path, summary, allowed } = illegality;
    throw complain(many || path[0] !== 'tenants' ? path : path.slice(2), summary, allowed);
  }
  return workload;
}

/** Fills the defaults that depend on other fields. */
function complete(given: z.output<typeof tenantSchema>, defaultName: string): Tenant {
  const senders = given.senders ?? null;
  const qps = given.qps ?? (senders === null ? 1 : queuePairsOf(senders));
  const batch = given.batch;
  return {
    ...given,
    name: given.name ?? defaultName,
    qps,
    receiveQueueDepth: given.receiveQueueDepth ?? given.sendQueueDepth,
    receiveBatch: given.receiveBatch ?? Math.min(batch, given.receiveQueueDepth ?? given.sendQueueDepth),
    receiveSge: given.receiveSge ?? given.sge,
    // Collie's engine asks for a completion with the last WQE of a post alone.
    signalEvery: given.signalEvery ?? batch,
    outstanding: given.outstanding ?? given.sendQueueDepth,
    // The recipe of the simulator's papers: as many cores as QPs, up to 16.
    threads: given.threads ?? Math.max(1, Math.min(qps, 16)),
    senders,
    memory: given.memory ?? null,
    rateLimit: given.rateLimit ?? null,
    stopNs: given.stopNs ?? null,
    iterations: given.iterations ?? null,
  };
}

function explainIssue(issue: z.core.$ZodIssue, complain: Complain): KelpieError {
  const path = issue.path as (string | number)[];
  if (issue.code === 'unrecognized_keys') {
    const meant = nearest(issue.keys[0], KNOWN_FIELDS);
    return complain(
      [...path, issue.keys[0]],
      'there is no such field',
      meant === undefined ? SEE_SCHEMA : `${meant}, perhaps; ${SEE_SCHEMA}`,
    );
  }
  if (issue.code === 'invalid_value')
    return complain(path, 'this value is not known', issue.values.join(', '));
  if (issue.code === 'too_small')
    return complain(
      path,
      'too small',
      `${issue.inclusive === false ? 'more than' : 'at least'} ${issue.minimum}`,
    );
  if (issue.code === 'too_big') return complain(path, 'too large', `at most ${issue.maximum}`);
  if (issue.code === 'invalid_type')
    return complain(path, 'not of the right kind', `a value of type ${issue.expected}`);
  if (issue.code === 'invalid_union')
    return complain(path, 'not one of the forms that this field takes', unionForms(issue));
  return complain(path, issue.message);
}

function unionForms(issue: z.core.$ZodIssueInvalidUnion): string {
  const forms = issue.errors.flat().map((inner) => {
    if (inner.code === 'invalid_value') return inner.values.join(', ');
    if (inner.code === 'invalid_type') return `a value of type ${inner.expected}`;
    return `${inner.path.length === 0 ? '' : `${formatPath(inner.path as SourcePath)}: `}${inner.message}`;
  });
  return [...new Set(forms)].join(', or ');
}

function definedOnly(record: Record<string, unknown>): Record<string, string> {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined)) as Record<
    string,
    string
  >;
}

function valueAt(root: unknown, path: SourcePath): unknown {
  let value = root;
  for (const step of path)
    value =
      typeof value === 'object' && value !== null
        ? (value as Record<string | number, unknown>)[step]
        : undefined;
  return value;
}
