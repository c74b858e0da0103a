import { OPCODES } from './opcode.js';

/** What faults tell packets apart by: requests of any kind, the two kinds of acknowledgements, READ data, CNPs. */
export const PACKET_KINDS = ['data', 'ack', 'nak', 'read-response', 'cnp'] as const;
/** One of {@link PACKET_KINDS}. */
export type PacketKind = (typeof PACKET_KINDS)[number];

const DATA = 0;
const ACK = 1;
const NAK = 2;
/** The bit of an AETH syndrome that RNR NAKs and NAKs have and no positive acknowledgement has (9.7.5.2.1). */
const NEGATIVE = 0x20;

const KIND_OF = new Uint8Array(256);
const HAS_AETH = new Uint8Array(256);
for (const { opcode, operation, headers } of OPCODES) {
  if (operation === 'acknowledge' || operation === 'atomic-acknowledge') KIND_OF[opcode] = ACK;
  else if (operation === 'read-response') KIND_OF[opcode] = PACKET_KINDS.indexOf('read-response');
  else if (operation === 'congestion-notification') KIND_OF[opcode] = PACKET_KINDS.indexOf('cnp');
  else KIND_OF[opcode] = DATA;
  if (headers.includes('aeth')) HAS_AETH[opcode] = 1;
}

/** The place in {@link PACKET_KINDS} of a packet; `syndrome` is that of its AETH, if it has one. */
export function packetKindOf(opcode: number, syndrome: number): number {
  const kind = KIND_OF[opcode];
  return kind === ACK && HAS_AETH[opcode] === 1 && (syndrome & NEGATIVE) !== 0 ? NAK : kind;
}

/** The bits of {@link packetKindOf} of several kinds; all where none is named. */
export function kindMask(kinds: readonly PacketKind[] | undefined): number {
  if (kinds === undefined) return (1 << PACKET_KINDS.length) - 1;
  return kinds.reduce((mask, kind) => mask | (1 << PACKET_KINDS.indexOf(kind)), 0);
}
