import type { DeviceConstants } from '../../../profiles/index.js';
import { OPCODES, type OpcodeInfo } from '../../../wire/index.js';

/** What a device's receive side must know of a packet, as bits. */
export const Kind = {
  /** An acknowledgement or an atomic's answer: belongs to the requester. */
  ACK: 1,
  READ_REQUEST: 2,
  READ_RESPONSE: 4,
  ATOMIC: 8,
  /** Takes a receive WQE. */
  RECEIVES: 16,
  /** The first packet of a WRITE, a READ request or an atomic: names a remote key. */
  REMOTE: 32,
  /** The last or only packet of a READ response. */
  READ_ENDS: 64,
  CNP: 128,
  /** Any of those that are no requests of the peer. */
  ANSWERS: 1 | 4 | 128,
} as const;

/** Where a packet's payload goes: memory that the peer named, a receive, or the buffers of an own READ. */
export const Target = { REGION: 0, RECEIVE: 1, REQUEST: 2 } as const;

/** The target of each opcode. */
export const targetKindOf = new Uint8Array(256);

/** Ethernet, IPv4, UDP, BTH, ICRC and FCS. */
const BASE_HEADER_BYTES = 14 + 20 + 8 + 12 + 4 + 4;

/** The kind bits of every opcode. */
export const kindOf = new Uint8Array(256);

/** 1 for every opcode whose message has more than one packet. */
export const isPartOf = new Uint8Array(256);

/** 1 for every opcode with which a message begins. */
export const beginsMessage = new Uint8Array(256);

/** Bytes of a frame besides its payload, by opcode; FCS included, preamble and gap not (the rate 'L2' of papers). */
export const headerBytesOf = new Uint16Array(256);

for (const info of OPCODES) {
  kindOf[info.opcode] = kind(info);
  isPartOf[info.opcode] = info.position === 'only' ? 0 : 1;
  beginsMessage[info.opcode] = info.position === 'only' || info.position === 'first' ? 1 : 0;
  targetKindOf[info.opcode] =
    info.operation === 'send'
      ? Target.RECEIVE
      : info.operation === 'read-response'
        ? Target.REQUEST
        : Target.REGION;
  headerBytesOf[info.opcode] = BASE_HEADER_BYTES + info.headerBytes;
}

function kind({ operation, position, headers }: OpcodeInfo): number {
  const opens = position === 'first' || position === 'only';
  switch (operation) {
    case 'acknowledge':
    case 'atomic-acknowledge':
      return Kind.ACK;
    case 'read-request':
      return Kind.READ_REQUEST | Kind.REMOTE;
    case 'read-response':
      return Kind.READ_RESPONSE | (position === 'last' || position === 'only' ? Kind.READ_ENDS : 0);
    case 'compare-swap':
    case 'fetch-add':
      return Kind.ATOMIC | Kind.REMOTE;
    case 'send':
      return opens ? Kind.RECEIVES : 0;
    case 'write':
      return (opens ? Kind.REMOTE : 0) | (headers.includes('immediate') ? Kind.RECEIVES : 0);
    default:
      return Kind.CNP;
  }
}

/** What may be free of charge, for ablation. */
export interface FreeCosts {
  longReads: boolean;
  acks: boolean;
}

/** Tables that were made, by what is free: devices of one profile share them. */
const made = new WeakMap<DeviceConstants, Map<number, Float64Array>>();

/** The receive engine's time for a packet by opcode, in picoseconds. */
export function engineCosts(constants: DeviceConstants, free: FreeCosts): Float64Array {
  let tables = made.get(constants);
  if (tables === undefined) {
    tables = new Map();
    made.set(constants, tables);
  }
  const key = (free.longReads ? 1 : 0) | (free.acks ? 2 : 0);
  let costs = tables.get(key);
  if (costs === undefined) {
    costs = findCosts(constants, free);
    tables.set(key, costs);
  }
  return costs;
}

function findCosts(constants: DeviceConstants, free: FreeCosts): Float64Array {
  const costs = new Float64Array(256);
  for (const { opcode, operation, position } of OPCODES) {
    const only = position === 'only';
    let ns = only ? constants.receiveOnlyNs : constants.receiveMultiNs;
    if ((kindOf[opcode] & (Kind.ACK | Kind.CNP)) !== 0) ns = free.acks ? 0 : constants.ackNs;
    else if (operation === 'read-request') ns = constants.readRequestNs;
    else if (operation === 'fetch-add') ns = constants.fetchAddNs;
    else if (operation === 'compare-swap') ns = constants.compareSwapNs;
    else if (operation === 'read-response') {
      ns = only
        ? constants.readResponseOnlyNs
        : free.longReads
          ? constants.receiveMultiNs
          : constants.readResponseMultiNs;
    }
    costs[opcode] = Math.round(ns * 1000);
  }
  return costs;
}
