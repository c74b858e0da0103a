import { KelpieError } from '../../../error.js';
import { requireCanonical } from '../core/fabric.js';
import type { FabricSpec } from '../core/fabric-spec.js';
import { FabricState } from '../core/fabric-state.js';
import { type Partition, partitionOf } from '../core/parts/partition.js';
import { Records } from '../core/records.js';
import { totalsOf } from '../core/totals.js';
import { PAUSE_BYTES } from '../switching/switch-plane.js';
import { Barrier } from './barrier.js';
import { letterWords, mailboxBuffer } from './mailbox.js';
import { SharedColumns } from './shared-columns.js';

/** Threads that simulate a fabric together: what they share, as plain data and shared memory. */
export interface TeamPlan {
  readonly spec: FabricSpec;
  readonly members: number;
  /** How long each runs by itself. */
  readonly windowNs: number;
  readonly columns: ReadonlyMap<string, SharedArrayBuffer>;
  readonly barrier: SharedArrayBuffer;
  /** Boxes of even windows, then of odd ones; in each by sender, then by receiver. */
  readonly boxes: readonly SharedArrayBuffer[];
  /** By even and odd windows, then by member: `NOTE_WORDS` numbers. */
  readonly notes: SharedArrayBuffer;
  /** By member: `SUMMARY_WORDS` numbers. */
  readonly summaries: SharedArrayBuffer;
}

/** What a member tells the others at the end of a window: when its next event is, and how many events it has handled. */
export const NOTE_WORDS = 2;
/** What a member says of itself at the end of a run: next event, last event, events, flows done; then the totals. */
export const SUMMARY_HEAD = 4;
export const totalKeys = Object.keys(totalsOf([], null)) as (keyof ReturnType<typeof totalsOf>)[];
export const SUMMARY_WORDS = SUMMARY_HEAD + totalKeys.length;

/** The boxes of a team take no more than this; windows are shorter where they would. */
const MOST_BOX_BYTES = 2 ** 28;
const DOUBLE = Float64Array.BYTES_PER_ELEMENT;

/** The member that simulates a part. */
export function memberOf(part: number, members: number, parts: number): number {
  return Math.floor((part * members) / parts);
}

/** The parts of a fabric whose team has this many members: no fewer than members. */
export function teamPartition(spec: FabricSpec, state: FabricState, members: number): Partition {
  return partitionOf(spec.topology, state.plan, Math.max(spec.partitions ?? 1, members));
}

/** Plans a team of this many threads, and makes the state that whoever leads it reads. */
export function planTeam(spec: FabricSpec, members: number): { plan: TeamPlan; state: FabricState } {
  requireCanonical(spec, members);
  if (spec.guests !== undefined)
    throw new KelpieError('FABRIC_WORKERS', 'a fabric with full hosts runs in one thread', {
      field: 'workers',
      given: members,
      allowed: '1',
    });
  // A checker watches one thread.
  const { checker: _, ...plain } = spec;
  const columns = new SharedColumns();
  const state = new FabricState(plain, columns);
  const partition = teamPartition(plain, state, members);
  const stride = new Records(state.telemetry?.maxHops ?? 0).telemetryStride;
  const windowNs = affordableWindowNs(state, partition, members, stride);
  const letters = lettersOf(state, partition, members, windowNs);
  const plan: TeamPlan = {
    spec: plain,
    members,
    windowNs,
    columns: columns.buffers,
    barrier: Barrier.buffer(),
    boxes: [...letters, ...letters].map((count) => mailboxBuffer(count, stride)),
    notes: new SharedArrayBuffer(2 * members * NOTE_WORDS * DOUBLE),
    summaries: new SharedArrayBuffer(members * SUMMARY_WORDS * DOUBLE),
  };
  return { plan, state };
}

function affordableWindowNs(
  state: FabricState,
  partition: Partition,
  members: number,
  stride: number,
): number {
  const { windowNs } = partition;
  if (windowNs === Infinity) return windowNs;
  const letters = lettersOf(state, partition, members, windowNs).reduce((sum, each) => sum + each, 0);
  const bytes = letters * 2 * letterWords(stride) * Int32Array.BYTES_PER_ELEMENT;
  return bytes <= MOST_BOX_BYTES ? windowNs : Math.max(1, Math.floor((windowNs * MOST_BOX_BYTES) / bytes));
}

/** By sender, then by receiver: as many packets as the wires between two members can carry in a window. */
function lettersOf(
  { plan, ports, times, spec: { nic, rounding } }: FabricState,
  { partOf, count }: Partition,
  members: number,
  windowNs: number,
): number[] {
  const leastBytes = Math.min(nic.headerBytes + 1, nic.ackBytes, PAUSE_BYTES);
  const letters = new Array<number>(members * members).fill(0);
  if (windowNs === Infinity) return letters;
  for (let port = 0; port < plan.node.length; port++) {
    const from = memberOf(partOf[plan.node[port]], members, count);
    const to = memberOf(partOf[plan.node[plan.peer[port]]], members, count);
    if (from === to) continue;
    const time = times.table[ports.timesBase[port] + leastBytes];
    const leastNs = Math.max(1, rounding === 'ns3' ? time : Math.floor(time / 1000));
    letters[from * members + to] += Math.ceil(windowNs / leastNs) + 1;
  }
  return letters;
}
