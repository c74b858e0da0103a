import { BitPool } from './bit-pool.js';
import type { SelectiveRecovery } from './loss-recovery.js';
import { type SelectiveOptions, selectiveOptions } from './selective-options.js';
import { SelectiveRequester } from './selective-requester.js';
import { SelectiveResponder } from './selective-responder.js';

/** What a device chooses about MELO. */
export interface MeloOptions extends SelectiveOptions {
  /** Bits that all connections of the device share. */
  readonly poolBits: number;
}

/** A pool for a window of 500 packets of 64 connections: the paper does not tell. */
const POOL_BITS = 32000;

/**
 * MELO's loss recovery (APNet 2017): selective repeat whose bits come from one pool of the device, since few connections
 * miss packets at a time. A packet out of order that finds no bit is dropped.
 */
export function melo(options: Partial<MeloOptions> = {}): SelectiveRecovery {
  const complete = selectiveOptions(options);
  const { windowPackets } = complete;
  const pool = new BitPool(options.poolBits ?? POOL_BITS);
  return {
    name: 'melo',
    selective: true,
    windowPackets,
    requester: (resender) => new SelectiveRequester(resender, complete, null, pool),
    responder: (keeper) => new SelectiveResponder(keeper, windowPackets, pool),
  };
}
