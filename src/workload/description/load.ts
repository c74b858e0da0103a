import type { z } from 'zod';
import type { KelpieError } from '../../error.js';
import {
  type DescriptionError,
  type DocumentKind,
  type JsonSchema,
  publishedSchema,
  readRest,
  requireMapping,
  SourceDocument,
} from '../../schema/index.js';
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
import { findIllegalities } from './legality.js';

/** What a workload is to the reader. */
const WORKLOAD: DocumentKind = {
  noun: 'a workload',
  reference: 'docs/workload.md',
  codes: {
    syntax: 'YAML_SYNTAX',
    unknownField: 'WORKLOAD_INVALID',
    missingField: 'WORKLOAD_INVALID',
    badType: 'WORKLOAD_INVALID',
    outOfRange: 'WORKLOAD_INVALID',
  },
};

/**
 * Reads a workload from YAML or JSON. Everything that is wrong is said with file, line, field, value and what is allowed.
 *
 * @example
 * const workload = parseWorkload('transport: UD\nopcode: SEND\nsizes: [2048]', 'ud.yaml');
 */
export function parseWorkload(text: string, fileName: string): Workload {
  return resolve(SourceDocument.ofText(text, fileName, WORKLOAD));
}

/**
 * Reads a workload as it stands in its file, checked but not completed: what depends on a field that is changed later,
 * such as threads on queue pairs, is still open.
 *
 * @example
 * const input = parseWorkloadInput('opcode: READ', 'reads.yaml');
 * const many = resolveWorkload({ ...input, qps: 64 });
 */
export function parseWorkloadInput(text: string, fileName: string): WorkloadInput {
  const document = SourceDocument.ofText(text, fileName, WORKLOAD);
  resolve(document);
  return requireMapping(document) as WorkloadInput;
}

/**
 * Completes a workload that a program made.
 *
 * @example
 * const workload = resolveWorkload({ opcode: 'READ', qps: 8, mtu: 1024, sizes: [4194304] });
 */
export function resolveWorkload(input: WorkloadInput): Workload {
  return resolve(SourceDocument.ofValue(input, '', WORKLOAD));
}

/**
 * An error about a field that a testbed refused, with the line of the field in its file.
 *
 * @example
 * throw refusedInFile(error, text, 'w.yaml'); // w.yaml:3:6: sge: a number is outside what the device allows, given 200
 */
export function refusedInFile(
  { code, field = '', tenant, summary, given, allowed }: KelpieError & { readonly tenant: number },
  text: string,
  fileName: string,
): DescriptionError {
  const document = SourceDocument.ofText(text, fileName, WORKLOAD);
  const many = 'tenants' in requireMapping(document);
  const path = many ? ['tenants', tenant, field] : [field];
  const detail = { problem: summary, given, ...(allowed === undefined ? {} : { allowed }) };
  return document.errorAt(code, path, detail);
}

/** The published schema of a workload file. */
export function workloadJsonSchema(): JsonSchema {
  return publishedSchema('workload', 'Kelpie workload', workloadSchema);
}

function resolve(document: SourceDocument): Workload {
  const many = 'tenants' in requireMapping(document);
  const read = many ? readRest(document, manyTenantsSchema) : readRest(document, oneTenantSchema);
  const { name, description, settings = {}, measure, ...rest } = read.rest;
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
  const faulty = read.faulty.map((path) => (many ? path : ['tenants', 0, ...path]));
  for (const { path, problem, allowed } of findIllegalities(workload, faulty)) {
    const field = many || path[0] !== 'tenants' ? path : path.slice(2);
    document.report('WORKLOAD_INVALID', field, { problem, given: document.at(field), allowed });
  }
  document.throwFaults();
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
    threadSocket: given.threadSocket ?? null,
  };
}

function definedOnly(record: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const entries = Object.entries(record).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, value]],
  );
  return Object.fromEntries(entries);
}
