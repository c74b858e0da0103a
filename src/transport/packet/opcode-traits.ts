import { Op } from '../../verbs/base/codes.js';
import { OPCODE, OPCODES, type OpcodeInfo } from '../../wire/ib/opcode.js';

/** What an opcode says, as bits: one load a packet instead of comparisons of names. */
export const Trait = {
  /** First or only. */
  FIRST: 1,
  /** Last or only. */
  LAST: 2,
  SEND: 4,
  WRITE: 8,
  READ_REQUEST: 16,
  ATOMIC: 32,
  IMMEDIATE: 64,
  INVALIDATE: 128,
  READ_RESPONSE: 256,
  ACKNOWLEDGE: 512,
  ATOMIC_RESPONSE: 1024,
  RC: 2048,
  UC: 4096,
  UD: 8192,
} as const;

/** Bits of a request. */
export const REQUEST_TRAITS = Trait.SEND | Trait.WRITE | Trait.READ_REQUEST | Trait.ATOMIC;

function traitsOf(info: OpcodeInfo): number {
  if (info.transport === 'CNP') return 0;
  let traits: number = Trait[info.transport];
  if (info.position === 'first' || info.position === 'only') traits |= Trait.FIRST;
  if (info.position === 'last' || info.position === 'only') traits |= Trait.LAST;
  if (info.headers.includes('immediate')) traits |= Trait.IMMEDIATE;
  if (info.headers.includes('ieth')) traits |= Trait.INVALIDATE;
  return traits | OPERATION_TRAITS[info.operation];
}

const OPERATION_TRAITS: Readonly<Record<OpcodeInfo['operation'], number>> = {
  send: Trait.SEND,
  write: Trait.WRITE,
  'read-request': Trait.READ_REQUEST,
  'read-response': Trait.READ_RESPONSE,
  acknowledge: Trait.ACKNOWLEDGE,
  'atomic-acknowledge': Trait.ATOMIC_RESPONSE,
  'compare-swap': Trait.ATOMIC,
  'fetch-add': Trait.ATOMIC,
  'congestion-notification': 0,
};

/** The {@link Trait} bits of every opcode; 0 for those that no transport here knows. */
export const OPCODE_TRAITS = new Uint16Array(256);
for (const info of OPCODES) OPCODE_TRAITS[info.opcode] = traitsOf(info);

/** UC's opcodes are RC's with this added (specification table 38). */
export const UC_OFFSET = OPCODE.UC_SEND_FIRST - OPCODE.RC_SEND_FIRST;

const FIRST_OF = [
  OPCODE.RC_SEND_FIRST,
  OPCODE.RC_SEND_FIRST,
  OPCODE.RC_SEND_FIRST,
  OPCODE.RC_WRITE_FIRST,
  OPCODE.RC_WRITE_FIRST,
];
const MIDDLE_OF = [
  OPCODE.RC_SEND_MIDDLE,
  OPCODE.RC_SEND_MIDDLE,
  OPCODE.RC_SEND_MIDDLE,
  OPCODE.RC_WRITE_MIDDLE,
  OPCODE.RC_WRITE_MIDDLE,
];
const LAST_OF = [
  OPCODE.RC_SEND_LAST,
  OPCODE.RC_SEND_LAST_IMMEDIATE,
  OPCODE.RC_SEND_LAST_INVALIDATE,
  OPCODE.RC_WRITE_LAST,
  OPCODE.RC_WRITE_LAST_IMMEDIATE,
];
const ONLY_OF = [
  OPCODE.RC_SEND_ONLY,
  OPCODE.RC_SEND_ONLY_IMMEDIATE,
  OPCODE.RC_SEND_ONLY_INVALIDATE,
  OPCODE.RC_WRITE_ONLY,
  OPCODE.RC_WRITE_ONLY_IMMEDIATE,
];

/** RC's opcodes of the SEND and WRITE operations, at `4 * op + (first ? 1 : 0) + (last ? 2 : 0)`. */
const OPCODE_OF = new Uint8Array(4 * ONLY_OF.length);
for (let op = Op.SEND; op <= Op.RDMA_WRITE_WITH_IMM; op++) {
  OPCODE_OF.set([MIDDLE_OF[op], FIRST_OF[op], LAST_OF[op], ONLY_OF[op]], 4 * op);
}

/** RC's opcode of one packet of a SEND or WRITE. */
export function messageOpcode(op: number, first: boolean, last: boolean): number {
  return OPCODE_OF[4 * op + (first ? 1 : 0) + (last ? 2 : 0)];
}
