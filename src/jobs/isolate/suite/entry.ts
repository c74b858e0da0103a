import type { TenantInput } from '../../../workload/index.js';
import { huskyTable3 } from '../../reproduce/targets/husky.js';

/** What an attacker is after, as Husky files it. */
export type AttackClass = 'bandwidth' | 'pcie' | 'pu' | 'cache';

/** The columns of Husky's Table 3, which leaves out the attackers that contend for bandwidth alone. */
export const COLUMNS = huskyTable3.columns;

/** A column of Table 3. */
export type Column = (typeof COLUMNS)[number];

/** What a tenant of the suite does, the name left to whoever runs it. */
export type SuiteTenant = Omit<TenantInput, 'name'>;

/** An attacker of the suite. */
export interface Attacker {
  name: string;
  attackClass: AttackClass;
  /** Its column of Table 3; null for bandwidth. */
  column: Column | null;
  tenant: SuiteTenant;
  /** Where the public tool's script differs from what its authors describe, and what was done. */
  corrected?: string;
}

/** A victim of the suite. */
export interface Victim {
  name: string;
  tenant: SuiteTenant;
}

/** perftest as the suite calls it: a process is a thread with one CQ and one region; `-l` posts that many at a time. */
export interface Perftest {
  verb: 'write' | 'read' | 'send' | 'cas' | 'faa';
  processes: number;
  qps: number;
  sizeBytes: number;
  postList: number;
  /** `-n`, which bounds perftest's queue of 128. */
  depth: number;
  backward?: boolean;
  loopbackOn?: string;
}

const OPCODES = {
  write: 'WRITE',
  read: 'READ',
  send: 'SEND',
  cas: 'COMPARE_SWAP',
  faa: 'FETCH_ADD',
} as const;

/** The tenant that a perftest command of the suite is. */
export function perftest(given: Perftest): SuiteTenant {
  const { processes, qps, sizeBytes, postList, depth } = given;
  return {
    opcode: OPCODES[given.verb],
    qps: processes * qps,
    threads: processes,
    deal: 'blocks',
    cqSharing: 'thread',
    mrScope: 'thread',
    mrBytes: Math.max(4096, sizeBytes),
    sizes: [sizeBytes],
    batch: postList,
    sendQueueDepth: depth,
    // perftest posts one receive again for each that was used. How many it keeps depends on -r and -n; 128, as for sends.
    ...(given.verb === 'send' ? { receiveQueueDepth: 128, receiveBatch: 1 } : {}),
    ...(given.backward === true ? { from: 'b', to: 'a' } : {}),
    ...(given.loopbackOn === undefined ? {} : { direction: 'loopback', from: given.loopbackOn }),
  };
}

/** Husky's own traffic generator: a process is a thread; a CQ per queue pair; regions are of the process. */
export interface HuskyCommand {
  transport?: 'RC' | 'UC' | 'UD';
  opcode: 'WRITE' | 'READ' | 'SEND';
  processes: number;
  qps: number;
  sizeBytes: number;
  sendDepth: number;
  sendBatch: number;
  receiveDepth: number;
  /** 0: it never posts a receive. */
  receiveBatch: number;
  mrs?: number;
  bufferBytes?: number;
  minRnrTimer?: number;
}

/** The tenant that a command of that generator is. */
export function huskyTraffic(given: HuskyCommand): SuiteTenant {
  const receives = given.opcode === 'SEND' && given.receiveBatch > 0;
  return {
    transport: given.transport ?? 'RC',
    opcode: given.opcode,
    qps: given.processes * given.qps,
    threads: given.processes,
    deal: 'blocks',
    mrScope: 'thread',
    mrs: given.mrs ?? 1,
    mrBytes: given.bufferBytes ?? Math.max(4096, given.sizeBytes),
    sizes: [given.sizeBytes],
    batch: given.sendBatch,
    sendQueueDepth: given.sendDepth,
    receiveQueueDepth: given.receiveDepth,
    receiveBatch: Math.max(1, given.receiveBatch),
    ...(given.opcode === 'SEND' && !receives ? { receives: 'none' } : {}),
    ...(given.minRnrTimer === undefined ? {} : { minRnrTimer: given.minRnrTimer }),
  };
}
