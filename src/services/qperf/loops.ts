import { KelpieError } from '../../error.js';
import type { SendWr } from '../../verbs/index.js';
import { type ExchangeRole, exchangeError } from '../perftest/byte-channel.js';
import type { QperfNode, QperfStatistics, Tally } from './messages.js';
import type { QperfDepths, QperfEnd } from './qperf-end.js';
import type { QperfTest } from './test-table.js';

const ATOMIC_BYTES = 8;
/** A virtual clock moves only as far as somebody sleeps. qperf's shortest test is a second, so the turns are long. */
const VIRTUAL_TURN_NS = 10_000;
/** What a polled message of each side is filled with: qperf's own values. */
const MARK = { client: 0x55, server: 0xaa } as const;
/** The first value that qperf's compare and swap puts there. */
const FIRST_SWAP = 0x0123456789abcdefn;

/** What each side counts. */
export type Counts = Pick<QperfStatistics, 'sent' | 'received' | 'theirSent' | 'theirReceived' | 'mostCqes'>;

/** One side's part in a test. */
export interface Part {
  test: QperfTest;
  role: ExchangeRole;
  theirs: QperfNode;
  /** Messages to move; infinite where the time decides. */
  messages: number;
  durationNs: number;
  /** Whether the other program has hung up: then nothing comes any more, and nobody says so. */
  isGone: () => boolean;
  signal?: AbortSignal;
}

/** How many requests a side has at a time. */
export function depthsOf({ motion, depth }: QperfTest, role: ExchangeRole): QperfDepths {
  const both = motion === 'both' || motion === 'ping-pong';
  const sends = both || motion === 'polled' || role === 'client';
  const receives = both || (motion === 'stream' && role === 'server');
  return { send: sends ? depth : 0, receive: receives ? depth : 0 };
}

/** What must be done before the other side may begin. */
export function prepare({ memory }: QperfEnd, { test, role }: Pick<Part, 'test' | 'role'>): void {
  if (test.motion === 'polled') mark(memory, MARK[role]);
}

/** Moves what the test moves until its end. */
export async function play(end: QperfEnd, part: Part): Promise<Counts> {
  const tally = (): Tally => ({ bytes: 0, messages: 0 });
  const counts: Counts = {
    ...{ sent: tally(), received: tally(), theirSent: tally(), theirReceived: tally() },
    mostCqes: 0,
  };
  const { clock } = end.context;
  const endNs = clock.nowNs + part.durationNs;
  const isOver = () => clock.nowNs >= endNs;
  if (part.test.motion === 'ping-pong') await pingPong(end, part, counts, isOver);
  else if (part.test.motion === 'polled') await poll(end, part, counts, isOver);
  else await move(end, part, counts, isOver);
  return counts;
}

function count(tally: Tally, messages: number, sizeBytes: number): void {
  tally.messages += messages;
  tally.bytes += messages * sizeBytes;
}

function breathe({ context: { clock } }: QperfEnd, { signal, isGone }: Part): Promise<void> {
  signal?.throwIfAborted();
  if (isGone()) throw exchangeError('peer', 'the end of its connection', 'the whole test');
  return clock.sleep(clock.virtual ? VIRTUAL_TURN_NS : 0);
}

/** As many requests and receives as there is room for, each posted again when it has ended. */
async function move(end: QperfEnd, part: Part, counts: Counts, isOver: () => boolean): Promise<void> {
  const { test, theirs, messages } = part;
  const { sizeBytes, depths } = end;
  const asked = test.motion === 'asked';
  const atomic = test.opcode.startsWith('ATOMIC');
  const slots = atomic && test.verified ? Math.min(depths.send, Math.floor(sizeBytes / ATOMIC_BYTES)) : 1;
  const requests = Array.from({ length: slots }, (_, slot) => end.requestOf(test.opcode, theirs, slot));
  const sequence = test.verified ? new AtomicSequence(end.memory, test.opcode) : null;
  let posted = 0;
  let ended = 0;
  let arrived = 0;
  const onEnd = sequence === null ? undefined : (slot: number) => sequence.check(slot);
  const room = test.verified ? slots : depths.send;
  while (!isOver() && Math.max(ended, arrived) < messages) {
    for (; depths.send > 0 && posted - ended < room && posted < messages; posted++) {
      const request = requests[posted % slots];
      sequence?.fill(request, posted);
      end.qp.postSend(request);
      if (!asked) count(counts.sent, 1, sizeBytes);
    }
    const done = depths.send > 0 ? end.ended(onEnd) : 0;
    const came = depths.receive > 0 ? end.arrived() : 0;
    ended += done;
    arrived += came;
    end.postReceives(came);
    count(counts.received, came, sizeBytes);
    counts.mostCqes = Math.max(counts.mostCqes, done + came);
    if (asked && atomic) count(counts.theirReceived, done, ATOMIC_BYTES);
    else if (asked) {
      count(counts.received, done, sizeBytes);
      count(counts.theirSent, done, sizeBytes);
    }
    if (done + came === 0) await breathe(end, part);
  }
}

/** What atomics on one word must bring back, one after the other. */
class AtomicSequence {
  private readonly view: DataView;
  private readonly swaps: boolean;
  private next = 0;

  constructor({ buffer, byteOffset }: Uint8Array, opcode: QperfTest['opcode']) {
    this.view = new DataView(buffer, byteOffset);
    this.swaps = opcode === 'ATOMIC_CMP_AND_SWP';
  }

  /** What the word holds before the atomic of this number. */
  private before(number: number): bigint {
    if (!this.swaps) return BigInt(number);
    return number === 0 ? 0n : FIRST_SWAP + BigInt(number - 1);
  }

  /** Puts the operands of the atomic of this number into its request. */
  fill(request: SendWr, number: number): void {
    if (request.opcode === 'ATOMIC_FETCH_AND_ADD') request.compareAdd = 1n;
    if (request.opcode !== 'ATOMIC_CMP_AND_SWP') return;
    request.compareAdd = this.before(number);
    request.swap = this.before(number + 1);
  }

  check(slot: number): void {
    const wanted = this.before(this.next++);
    const seen = this.view.getBigUint64(ATOMIC_BYTES * slot, true);
    if (seen === wanted) return;
    throw new KelpieError('CANNOT_RUN', 'an atomic brought back the wrong value', {
      field: `atomic ${this.next}`,
      given: `0x${seen.toString(16)}`,
      allowed: `0x${wanted.toString(16)}`,
    });
  }
}

/** Sends when the last message has gone and the answer has come; the client begins. */
async function pingPong(end: QperfEnd, part: Part, counts: Counts, isOver: () => boolean): Promise<void> {
  const { sizeBytes } = end;
  const request = end.requestOf(part.test.opcode, part.theirs);
  let gone = true;
  let come = part.role === 'client';
  while (!isOver()) {
    if (gone && come) {
      end.qp.postSend(request);
      count(counts.sent, 1, sizeBytes);
      gone = come = false;
    }
    if (end.ended() > 0) gone = true;
    if (end.arrived() > 0) {
      come = true;
      end.postReceives(1);
      count(counts.received, 1, sizeBytes);
    }
    if (!(gone && come)) await breathe(end, part);
  }
}

/** The same, looking at the memory: a message is there when its first and last byte are the other side's. */
async function poll(end: QperfEnd, part: Part, counts: Counts, isOver: () => boolean): Promise<void> {
  const { memory, sizeBytes } = end;
  const request = end.requestOf(part.test.opcode, part.theirs);
  const theirs = MARK[part.role === 'client' ? 'server' : 'client'];
  for (let sends = part.role === 'client'; !isOver(); sends = true) {
    if (sends) {
      end.qp.postSend(request);
      count(counts.sent, 1, sizeBytes);
    }
    while (!(memory[0] === theirs && memory.at(-1) === theirs)) {
      if (isOver()) return;
      end.ended();
      await breathe(end, part);
    }
    count(counts.received, 1, sizeBytes);
    mark(memory, MARK[part.role]);
  }
}

function mark(memory: Uint8Array, value: number): void {
  memory[0] = value;
  memory[memory.length - 1] = value;
}
