/** What an agent counts. */
export interface CmCounters {
  received: number;
  sent: number;
  /** Datagrams that are no message of communication management. */
  refused: number;
  /** Messages that name no connection, or one of somebody else. */
  strays: number;
  /** Requests that were turned away for want of room. */
  turnedAway: number;
  /** Requests that were dropped because their peer made too many, or has not answered what it was asked. */
  rateLimited: number;
  /** Requests whose address was asked before anything was done for them. */
  challenged: number;
  /** Requests that made room for later ones before they were established. */
  evicted: number;
  /** Messages that were not sent because their address is unproven and was sent enough. */
  withheld: number;
}

/** Nothing has happened yet. */
export function zeroCounters(): CmCounters {
  return {
    received: 0,
    sent: 0,
    refused: 0,
    strays: 0,
    turnedAway: 0,
    rateLimited: 0,
    challenged: 0,
    evicted: 0,
    withheld: 0,
  };
}
