import type { RemoteAddress } from '../../verbs/index.js';
import { formatGid, parseGid } from '../../wire/index.js';
import { cString, exchangeError, fromCString } from './byte-channel.js';

/** One end of a connection, as perftest's programs tell it. */
export interface Destination {
  qpn: number;
  /** The first PSN that this end sends. */
  psn: number;
  rkey: number;
  /** Where the peer may write, read, or do atomics. */
  addr: RemoteAddress;
  /** READs and atomics that this end serves at a time. */
  outReads: number;
  /** In text, with all digits. */
  gid: string;
}

/** Bytes of a destination in perftest's exchange, its closing zero included. */
export const DESTINATION_BYTES = 108;
const FIELDS = 23;
const GID_FIELD = 6;
const HEX = /^[0-9a-f]+$/i;

function hex(value: number | bigint, digits: number): string {
  return value.toString(16).padStart(digits, '0');
}

/** perftest 4.5's text: LID, outstanding READs, QPN, PSN, key, address, sixteen bytes of GID, SRQ number. */
export function emitDestination(end: Destination): Uint8Array {
  const gid = [...parseGid(end.gid)].map((byte) => hex(byte, 2)).join(':');
  const text = `0000:${hex(end.outReads, 4)}:${hex(end.qpn, 6)}:${hex(end.psn, 6)}:${hex(end.rkey, 8)}:${hex(end.addr, 16)}:${gid}:${hex(0, 8)}:`;
  return cString(text, DESTINATION_BYTES);
}

/** A number where it is one, so that posting it makes no bigint. */
function addressOf(field: string): RemoteAddress {
  const addr = BigInt(`0x${field}`);
  if (addr >= 2n ** 64n) throw exchangeError('destination field 5', field, 'at most 16 digits');
  return addr <= Number.MAX_SAFE_INTEGER ? Number(addr) : addr;
}

/** Reads perftest's text; throws where it is something else. */
export function parseDestination(bytes: Uint8Array): Destination {
  const text = fromCString(bytes);
  const fields = text.split(':');
  if (fields.length < FIELDS || !fields.slice(0, FIELDS).every((field) => HEX.test(field)))
    throw exchangeError(
      'destination',
      text.slice(0, DESTINATION_BYTES),
      '23 hexadecimal numbers with colons',
    );
  const number = (index: number, most: number) => {
    const value = Number.parseInt(fields[index], 16);
    if (value <= most) return value;
    throw exchangeError(`destination field ${index}`, fields[index], `at most ${hex(most, 1)}`);
  };
  const gid = Uint8Array.from({ length: 16 }, (_, index) => number(GID_FIELD + index, 0xff));
  return {
    outReads: number(1, 0xffff),
    qpn: number(2, 0xffffff),
    psn: number(3, 0xffffff),
    rkey: number(4, 0xffffffff),
    addr: addressOf(fields[5]),
    gid: formatGid(gid),
  };
}

/** Bytes of perftest's own structure, which it sends over RDMA-CM. */
export const DESTINATION_STRUCT_BYTES = 56;

/** The structure: LID, outstanding READs, QPN, PSN, key, address (aligned), GID, SRQ number, GID index; big-endian. */
export function emitDestinationStruct(end: Destination): Uint8Array {
  const bytes = new Uint8Array(DESTINATION_STRUCT_BYTES);
  const view = new DataView(bytes.buffer);
  for (const [index, value] of [0, end.outReads, end.qpn, end.psn, end.rkey].entries())
    view.setUint32(4 * index, value);
  view.setBigUint64(24, BigInt(end.addr));
  bytes.set(parseGid(end.gid), 32);
  return bytes;
}

/** Reads it. */
export function parseDestinationStruct(bytes: Uint8Array): Destination {
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  const word = (index: number) => view.getUint32(4 * index);
  return {
    outReads: word(1),
    qpn: word(2) & 0xffffff,
    psn: word(3) & 0xffffff,
    rkey: word(4),
    addr: addressOf(view.getBigUint64(24).toString(16)),
    gid: formatGid(bytes.subarray(32, 48)),
  };
}
