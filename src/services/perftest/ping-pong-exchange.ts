import { formatGid, parseGid } from '../../wire/index.js';
import { type ByteChannel, cString, type ExchangeRole, exchangeError, fromCString } from './byte-channel.js';

/** One end as rdma-core's ping-pong programs tell it. */
export interface PingPongEnd {
  qpn: number;
  /** The first PSN that this end sends. */
  psn: number;
  /** In text, with all digits. */
  gid: string;
}

/** LID, QPN, PSN and GID with colons between them, and a closing zero. */
const END_BYTES = 52;
const PATTERN = /^([0-9a-f]{4}):([0-9a-f]{6}):([0-9a-f]{6}):([0-9a-f]{32})$/i;

function emitEnd({ qpn, psn, gid }: PingPongEnd): Uint8Array {
  const hex = (value: number) => value.toString(16).padStart(6, '0');
  return cString(`0000:${hex(qpn)}:${hex(psn)}:${formatGid(parseGid(gid)).replaceAll(':', '')}`, END_BYTES);
}

function parseEnd(bytes: Uint8Array): PingPongEnd {
  const text = fromCString(bytes);
  const fields = PATTERN.exec(text);
  if (fields === null) throw exchangeError('address', text.slice(0, END_BYTES), 'LID:QPN:PSN:GID');
  const groups = fields[4].match(/.{4}/g) as string[];
  return { qpn: Number.parseInt(fields[2], 16), psn: Number.parseInt(fields[3], 16), gid: groups.join(':') };
}

/**
 * The exchange of `ibv_rc_pingpong`, `ibv_uc_pingpong` and `ibv_ud_pingpong`. Each side brings its queue pair up before
 * the other hears that it may send: `connect` is called with the peer's end at the right moment.
 *
 * @example
 * await exchangePingPong(channel, 'server', own, (theirs) => connect(qp, theirs));
 */
export async function exchangePingPong(
  channel: ByteChannel,
  role: ExchangeRole,
  own: PingPongEnd,
  connect: (theirs: PingPongEnd) => void,
): Promise<PingPongEnd> {
  const done = cString('done', 5);
  if (role === 'client') {
    await channel.write(emitEnd(own));
    const theirs = parseEnd(await channel.read(END_BYTES));
    connect(theirs);
    await channel.write(done);
    return theirs;
  }
  const theirs = parseEnd(await channel.read(END_BYTES));
  connect(theirs);
  await channel.write(emitEnd(own));
  await channel.read(done.length);
  return theirs;
}

/** An end that there is not. */
export const NO_END: PingPongEnd = { qpn: 0, psn: 0, gid: '::' };

/**
 * The same for `ibv_srq_pingpong`: as many ends as it tells, one after the other.
 *
 * @example
 * await exchangeManyEnds(channel, 'server', own, (theirs) => connectAll(theirs));
 */
export async function exchangeManyEnds(
  channel: ByteChannel,
  role: ExchangeRole,
  own: readonly PingPongEnd[],
  connect: (theirs: readonly PingPongEnd[]) => void,
): Promise<void> {
  const done = cString('done', 5);
  const tell = async () => {
    for (const end of own) await channel.write(emitEnd(end));
  };
  const hear = async () => {
    const theirs: PingPongEnd[] = [];
    while (theirs.length < own.length) theirs.push(parseEnd(await channel.read(END_BYTES)));
    return theirs;
  };
  if (role === 'client') {
    await tell();
    connect(await hear());
    await channel.write(done);
    return;
  }
  connect(await hear());
  await tell();
  await channel.read(done.length);
}
