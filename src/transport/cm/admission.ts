import type { Gid } from '../../wire/ib/gid.js';
import type { CmConnection } from './connection.js';
import { type CmState, HALF_OPEN_STATES } from './event.js';
import type { CmLimits } from './limits.js';
import { Proofs } from './proof.js';

/** A peer may have this part of the questions that are still free, and at least this many. */
const FREE_PER_PEER = 16;
const LEAST_CHALLENGES = 4;
/** Parts of a peer's rate and of its burst up to which it asks now and then, and is not held up by those who ask often. */
const OCCASIONAL_RATE = 1 / 20;
const OCCASIONAL_BURST = 1 / 8;

/** Tokens that come back with time, up to a burst. */
class Bucket {
  tokens: number;
  private atNs: number;
  private readonly perSecond: number;
  private readonly burst: number;

  constructor(perSecond: number, burst: number, nowNs: number) {
    this.perSecond = perSecond;
    this.burst = burst;
    this.tokens = burst;
    this.atNs = nowNs;
  }

  /** Whether nothing is missing, as of the last time that somebody looked. */
  get full(): boolean {
    return this.tokens >= this.burst;
  }

  /** Whether there is a token now. */
  has(nowNs: number): boolean {
    this.tokens = Math.min(this.burst, this.tokens + ((nowNs - this.atNs) / 1e9) * this.perSecond);
    this.atNs = nowNs;
    return this.tokens >= 1;
  }
}

/** Why a peer is not heard. */
export const Overdraft = { NONE: 0, TOO_OFTEN: 1, UNANSWERED: 2 } as const;

/** What is counted about whoever sends from one address. */
export class CmPeer {
  readonly key: string;
  readonly halfOpen = new Set<CmConnection>();
  readonly challenged = new Set<CmConnection>();
  readonly timewait = new Set<CmConnection>();
  /** Connections that it asked for and that are established. */
  established = 0;
  /** Connections that we asked it for. */
  asked = 0;
  /** Whether it has said that somebody asked in its name. */
  denies = false;
  /** Whether it left a question unanswered, the last time that it was asked. */
  silent = false;
  /** Requests that it answered for although nothing was remembered of them. */
  readonly proofs = new Proofs();
  /** Requests that it may make now. */
  readonly requests: Bucket;
  /** And those of them that it need not share with others. */
  readonly occasional: Bucket;
  /** Messages about connections that do not exist which are answered: as often as it may make requests. */
  readonly strays: Bucket;

  constructor(
    key: string,
    { requestsPerSecondPerPeer: rate, requestBurstPerPeer: burst }: CmLimits,
    nowNs: number,
  ) {
    this.key = key;
    this.requests = new Bucket(rate, burst, nowNs);
    this.occasional = new Bucket(OCCASIONAL_RATE * rate, Math.max(1, OCCASIONAL_BURST * burst), nowNs);
    this.strays = new Bucket(rate, burst, nowNs);
  }

  /** Whether it has, or lately had, a connection that it asked for and that was established. */
  get provenLately(): boolean {
    return this.established + this.timewait.size > 0;
  }

  get idle(): boolean {
    const { halfOpen, challenged, timewait } = this;
    return this.established + this.asked + halfOpen.size + challenged.size + timewait.size === 0;
  }
}

/**
 * Who may ask for a connection, and who must go when there are too many. Requests that are not established make room
 * for later ones, the oldest first: a stranger who fills a table shortens the time that a request may take, but keeps
 * nobody out. Sets keep the order of insertion, so the oldest is the first.
 */
export class Admission {
  private readonly limits: CmLimits;
  private readonly peers = new Map<string, CmPeer>();
  /** Peers without a connection that asked for some lately. */
  private readonly resting = new Set<CmPeer>();
  private readonly halfOpen = new Set<CmConnection>();
  private readonly challenged = new Set<CmConnection>();
  private readonly timewait = new Set<CmConnection>();
  /** Established, or asked for by us. */
  private open = 0;

  /** What all peers that ask often share. */
  private readonly heavyRequests: Bucket;
  private readonly challenges: Bucket;

  constructor(limits: CmLimits) {
    this.limits = limits;
    this.heavyRequests = new Bucket(limits.requestsPerSecond, limits.requestBurst, 0);
    this.challenges = new Bucket(limits.challengesPerSecond, limits.challengesPerSecond, 0);
  }

  /** Requests from outside that are not established yet. */
  get halfOpenCount(): number {
    return this.halfOpen.size + this.challenged.size;
  }

  /** Peers that something is remembered of. */
  get peerCount(): number {
    return this.peers.size;
  }

  /** Whether this side may ask for another connection. */
  get full(): boolean {
    return this.open >= this.limits.connections;
  }

  get openCount(): number {
    return this.open;
  }

  /** What is known of whoever sends from this address. Call {@link rest} when nothing comes of it. */
  peerOf(gid: Gid, nowNs: number): CmPeer {
    const key = addressKey(gid);
    const known = this.peers.get(key);
    if (known !== undefined) {
      this.resting.delete(known);
      return known;
    }
    const peer = new CmPeer(key, this.limits, nowNs);
    this.peers.set(key, peer);
    return peer;
  }

  /** Forgets a peer that has no connection, unless it asked for some lately or does not answer. */
  rest(peer: CmPeer): void {
    if (!peer.idle) return;
    const asksOften = !peer.requests.full || !peer.occasional.full || !peer.strays.full;
    if (asksOften || peer.silent) this.resting.add(peer);
    else this.peers.delete(peer.key);
    if (this.resting.size <= this.limits.restingPeers) return;
    const oldest = first(this.resting) as CmPeer;
    this.resting.delete(oldest);
    this.peers.delete(oldest.key);
  }

  /**
   * Whether a peer may have another connection: fewer than its share, and no more than are still free. With that, N
   * peers who take all that they can leave one part in N + 1 free for others (Choudhury and Hahne, ToN 1998).
   */
  hasRoom(peer: CmPeer): boolean {
    const { connections, connectionsPerPeer } = this.limits;
    const { established, halfOpen } = peer;
    return established + halfOpen.size < Math.min(connectionsPerPeer, connections - this.open);
  }

  /**
   * Whether this much is half-open, or waits until it is, that an address must answer before anything is done for it. What
   * a program does for a request costs many times what a question does.
   */
  underPressure(peer: CmPeer, backlog: number): boolean {
    const { challengeAbove, challengeAbovePerPeer } = this.limits;
    return this.halfOpen.size + backlog >= challengeAbove || peer.halfOpen.size >= challengeAbovePerPeer;
  }

  /** Whether a peer asks for more than it may: too often, or before it has answered what it was asked. */
  overdraft(peer: CmPeer, nowNs: number): number {
    if (!peer.requests.has(nowNs)) return Overdraft.TOO_OFTEN;
    if (!peer.occasional.has(nowNs) && !this.heavyRequests.has(nowNs)) return Overdraft.TOO_OFTEN;
    return peer.challenged.size >= this.challengeAllowance ? Overdraft.UNANSWERED : Overdraft.NONE;
  }

  /** Whoever sends from this address, where something is known of it; changes nothing. */
  known(gid: Gid): CmPeer | undefined {
    return this.peers.get(addressKey(gid));
  }

  /** Takes one of the questions that nothing is remembered of; false where there were too many lately. */
  takeChallenge(nowNs: number): boolean {
    const left = this.challenges.has(nowNs);
    if (left) this.challenges.tokens--;
    return left;
  }

  /** Takes one of the answers that a peer gets to what names no connection; false where it got too many lately. */
  takeStray(gid: Gid, nowNs: number): boolean {
    const peer = this.peerOf(gid, nowNs);
    const answered = peer.strays.has(nowNs);
    if (answered) peer.strays.tokens--;
    this.rest(peer);
    return answered;
  }

  /** Questions that one peer may leave unanswered: many for one in a hurry, few where many addresses are silent. */
  private get challengeAllowance(): number {
    const { challenged, challengedPerPeer } = this.limits;
    const free = challenged - this.challenged.size;
    return Math.min(challengedPerPeer, Math.max(LEAST_CHALLENGES, free / FREE_PER_PEER));
  }

  /** Takes one of the requests that a peer may make; false where it made too many lately. */
  takeToken(peer: CmPeer, nowNs: number): boolean {
    const from = peer.occasional.has(nowNs) ? peer.occasional : this.heavyRequests;
    if (!peer.requests.has(nowNs) || !from.has(nowNs)) return false;
    from.tokens--;
    peer.requests.tokens--;
    return true;
  }

  /** The half-open request that must go before another comes in; undefined where there is room. */
  surplusHalfOpen(peer: CmPeer): CmConnection | undefined {
    if (peer.halfOpen.size >= this.limits.halfOpenPerPeer) return first(peer.halfOpen);
    return this.halfOpen.size >= this.limits.halfOpen ? first(this.halfOpen) : undefined;
  }

  /** The same of requests whose address was asked. */
  surplusChallenged(): CmConnection | undefined {
    return this.challenged.size >= this.limits.challenged ? first(this.challenged) : undefined;
  }

  /** The same of connections that ended; called with the newest among them. */
  surplusTimewait(peer: CmPeer): CmConnection | undefined {
    if (peer.timewait.size > this.limits.timewaitPerPeer) return first(peer.timewait);
    return this.timewait.size > this.limits.timewait ? first(this.timewait) : undefined;
  }

  /** A connection came or moved: `before` is null for one that is new. */
  moved(connection: CmConnection, before: CmState | null): void {
    if (before !== null) this.count(connection, before, false);
    this.count(connection, connection.state, true);
    if (connection.state === 'CLOSED') this.rest(connection.peerRecord);
  }

  private count(connection: CmConnection, state: CmState, enters: boolean): void {
    const { peerRecord: peer } = connection;
    if (state === 'CLOSED') return;
    if (state === 'TIMEWAIT') move(connection, peer.timewait, this.timewait, enters);
    else if (state === 'CHALLENGED') move(connection, peer.challenged, this.challenged, enters);
    else if (connection.role === 'passive' && HALF_OPEN_STATES.has(state))
      move(connection, peer.halfOpen, this.halfOpen, enters);
    else {
      this.open += enters ? 1 : -1;
      if (connection.role === 'passive') peer.established += enters ? 1 : -1;
      else peer.asked += enters ? 1 : -1;
    }
  }
}

function move(
  connection: CmConnection,
  own: Set<CmConnection>,
  all: Set<CmConnection>,
  enters: boolean,
): void {
  if (enters) {
    own.add(connection);
    all.add(connection);
  } else {
    own.delete(connection);
    all.delete(connection);
  }
}

function first<T>(set: ReadonlySet<T>): T | undefined {
  return set.values().next().value;
}

/** A name for an address. */
export function addressKey(gid: Gid): string {
  const pair = (byte: number) => (gid[byte] << 8) | gid[byte + 1];
  return String.fromCharCode(pair(0), pair(2), pair(4), pair(6), pair(8), pair(10), pair(12), pair(14));
}
