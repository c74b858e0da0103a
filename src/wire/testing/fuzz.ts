import { Random } from '../../engine/random.js';
import { KelpieError } from '../../error.js';
import { isRefusal, type Refusal } from '../bytes/refusal.js';
import { type FuzzTarget, LARGEST_SAMPLE_BYTES } from './fuzz-target.js';
import { FUZZ_TARGETS } from './fuzz-targets.js';
import { sameMeaning } from './same-meaning.js';

/** What to run. */
export interface FuzzOptions {
  seed: number;
  /** How many mutated packets. */
  packets: number;
  /** The rows to run; all of them where absent. */
  targets?: readonly FuzzTarget[];
}

/** One thing that must not happen, with the bytes that made it happen. */
export interface FuzzFailure {
  target: string;
  mutation: string;
  /** What went wrong. */
  problem: string;
  /** The packet in hexadecimal. */
  bytes: string;
}

/** What a run saw. */
export interface FuzzReport {
  seed: number;
  packets: number;
  /** Calls of decoders. */
  decodes: number;
  /** Decodes that gave a meaning. */
  accepted: number;
  /** Meanings that were written back and read again. */
  roundTrips: number;
  /** Refusals by `header: reason`. */
  refused: Record<string, number>;
  /** Accepted packets by the row they were made for. */
  acceptedByTarget: Record<string, number>;
  /** How many failures there were; `failures` keeps the first. */
  failed: number;
  failures: FuzzFailure[];
}

const CORPUS_PER_TARGET = 64;
const REFRESH_EVERY = 128;
const KEPT_FAILURES = 20;
/** Foreign bytes around a packet, of which no decoder may take notice. */
const GUARD_BYTES = 64;
const LARGEST_BYTES = LARGEST_SAMPLE_BYTES + 64;
const ARENA_BYTES = LARGEST_BYTES + 2 * GUARD_BYTES;
const UNTOUCHED = 0xa5;
const EDGES = [0x00, 0x01, 0x7f, 0x80, 0xfe, 0xff];

type Mutation = 'none' | 'flip' | 'set' | 'truncate' | 'extend' | 'splice' | 'random';
const MUTATIONS: readonly Mutation[] = [
  'none',
  'flip',
  'flip',
  'set',
  'truncate',
  'extend',
  'splice',
  'random',
];

class Fuzzer {
  readonly report: FuzzReport;
  readonly #random: Random;
  readonly #targets: readonly FuzzTarget[];
  readonly #corpus: Uint8Array[][];
  readonly #arena = new Uint8Array(ARENA_BYTES);
  readonly #output = new Uint8Array(ARENA_BYTES);
  readonly #refused = new Map<Refusal, number>();
  readonly #acceptedByTarget: number[];

  constructor(options: FuzzOptions) {
    this.#random = new Random(options.seed);
    this.#targets = options.targets ?? FUZZ_TARGETS;
    this.#acceptedByTarget = this.#targets.map(() => 0);
    this.report = {
      seed: options.seed,
      packets: options.packets,
      decodes: 0,
      accepted: 0,
      roundTrips: 0,
      refused: {},
      acceptedByTarget: {},
      failed: 0,
      failures: [],
    };
    this.#corpus = this.#targets.map((target) =>
      Array.from({ length: CORPUS_PER_TARGET }, () => this.#sample(target)),
    );
  }

  run(): FuzzReport {
    const { report } = this;
    for (let packet = 0; packet < report.packets; packet += 1) {
      const index = packet % this.#targets.length;
      if (this.#random.nextInt(REFRESH_EVERY) === 0) {
        this.#corpus[index][this.#random.nextInt(CORPUS_PER_TARGET)] = this.#sample(this.#targets[index]);
      }
      const mutation = this.#random.pick(MUTATIONS);
      const end = GUARD_BYTES + this.#mutate(mutation, index);
      if (this.#random.nextInt(2) === 0) this.#targets[index].repair?.(this.#arena, GUARD_BYTES, end);
      this.#offer(index, mutation, end);
    }
    for (const [refused, count] of this.#refused) report.refused[String(refused)] = count;
    this.#targets.forEach((target, index) => {
      report.acceptedByTarget[target.name] = this.#acceptedByTarget[index];
    });
    return report;
  }

  #sample(target: FuzzTarget): Uint8Array {
    const size = target.sample(this.#random, this.#arena, GUARD_BYTES);
    return this.#arena.slice(GUARD_BYTES, GUARD_BYTES + size);
  }

  /** Puts a mutated packet behind the first guard of the arena and returns its size. */
  #mutate(mutation: Mutation, index: number): number {
    const random = this.#random;
    const source = random.pick(this.#corpus[index]);
    const arena = this.#arena;
    arena.set(source, GUARD_BYTES);
    const size = source.length;
    switch (mutation) {
      case 'none':
        return size;
      case 'flip':
        for (let left = random.nextInt(4); left >= 0; left -= 1) {
          arena[GUARD_BYTES + random.nextInt(size)] ^= 1 << random.nextInt(8);
        }
        return size;
      case 'set':
        for (let left = random.nextInt(3); left >= 0; left -= 1) {
          arena[GUARD_BYTES + random.nextInt(size)] = random.pick(EDGES);
        }
        return size;
      case 'truncate':
        return random.nextInt(size);
      case 'extend':
        return this.#scribble(size, 1 + random.nextInt(LARGEST_BYTES - LARGEST_SAMPLE_BYTES));
      case 'splice': {
        const other = random.pick(random.pick(this.#corpus));
        const from = random.nextInt(other.length);
        const at = Math.min(random.nextInt(size), LARGEST_BYTES - (other.length - from));
        arena.set(other.subarray(from), GUARD_BYTES + at);
        return at + other.length - from;
      }
      case 'random':
        return this.#scribble(0, random.nextInt(160));
    }
  }

  #scribble(from: number, size: number): number {
    for (let at = 0; at < size; at += 1) this.#arena[GUARD_BYTES + from + at] = this.#random.nextUint32();
    return from + size;
  }

  /** The decoder that a packet was made for sees it, and so does one at random: a receiver may guess wrong. */
  #offer(own: number, mutation: Mutation, end: number): void {
    this.#surround(0x00, end);
    this.#try(own, own, mutation, end);
    this.#try(this.#random.nextInt(this.#targets.length), own, mutation, end);
  }

  #try(index: number, own: number, mutation: Mutation, end: number): void {
    const target = this.#targets[index];
    try {
      const outcome = target.decode(this.#arena, GUARD_BYTES, end);
      this.#count(outcome, index, own);
      this.#checkBounds(target, outcome, mutation, end);
      if (!isRefusal(outcome)) this.#checkRoundTrip(target, outcome, mutation, end);
    } catch (error) {
      this.#fail(target, mutation, end, `threw ${error instanceof Error ? error.stack : String(error)}`);
    }
  }

  #count(outcome: unknown, index: number, own: number): void {
    this.report.decodes += 1;
    if (isRefusal(outcome)) {
      this.#refused.set(outcome, (this.#refused.get(outcome) ?? 0) + 1);
      return;
    }
    this.report.accepted += 1;
    if (index === own) this.#acceptedByTarget[index] += 1;
  }

  /** A typed array does not tell of reads past a packet's end, but an outcome that depends on its surroundings does. */
  #checkBounds(target: FuzzTarget, outcome: unknown, mutation: Mutation, end: number): void {
    this.#surround(0xff, end);
    const again = target.decode(this.#arena, GUARD_BYTES, end);
    this.#surround(0x00, end);
    if (!sameMeaning(again, outcome)) {
      this.#fail(target, mutation, end, 'the outcome depends on bytes outside the packet');
    }
  }

  #surround(value: number, end: number): void {
    this.#arena.fill(value, 0, GUARD_BYTES);
    this.#arena.fill(value, end, end + GUARD_BYTES);
  }

  #checkRoundTrip(target: FuzzTarget, meaning: unknown, mutation: Mutation, end: number): void {
    if (target.emit === undefined) return;
    const output = this.#output;
    output.fill(UNTOUCHED);
    const outputEnd = GUARD_BYTES + target.emit(meaning, output, GUARD_BYTES);
    this.report.roundTrips += 1;
    for (let at = 0; at < GUARD_BYTES; at += 1) {
      if (output[at] !== UNTOUCHED || output[outputEnd + at] !== UNTOUCHED) {
        this.#fail(target, mutation, end, 'emit wrote outside the bytes it reports');
        return;
      }
    }
    const again = target.decode(output, GUARD_BYTES, outputEnd);
    if (!sameMeaning(again, meaning)) {
      this.#fail(
        target,
        mutation,
        end,
        `emitted, it parses as ${isRefusal(again) ? again : 'another meaning'}`,
      );
    }
  }

  #fail(target: FuzzTarget, mutation: Mutation, end: number, problem: string): void {
    this.report.failed += 1;
    if (this.report.failures.length >= KEPT_FAILURES) return;
    const packet = this.#arena.subarray(GUARD_BYTES, end);
    const bytes = Array.from(packet, (byte) => byte.toString(16).padStart(2, '0')).join('');
    this.report.failures.push({ target: target.name, mutation, problem, bytes });
  }
}

/**
 * Mutates valid packets of every kind and offers each to its own decoder and to one at random. A decoder that throws, whose
 * outcome depends on bytes outside the packet, or whose accepted meaning does not survive being emitted and parsed again,
 * fails.
 *
 * @example
 * const report = fuzzWire({ seed: 1, packets: 1_000_000 });
 * console.log(report.failed, report.accepted, report.refused);
 */
export function fuzzWire(options: FuzzOptions): FuzzReport {
  if (!(Number.isInteger(options.packets) && options.packets >= 1)) {
    throw new KelpieError('FUZZ_OUT_OF_RANGE', 'a fuzz run needs packets', {
      field: 'packets',
      given: options.packets,
      allowed: 'an integer from 1 on',
    });
  }
  return new Fuzzer(options).run();
}
