import { KelpieError } from '../../error.js';
import type { Tenant } from '../description/description.js';

/** Fields of a tenant, by what devices call the limits that they can exceed. */
const FIELDS: Readonly<Record<string, keyof Tenant>> = {
  'cap.maxSendSge': 'sge',
  'cap.maxRecvSge': 'sge',
  'cap.maxSendWr': 'sendQueueDepth',
  'cap.maxRecvWr': 'receiveQueueDepth',
  'cap.maxInlineData': 'inlineBytes',
  maxSge: 'sge',
  maxWr: 'receiveQueueDepth',
  lengthBytes: 'mrBytes',
  memory: 'memory',
};

/** The testbed does not have what a field of a workload asks for: the workload is sound, but not here. */
export class WorkloadRefusedError extends KelpieError {
  /** The place of the tenant in the workload, from 0. */
  readonly tenant: number;

  constructor(tenant: number, field: string, { summary, given, allowed }: KelpieError, cause: unknown) {
    super('WORKLOAD_REFUSED', summary, {
      field,
      given,
      cause,
      ...(allowed === undefined ? {} : { allowed }),
    });
    this.tenant = tenant;
  }
}

/** Makes something for a tenant; what the devices refuse is said in the words of the workload. */
export function asTenant<Result>(index: number, make: () => Result): Result {
  try {
    return make();
  } catch (cause) {
    const field = cause instanceof KelpieError ? FIELDS[cause.field ?? ''] : undefined;
    if (field === undefined) throw cause;
    throw new WorkloadRefusedError(index, field, cause as KelpieError, cause);
  }
}
