/** The transport service an opcode belongs to; `CNP` is RoCEv2's congestion notification (IBTA annex A17.9). */
export type OpcodeTransport = 'RC' | 'UC' | 'UD' | 'CNP';

/** What a packet does. */
export type OpcodeOperation =
  | 'send'
  | 'write'
  | 'read-request'
  | 'read-response'
  | 'acknowledge'
  | 'atomic-acknowledge'
  | 'compare-swap'
  | 'fetch-add'
  | 'congestion-notification';

/** Where in its message a packet stands. */
export type OpcodePosition = 'first' | 'middle' | 'last' | 'only';

/** The headers that may stand between BTH and payload, by their key in a packet's meaning. */
export type ExtendedHeaderName =
  | 'deth'
  | 'reth'
  | 'atomicEth'
  | 'aeth'
  | 'atomicAckEth'
  | 'immediate'
  | 'ieth'
  | 'cnp';

/** Bytes of each extended header. */
export const EXTENDED_HEADER_BYTES: Readonly<Record<ExtendedHeaderName, number>> = {
  deth: 8,
  reth: 16,
  atomicEth: 28,
  aeth: 4,
  atomicAckEth: 8,
  immediate: 4,
  ieth: 4,
  cnp: 16,
};

/** All that an opcode says about its packet (IBTA volume 1, table 38 'OpCode field', and annex A17.9). */
export interface OpcodeInfo {
  readonly opcode: number;
  /** Such as `RC_SEND_FIRST`. */
  readonly name: OpcodeName;
  readonly transport: OpcodeTransport;
  readonly operation: OpcodeOperation;
  readonly position: OpcodePosition;
  /** The extended headers behind the BTH, in the order of the wire. */
  readonly headers: readonly ExtendedHeaderName[];
  /** Bytes of those headers together. */
  readonly headerBytes: number;
  /** Whether a payload (maybe of zero bytes) and its pad may follow. */
  readonly hasPayload: boolean;
}

/** Every opcode this layer knows. RD, XRC, FLUSH, ATOMIC WRITE and vendor opcodes are refused. */
export const OPCODE = {
  RC_SEND_FIRST: 0x00,
  RC_SEND_MIDDLE: 0x01,
  RC_SEND_LAST: 0x02,
  RC_SEND_LAST_IMMEDIATE: 0x03,
  RC_SEND_ONLY: 0x04,
  RC_SEND_ONLY_IMMEDIATE: 0x05,
  RC_WRITE_FIRST: 0x06,
  RC_WRITE_MIDDLE: 0x07,
  RC_WRITE_LAST: 0x08,
  RC_WRITE_LAST_IMMEDIATE: 0x09,
  RC_WRITE_ONLY: 0x0a,
  RC_WRITE_ONLY_IMMEDIATE: 0x0b,
  RC_READ_REQUEST: 0x0c,
  RC_READ_RESPONSE_FIRST: 0x0d,
  RC_READ_RESPONSE_MIDDLE: 0x0e,
  RC_READ_RESPONSE_LAST: 0x0f,
  RC_READ_RESPONSE_ONLY: 0x10,
  RC_ACKNOWLEDGE: 0x11,
  RC_ATOMIC_ACKNOWLEDGE: 0x12,
  RC_COMPARE_SWAP: 0x13,
  RC_FETCH_ADD: 0x14,
  RC_SEND_LAST_INVALIDATE: 0x16,
  RC_SEND_ONLY_INVALIDATE: 0x17,
  UC_SEND_FIRST: 0x20,
  UC_SEND_MIDDLE: 0x21,
  UC_SEND_LAST: 0x22,
  UC_SEND_LAST_IMMEDIATE: 0x23,
  UC_SEND_ONLY: 0x24,
  UC_SEND_ONLY_IMMEDIATE: 0x25,
  UC_WRITE_FIRST: 0x26,
  UC_WRITE_MIDDLE: 0x27,
  UC_WRITE_LAST: 0x28,
  UC_WRITE_LAST_IMMEDIATE: 0x29,
  UC_WRITE_ONLY: 0x2a,
  UC_WRITE_ONLY_IMMEDIATE: 0x2b,
  UD_SEND_ONLY: 0x64,
  UD_SEND_ONLY_IMMEDIATE: 0x65,
  CNP: 0x81,
} as const;

/** The name of an opcode. */
export type OpcodeName = keyof typeof OPCODE;

const OPERATIONS: readonly (readonly [string, OpcodeOperation])[] = [
  ['SEND', 'send'],
  ['WRITE', 'write'],
  ['READ_REQUEST', 'read-request'],
  ['READ_RESPONSE', 'read-response'],
  ['ACKNOWLEDGE', 'acknowledge'],
  ['ATOMIC_ACKNOWLEDGE', 'atomic-acknowledge'],
  ['COMPARE_SWAP', 'compare-swap'],
  ['FETCH_ADD', 'fetch-add'],
];

function describe(name: OpcodeName): OpcodeInfo {
  const [transport, ...rest] = name.split('_') as [OpcodeTransport, ...string[]];
  const words = rest.join('_');
  const operation = OPERATIONS.find(([prefix]) => words.startsWith(prefix))?.[1] ?? 'congestion-notification';
  const position =
    (['first', 'middle', 'last'] as const).find((word) => rest.includes(word.toUpperCase())) ?? 'only';
  const headers = headersOf(transport, operation, position, rest);
  return Object.freeze({
    opcode: OPCODE[name],
    name,
    transport,
    operation,
    position,
    headers: Object.freeze(headers),
    headerBytes: headers.reduce((sum, header) => sum + EXTENDED_HEADER_BYTES[header], 0),
    hasPayload: operation === 'send' || operation === 'write' || operation === 'read-response',
  });
}

function headersOf(
  transport: OpcodeTransport,
  operation: OpcodeOperation,
  position: OpcodePosition,
  words: readonly string[],
): ExtendedHeaderName[] {
  const headers: ExtendedHeaderName[] = [];
  const opens = position === 'first' || position === 'only';
  if (transport === 'UD') headers.push('deth');
  if (transport === 'CNP') headers.push('cnp');
  if (operation === 'read-request' || (operation === 'write' && opens)) headers.push('reth');
  if (operation === 'compare-swap' || operation === 'fetch-add') headers.push('atomicEth');
  // A READ response carries its AETH on the packets at its ends, not on those between (IBTA 9.4.4).
  if (operation === 'read-response' && position !== 'middle') headers.push('aeth');
  if (operation === 'acknowledge' || operation === 'atomic-acknowledge') headers.push('aeth');
  if (operation === 'atomic-acknowledge') headers.push('atomicAckEth');
  if (words.includes('IMMEDIATE')) headers.push('immediate');
  if (words.includes('INVALIDATE')) headers.push('ieth');
  return headers;
}

/** Every opcode with what it says, in ascending order. */
export const OPCODES: readonly OpcodeInfo[] = Object.freeze(
  (Object.keys(OPCODE) as OpcodeName[]).map(describe).sort((a, b) => a.opcode - b.opcode),
);

const byNumber: (OpcodeInfo | undefined)[] = new Array(256).fill(undefined);
for (const info of OPCODES) byNumber[info.opcode] = info;

/**
 * What an opcode says about its packet; undefined where this layer does not know it.
 *
 * @example
 * opcodeInfo(OPCODE.RC_WRITE_ONLY)?.headers // ['reth']
 */
export function opcodeInfo(opcode: number): OpcodeInfo | undefined {
  return byNumber[opcode];
}
