import { KelpieError } from '../../error.js';

/**
 * Messages that an unproven address may be sent for each that came from it. All messages of communication management are
 * of one size, so that this is a factor of bytes too; 3 is QUIC's (RFC 9000, 8.1).
 */
export const ANSWERS_PER_MESSAGE = 3;

/**
 * How much an agent takes on. Whatever a stranger can fill has a bound in all, a bound per peer and a lifetime, all of
 * them ours: nothing that a peer writes into a message makes one longer. A peer is an address: whoever has a whole subnet
 * is many peers, and meets the bounds in all.
 */
export interface CmLimits {
  /** Requests from outside that are not established yet; the oldest makes room for the next. Default 2048. */
  halfOpen: number;
  /** And from one peer; its own oldest makes room. Default 512. */
  halfOpenPerPeer: number;
  /** From the reply to the third message of a peer that has not proven its address. Default 4 s. */
  halfOpenNs: number;
  /**
   * Above this many half-open requests, and messages that wait, an address must answer before the program hears of its
   * request. Default 64.
   */
  challengeAbove: number;
  /** And above this many from one peer. Default 16. */
  challengeAbovePerPeer: number;
  /** Requests whose address was asked and has not answered yet; the oldest makes room. Default 2048. */
  challenged: number;
  /** And from one peer, fewer the more there are in all; what it asks for meanwhile is dropped. Default 128. */
  challengedPerPeer: number;
  /** How long an address may take to answer. Default 2 s. */
  challengeNs: number;
  /**
   * Questions per second to addresses that have `challengedPerPeer` open and said that others ask in their name; nothing
   * is remembered of these. Default 10000.
   */
  challengesPerSecond: number;
  /** Requests that one peer may make per second, in the long run. Default 200. */
  requestsPerSecondPerPeer: number;
  /** And at once, after a rest. Default 512. */
  requestBurstPerPeer: number;
  /** Requests per second of all peers together that ask more often than at 1/20 of their own rate. Default 400. */
  requestsPerSecond: number;
  /** And of all of them at once. Default 512. */
  requestBurst: number;
  /**
   * Part of the time that messages may take, the program's handlers included, while connections move data; what does not
   * fit waits. Default 0.05.
   */
  busyShare: number;
  /** And how long at once, after a rest. Default 10 ms. */
  busyBurstNs: number;
  /**
   * Messages that wait; one peer may have as many as are still free. This many of each kind, and the kinds take turns: what
   * belongs to a connection, what comes from addresses that have one or had one lately, from strangers, and from addresses
   * that do not answer. Default 2048.
   */
  waiting: number;
  /** And of one peer; peers take turns. Default 512. */
  waitingPerPeer: number;
  /** Peers whose rate, or silence, is remembered although they have no connection. Default 4096. */
  restingPeers: number;
  /** Connections that are established, or asked for by us. Default 16384. */
  connections: number;
  /** And with one peer that asked for them. No peer may have more than are still free besides. Default 1024. */
  connectionsPerPeer: number;
  /** Connections that ended and are remembered; the oldest are forgotten first. Default 4096. */
  timewait: number;
  /** And of one peer. Default 1024. */
  timewaitPerPeer: number;
  /** How long they are remembered. Default 2 s. */
  timewaitNs: number;
  /** How long a consumer may take to answer. Default 30 s. */
  consumerNs: number;
  /** The longest time until a message is sent again, whatever the other side asks for. Default 1 s. */
  retryNs: number;
  /** How long a connection may take in all, however often the other side asks for patience. Default 120 s. */
  patienceNs: number;
}

export const DEFAULT_CM_LIMITS: Readonly<CmLimits> = {
  halfOpen: 2048,
  halfOpenPerPeer: 512,
  halfOpenNs: 4e9,
  challengeAbove: 64,
  challengeAbovePerPeer: 16,
  challenged: 2048,
  challengedPerPeer: 128,
  challengeNs: 2e9,
  challengesPerSecond: 10_000,
  requestsPerSecondPerPeer: 200,
  requestBurstPerPeer: 512,
  requestsPerSecond: 400,
  requestBurst: 512,
  busyShare: 0.05,
  busyBurstNs: 10e6,
  waiting: 2048,
  waitingPerPeer: 512,
  restingPeers: 4096,
  connections: 16384,
  connectionsPerPeer: 1024,
  timewait: 4096,
  timewaitPerPeer: 1024,
  timewaitNs: 2e9,
  consumerNs: 30e9,
  retryNs: 1e9,
  patienceNs: 120e9,
};

/** For devices that nobody outside the process can reach, simulated ones: no more bounds than memory has. */
export const TRUSTED_CM_LIMITS: Readonly<Partial<CmLimits>> = {
  halfOpen: 2 ** 24,
  halfOpenPerPeer: 2 ** 24,
  challengeAbove: 2 ** 24,
  challengeAbovePerPeer: 2 ** 24,
  requestBurstPerPeer: 2 ** 24,
  requestBurst: 2 ** 24,
  connections: 2 ** 24,
  connectionsPerPeer: 2 ** 24,
};

/** The limits with what was given instead of the defaults; each must be a positive number. */
export function cmLimits(given: Partial<CmLimits> = {}): CmLimits {
  for (const [field, value] of Object.entries(given)) {
    const known = field in DEFAULT_CM_LIMITS;
    if (known && (value === undefined || (typeof value === 'number' && value > 0))) continue;
    throw new KelpieError('CM_BAD_LIMIT', 'a limit of connection management cannot be this', {
      field,
      given: value,
      allowed: known ? 'a positive number' : Object.keys(DEFAULT_CM_LIMITS).join(', '),
    });
  }
  const defined = Object.entries(given).filter(([, value]) => value !== undefined);
  return { ...DEFAULT_CM_LIMITS, ...Object.fromEntries(defined) };
}
