import type { Link } from '../../link/index.js';
import { capabilitiesWithout } from '../../verbs/base/index.js';
import type { Capabilities, DeviceAttr, Mtu, PortAttr } from '../../verbs/index.js';
import { RETH_BYTES, SRNIC_WRITE_BYTES } from '../../wire/index.js';

const MISSING = {
  unbackedMemory: 'packets carry bytes, so memory must have some',
  placements: 'a Node process does not choose where its memory is',
  queuePlacements: 'a Node process does not choose where its memory is',
};
const PLAIN = capabilitiesWithout(MISSING);
const SELECTIVE = capabilitiesWithout({
  ...MISSING,
  inOrderPlacement: 'selective repeat puts what comes out of order in its place at once',
});

/** What a software device can do: every verb that needs no hardware. */
export function capabilitiesOf(selective: boolean): Capabilities {
  return selective ? SELECTIVE : PLAIN;
}

/** The limits that the verbs report: memory is the only real one. */
export const SOFTWARE_LIMITS: DeviceAttr = {
  maxQp: 1 << 16,
  maxQpWr: 1 << 14,
  maxSge: 32,
  maxSgeRd: 32,
  maxCq: 1 << 16,
  maxCqe: 1 << 20,
  maxMr: 1 << 20,
  maxMrBytes: 2 ** 33,
  maxMw: 1 << 20,
  maxPd: 1 << 16,
  maxAh: 1 << 20,
  maxSrq: 1 << 16,
  maxSrqWr: 1 << 14,
  maxSrqSge: 32,
  maxQpRdAtom: 16,
  maxQpInitRdAtom: 16,
  maxInlineData: 1024,
  maxMessageBytes: 2 ** 31,
  physPortCnt: 1,
};

const MTUS: readonly Mtu[] = [256, 512, 1024, 2048, 4096];
/** BTH, RETH (or, with selective repeat, the place of a WRITE), immediate data, ICRC: the most around a payload. */
const AROUND_BYTES = 12 + Math.max(RETH_BYTES, SRNIC_WRITE_BYTES) + 4 + 4;

/** The port of a device on a link. */
export function portAttr(link: Link): PortAttr {
  const room = link.abilities.maxDatagramBytes - AROUND_BYTES;
  const mtu = MTUS.findLast((each) => each <= room) ?? 256;
  return { state: 'ACTIVE', activeMtu: mtu, maxMtu: 4096, gidTableLength: link.gids.length };
}

const LEAST_WINDOW = 16;
const MOST_WINDOW = 512;
/** Where every datagram is a system call, a window of 512 may last longer than an ACK timeout on a busy machine. */
const MOST_SINGLE_WINDOW = 128;
/** Where a link does not say: 64 packets, as Linux' rxe has in flight. */
const UNKNOWN_WINDOW = 64;
const UNKNOWN_DEVICE_WINDOW = 1024;

/** Packets that one queue pair may have under way: half of what all of them may. */
export function windowOf(link: Link): number {
  if (link.abilities.receiveBufferBytes === undefined) return UNKNOWN_WINDOW;
  const most = link.abilities.batching === 'single' ? MOST_SINGLE_WINDOW : MOST_WINDOW;
  return Math.min(most, Math.max(LEAST_WINDOW, deviceWindowOf(link) >> 1));
}

/**
 * Packets that all queue pairs may have under way together: half of what the socket of a peer like this one holds, since
 * the kernel counts its own overhead too.
 */
export function deviceWindowOf(link: Link): number {
  const { receiveBufferBytes } = link.abilities;
  if (receiveBufferBytes === undefined) return UNKNOWN_DEVICE_WINDOW;
  return Math.max(LEAST_WINDOW, Math.floor(receiveBufferBytes / 2 / portAttr(link).activeMtu));
}
