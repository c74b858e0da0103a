import { KelpieError } from '../../error.js';
import {
  messageLength,
  operationMix,
  routesOf,
  type Tenant,
  takesReceive,
  type Workload,
} from '../description/description.js';

/** Bytes that a run may take. */
export interface MemoryLimits {
  /** Of the engine's heap, which ends the process when it is full. */
  heapBytes: number;
  /** Of the heap and buffers together. */
  totalBytes: number;
}

/** What a run will need, as far as it grows with the workload. */
export interface MemoryNeed {
  /** Connections, each of two queue pairs. */
  connections: number;
  regions: number;
  /** Entries of all send queues, and of all receive queues that receives are posted to. */
  sendWqes: number;
  receiveWqes: number;
  heapBytes: number;
  bufferBytes: number;
}

/**
 * What objects cost, measured on Node 20 (x64) with the simulated provider, which costs most: heap and buffers after a
 * collection, by queue pairs (1,000 to 10,000), depths (16 to 1,024) and regions (200,000). Buffers grow by doubling, so
 * that a table may be half empty; the figures are those of the worst case seen.
 */
const COST = {
  connection: { heap: 24_000, buffer: 4_000 },
  sendWqe: { heap: 11, buffer: 190 },
  receiveWqe: { heap: 12, buffer: 80 },
  element: { heap: 0, buffer: 20 },
  region: { heap: 40, buffer: 200 },
} as const;

/** What a workload will need; `backed` where the provider's memory has bytes. */
export function memoryNeed(workload: Workload, backed: boolean): MemoryNeed {
  const need: MemoryNeed = {
    ...{ connections: 0, regions: 0, sendWqes: 0, receiveWqes: 0 },
    ...{ heapBytes: 0, bufferBytes: 0 },
  };
  for (const tenant of workload.tenants) addTenant(need, tenant, backed);
  return need;
}

function addTenant(need: MemoryNeed, tenant: Tenant, backed: boolean): void {
  const routes = routesOf(tenant);
  const connections = routes.reduce((sum, { qps }) => sum + qps, 0);
  const sides = new Set(routes.flatMap(({ from, to }) => [from, to])).size;
  const owners = { qp: 2 * connections, thread: tenant.threads * sides, tenant: sides }[tenant.mrScope];
  const regions = tenant.mrs * owners;
  const receives = operationMix(tenant).some(({ opcode }) => takesReceive(opcode));
  const sendWqes = connections * tenant.sendQueueDepth;
  const receiveWqes = receives ? connections * tenant.receiveQueueDepth : 0;
  const counts: Record<keyof typeof COST, number> = {
    connection: connections,
    sendWqe: sendWqes,
    receiveWqe: receiveWqes,
    element: sendWqes * tenant.sge + receiveWqes * tenant.receiveSge,
    region: regions,
  };
  need.connections += connections;
  need.regions += regions;
  need.sendWqes += sendWqes;
  need.receiveWqes += receiveWqes;
  for (const [name, count] of Object.entries(counts)) {
    const { heap, buffer } = COST[name as keyof typeof COST];
    need.heapBytes += count * heap;
    need.bufferBytes += count * buffer;
  }
  // All regions of a side are registrations of one buffer.
  if (backed) need.bufferBytes += sides * Math.max(tenant.mrBytes, ...tenant.sizes.map(messageLength));
}

/** Refuses a workload that will not fit, before anything is made for it. */
export function requireMemory(workload: Workload, backed: boolean, limits: MemoryLimits): void {
  const need = memoryNeed(workload, backed);
  const total = need.heapBytes + need.bufferBytes;
  const heapFits = need.heapBytes <= limits.heapBytes;
  if (heapFits && total <= limits.totalBytes) return;
  const what = `${need.connections} connections and ${need.regions} memory regions`;
  throw new KelpieError(
    'NOT_ENOUGH_MEMORY',
    `the workload ${workload.name} does not fit into memory: ${what}`,
    {
      field: heapFits ? 'memory' : 'heap',
      given: `about ${gigabytes(heapFits ? total : need.heapBytes)}`,
      allowed: heapFits
        ? `up to ${gigabytes(limits.totalBytes)} on this machine now`
        : `up to ${gigabytes(limits.heapBytes)}; node --max-old-space-size=MEGABYTES sets the heap`,
    },
  );
}

function gigabytes(bytes: number): string {
  const amount = bytes / 1e9;
  return `${amount < 100 ? amount.toPrecision(3) : amount.toFixed(0)} GB`;
}
