import { type Burst, LossProcess, Random } from '../../engine/index.js';
import { KelpieError } from '../../error.js';
import { OPCODES } from '../../wire/ib/opcode.js';
import { kindMask, PACKET_KINDS, type PacketKind, packetKindOf } from '../../wire/ib/packet-kind.js';
import type { Direction } from './middleware.js';

/** What can be done to a packet. */
export const FAULT_ACTIONS = ['drop', 'duplicate', 'reorder', 'corrupt', 'delay', 'mark'] as const;
export type FaultAction = (typeof FAULT_ACTIONS)[number];

/**
 * A fault at packets that are named by what they are and not by numbers that differ from run to run: the n-th
 * transmission of the k-th packet of the m-th queue pair. What is left out matches everything.
 */
export interface FaultRule {
  action: FaultAction;
  direction?: Direction;
  /** The queue pair that the packet goes to, counted in the order in which they first appear in this direction, from 0. */
  qp?: number;
  /** The PSN counted from the first one seen of the same queue pair and stream, or a range of them, both ends included. */
  psn?: number | readonly [number, number];
  /** The how-many-th time that this PSN passes, from 1. */
  transmission?: number;
  /** Requests or responses; both streams have PSNs of their own. */
  stream?: 'request' | 'response';
  /** What it is. */
  kind?: PacketKind;
  /** With `delay`: for how long. With `reorder`: until then at the latest, if no other packet passes. */
  delayNs?: number;
}

/** Probabilities of each fault for every packet, each drawn by itself. */
export interface FaultRates {
  /** With `burst`: in good times. */
  loss?: number;
  /** Losses in bursts, by Gilbert and Elliott's model. */
  burst?: Burst;
  /** The kinds of packets that are struck; default: all. */
  kinds?: readonly PacketKind[];
  /** The direction in which packets are struck; default: both. */
  direction?: Direction;
  duplication?: number;
  reordering?: number;
  corruption?: number;
  marking?: number;
  /** How long a reordered packet is held where nothing else passes it. */
  reorderDelayNs?: number;
}

/** What a network does to packets. The same description and seed do the same to the same packets. */
export interface NetworkFaults {
  rules?: readonly FaultRule[];
  rates?: FaultRates;
  seed?: number;
}

/** Bits of what becomes of a packet; 0 where nothing does. */
export const Fate = { DROP: 1, DUPLICATE: 2, REORDER: 4, CORRUPT: 8, DELAY: 16, MARK: 32 } as const;

const FATE_OF: Readonly<Record<FaultAction, number>> = {
  drop: Fate.DROP,
  duplicate: Fate.DUPLICATE,
  reorder: Fate.REORDER,
  corrupt: Fate.CORRUPT,
  delay: Fate.DELAY,
  mark: Fate.MARK,
};

/** How long a packet is held unless set. */
export const DEFAULT_HOLD_NS = 5000;
/** Packets of a stream whose transmissions are counted at a time. */
const REMEMBERED = 65536;
/** Streams that are told apart; a flood of made-up queue pair numbers must not fill the memory. */
const MOST_STREAMS = 65536;
const PSN_MASK = 0xffffff;
const DIRECTIONS: readonly Direction[] = ['sent', 'received'];

const RESPONSES = new Uint8Array(256);
for (const { opcode, operation } of OPCODES) {
  if (operation === 'read-response' || operation === 'acknowledge' || operation === 'atomic-acknowledge')
    RESPONSES[opcode] = 1;
}

/** What was seen of one stream: requests or responses to one queue pair. */
interface Stream {
  qp: number;
  firstPsn: number;
  /** How often a PSN passed, for those that a rule counts. */
  passed: Map<number, number>;
}

/**
 * Decides what becomes of each packet. Rules come before rates: a packet that a rule matches draws nothing.
 *
 * @example
 * const plan = new FaultPlan({ rules: [{ action: 'drop', qp: 0, psn: 3, transmission: 1 }], seed: 7 });
 * const fate = plan.decide('sent', opcode, destQpn, psn);
 * if ((fate & Fate.DROP) !== 0) return;
 */
export class FaultPlan {
  /** How often each fault struck. */
  readonly struck: Record<FaultAction, number> = {
    drop: 0,
    duplicate: 0,
    reorder: 0,
    corrupt: 0,
    delay: 0,
    mark: 0,
  };
  /** How long the packet of the last decision is held, where its fate is DELAY or REORDER. */
  holdNs = 0;
  private readonly rules: readonly FaultRule[];
  private readonly rates: Required<Omit<FaultRates, 'burst' | 'kinds' | 'direction'>>;
  private readonly kinds: number;
  private readonly direction: Direction | undefined;
  private readonly losses: LossProcess;
  private readonly hasRates: boolean;
  private readonly counts: boolean;
  private readonly random: Random;
  private readonly streams = {
    sent: new Map<number, Stream>(),
    received: new Map<number, Stream>(),
  };
  private readonly qps = { sent: new Map<number, number>(), received: new Map<number, number>() };

  constructor(description: NetworkFaults) {
    checkDescription(description);
    this.rules = description.rules ?? [];
    this.counts = this.rules.some(({ transmission }) => transmission !== undefined);
    const { burst, kinds, direction, ...rates } = description.rates ?? {};
    this.kinds = kindMask(kinds);
    this.direction = direction;
    this.rates = {
      loss: 0,
      duplication: 0,
      reordering: 0,
      corruption: 0,
      marking: 0,
      reorderDelayNs: DEFAULT_HOLD_NS,
      ...rates,
    };
    const { reorderDelayNs: _, ...probabilities } = this.rates;
    this.hasRates = burst !== undefined || Object.values(probabilities).some((rate) => rate > 0);
    this.random = new Random(description.seed ?? 1).split('faults');
    this.losses = new LossProcess(this.rates.loss, burst, this.random);
  }

  /** A packet passes: bits of {@link Fate}. `syndrome` is that of its AETH, if it has one. */
  decide(direction: Direction, opcode: number, destQpn: number, psn: number, syndrome = 0): number {
    this.holdNs = 0;
    const kind = packetKindOf(opcode, syndrome);
    const fate = this.rules.length > 0 ? this.byRule(direction, opcode, destQpn, psn, kind) : 0;
    const struck = this.hasRates && (this.direction ?? direction) === direction && (this.kinds >> kind) & 1;
    const whole = fate === 0 && struck ? this.byRate() : fate;
    if (whole !== 0) this.count(whole);
    return whole;
  }

  /** A place below `bytes` to corrupt. */
  corruptionAt(bytes: number): number {
    return this.random.nextInt(bytes);
  }

  private byRule(direction: Direction, opcode: number, destQpn: number, psn: number, kind: number): number {
    const response = RESPONSES[opcode];
    const stream = this.streamOf(direction, response, destQpn, psn);
    const relative = (psn - stream.firstPsn) & PSN_MASK;
    const transmission = this.counts ? this.transmissionOf(stream, relative) : 1;
    let fate = 0;
    for (const rule of this.rules) {
      if (rule.direction !== undefined && rule.direction !== direction) continue;
      if (rule.stream !== undefined && (rule.stream === 'response') !== (response === 1)) continue;
      if (rule.kind !== undefined && rule.kind !== PACKET_KINDS[kind]) continue;
      if (rule.qp !== undefined && rule.qp !== stream.qp) continue;
      if (rule.transmission !== undefined && rule.transmission !== transmission) continue;
      if (rule.psn !== undefined && !within(rule.psn, relative)) continue;
      fate |= FATE_OF[rule.action];
      if (rule.action === 'delay' || rule.action === 'reorder') this.holdNs = rule.delayNs ?? DEFAULT_HOLD_NS;
    }
    return fate;
  }

  private byRate(): number {
    const { random, rates } = this;
    // Every rate draws for every packet, so that one rate does not change where another strikes.
    const drop = this.losses.loses() ? Fate.DROP : 0;
    const duplicate = random.nextFloat() < rates.duplication ? Fate.DUPLICATE : 0;
    const reorder = random.nextFloat() < rates.reordering ? Fate.REORDER : 0;
    const corrupt = random.nextFloat() < rates.corruption ? Fate.CORRUPT : 0;
    const mark = random.nextFloat() < rates.marking ? Fate.MARK : 0;
    if (drop !== 0) return drop;
    if (reorder !== 0) this.holdNs = rates.reorderDelayNs;
    return duplicate | reorder | corrupt | mark;
  }

  private count(fate: number): void {
    for (const action of FAULT_ACTIONS) if ((fate & FATE_OF[action]) !== 0) this.struck[action]++;
  }

  private streamOf(direction: Direction, response: number, destQpn: number, psn: number): Stream {
    const streams = this.streams[direction];
    const key = 2 * destQpn + response;
    let stream = streams.get(key);
    if (stream === undefined) {
      const qps = this.qps[direction];
      let qp = qps.get(destQpn);
      if (qp === undefined) {
        qp = qps.size;
        if (qp < MOST_STREAMS) qps.set(destQpn, qp);
      }
      stream = { qp, firstPsn: psn, passed: new Map() };
      if (streams.size < MOST_STREAMS) streams.set(key, stream);
    }
    return stream;
  }

  private transmissionOf({ passed }: Stream, relative: number): number {
    const transmission = (passed.get(relative) ?? 0) + 1;
    passed.set(relative, transmission);
    if (passed.size > REMEMBERED) passed.delete(passed.keys().next().value as number);
    return transmission;
  }
}

function within(range: number | readonly [number, number], value: number): boolean {
  return typeof range === 'number' ? value === range : value >= range[0] && value <= range[1];
}

function checkDescription({ rules = [], rates = {} }: NetworkFaults): void {
  for (const [index, rule] of rules.entries()) {
    if (!FAULT_ACTIONS.includes(rule.action)) {
      throw new KelpieError('FAULT_ACTION', 'there is no such fault', {
        field: `rules[${index}].action`,
        given: rule.action,
        allowed: FAULT_ACTIONS.join(', '),
      });
    }
  }
  const { burst, kinds = [], direction, ...numbers } = rates;
  requireOneOf('rates.direction', direction, DIRECTIONS);
  for (const [index, kind] of kinds.entries()) requireOneOf(`rates.kinds[${index}]`, kind, PACKET_KINDS);
  for (const [index, { kind }] of rules.entries()) requireOneOf(`rules[${index}].kind`, kind, PACKET_KINDS);
  checkRates(numbers, 'rates');
  if (burst !== undefined)
    checkRates({ begin: burst.begin, end: burst.end, loss: burst.loss }, 'rates.burst');
}

function requireOneOf(field: string, given: string | undefined, allowed: readonly string[]): void {
  if (given === undefined || allowed.includes(given)) return;
  throw new KelpieError('FAULT_KIND', 'there is no such packet or direction', {
    field,
    given,
    allowed: allowed.join(', '),
  });
}

function checkRates(rates: Readonly<Record<string, number>>, at: string): void {
  for (const [name, value] of Object.entries(rates)) {
    const good = name === 'reorderDelayNs' ? value >= 0 : value >= 0 && value <= 1;
    if (!good) {
      throw new KelpieError('FAULT_RATE', 'this is not a probability', {
        field: `${at}.${name}`,
        given: value,
        allowed: name === 'reorderDelayNs' ? '0 and up' : '0 to 1',
      });
    }
  }
}
