import { exchangeError } from '../perftest/byte-channel.js';

// What the two sides of qperf 0.4 tell each other over TCP: packed, little endian, as long as the C structures are.

export const REQUEST_BYTES = 200;
/** Eight bytes and seven words are 36; the structure ends at a multiple of eight. */
export const NODE_BYTES = 40;
/** Three words, 18 times and four tallies are 252. */
export const STATISTICS_BYTES = 256;
export const VERSION = { major: 0, minor: 4, increment: 11 } as const;
/** How each side says that it is there. */
export const SYNC = { before: 'synchronization before test', after: 'synchronization after test' } as const;

const TIMES = 9;
/** Which of the nine times is which; the others are idle time and parts of the kernel's. */
const REAL = 0;
const USER = 1;
const KERNEL = 3;
/** Words of a request before the two texts, in their order. */
const WORDS = [
  ...['accessReceived', 'affinity', 'alternatePort', 'flip', 'sizeBytes', 'mtu', 'messages', 'pollMode'],
  ...['port', 'rdAtomic', 'serviceLevel', 'socketBytes', 'pathBits', 'seconds', 'timeoutSeconds', 'useCm'],
] as const;
const WORDS_AT = 8;

/** What a client asks for. */
export interface QperfRequest {
  index: number;
  sizeBytes: number;
  /** Messages of a bandwidth test; 0: as many as the time allows. */
  messages: number;
  seconds: number;
  timeoutSeconds: number;
  useCm: boolean;
}

/** Where a side's memory is. The rest of what qperf tells here matters without RDMA-CM alone. */
export interface QperfNode {
  addr: number;
  rkey: number;
}

/** Messages in one direction. */
export interface Tally {
  bytes: number;
  messages: number;
}

/** What a side counted. What it knows of the other side's part is apart: the other side may not notice it. */
export interface QperfStatistics {
  mostCqes: number;
  processors: number;
  elapsedNs: number;
  userNs: number;
  kernelNs: number;
  sent: Tally;
  received: Tally;
  theirSent: Tally;
  theirReceived: Tally;
}

/** qperf reads times in units that the sender names; this side's are microseconds. */
const TICKS_PER_SECOND = 1_000_000;

export function emitRequest(request: QperfRequest): Uint8Array {
  const bytes = new Uint8Array(REQUEST_BYTES);
  const view = new DataView(bytes.buffer);
  const { major, minor, increment } = VERSION;
  for (const [at, value] of [major, minor, increment, request.index].entries())
    view.setUint16(2 * at, value, true);
  const put = (name: (typeof WORDS)[number], value: number) =>
    view.setUint32(WORDS_AT + 4 * WORDS.indexOf(name), value, true);
  put('sizeBytes', request.sizeBytes);
  put('messages', request.messages);
  put('seconds', request.seconds);
  put('timeoutSeconds', request.timeoutSeconds);
  put('useCm', request.useCm ? 1 : 0);
  return bytes;
}

export function parseRequest({ buffer, byteOffset }: Uint8Array): QperfRequest {
  const view = new DataView(buffer, byteOffset, REQUEST_BYTES);
  const version = [0, 2, 4].map((at) => view.getUint16(at, true));
  if (version[0] !== VERSION.major || version[1] !== VERSION.minor)
    throw exchangeError('version', version.join('.'), `qperf ${VERSION.major}.${VERSION.minor}`);
  const word = (name: (typeof WORDS)[number]) => view.getUint32(WORDS_AT + 4 * WORDS.indexOf(name), true);
  return {
    ...{ index: view.getUint16(6, true), sizeBytes: word('sizeBytes'), messages: word('messages') },
    ...{ seconds: word('seconds'), timeoutSeconds: word('timeoutSeconds'), useCm: word('useCm') !== 0 },
  };
}

export function emitNode({ addr, rkey }: QperfNode): Uint8Array {
  const bytes = new Uint8Array(NODE_BYTES);
  const view = new DataView(bytes.buffer);
  view.setBigUint64(0, BigInt(addr), true);
  view.setUint32(24, rkey, true);
  // One READ or atomic at a time: what both sides say to RDMA-CM.
  view.setUint32(32, 1, true);
  return bytes;
}

export function parseNode({ buffer, byteOffset }: Uint8Array): QperfNode {
  const view = new DataView(buffer, byteOffset, NODE_BYTES);
  return { addr: Number(view.getBigUint64(0, true)), rkey: view.getUint32(24, true) };
}

export function emitStatistics(statistics: QperfStatistics): Uint8Array {
  const bytes = new Uint8Array(STATISTICS_BYTES);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, statistics.processors, true);
  view.setUint32(4, TICKS_PER_SECOND, true);
  view.setUint32(8, statistics.mostCqes, true);
  const end = (index: number, ns: number) =>
    view.setBigUint64(12 + 8 * (TIMES + index), BigInt(Math.round((ns / 1e9) * TICKS_PER_SECOND)), true);
  end(REAL, statistics.elapsedNs);
  end(USER, statistics.userNs);
  end(KERNEL, statistics.kernelNs);
  for (const [index, tally] of talliesOf(statistics).entries()) {
    const at = 12 + 8 * 2 * TIMES + 24 * index;
    view.setBigUint64(at, BigInt(tally.bytes), true);
    view.setBigUint64(at + 8, BigInt(tally.messages), true);
  }
  return bytes;
}

export function parseStatistics({ buffer, byteOffset }: Uint8Array): QperfStatistics {
  const view = new DataView(buffer, byteOffset, STATISTICS_BYTES);
  const ticks = view.getUint32(4, true);
  if (ticks === 0) throw exchangeError('ticks per second', 0, 'more than 0');
  const time = (index: number) => {
    const at = (place: number) => Number(view.getBigUint64(12 + 8 * place, true));
    return ((at(TIMES + index) - at(index)) / ticks) * 1e9;
  };
  const tally = (index: number) => {
    const at = 12 + 8 * 2 * TIMES + 24 * index;
    return { bytes: Number(view.getBigUint64(at, true)), messages: Number(view.getBigUint64(at + 8, true)) };
  };
  return {
    ...{ processors: view.getUint32(0, true), mostCqes: view.getUint32(8, true) },
    ...{ elapsedNs: time(REAL), userNs: time(USER), kernelNs: time(KERNEL) },
    ...{ sent: tally(0), received: tally(1), theirSent: tally(2), theirReceived: tally(3) },
  };
}

function talliesOf({ sent, received, theirSent, theirReceived }: QperfStatistics): Tally[] {
  return [sent, received, theirSent, theirReceived];
}
