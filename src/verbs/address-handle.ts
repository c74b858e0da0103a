import type { ProtectionDomain } from './protection-domain.js';

/** The way to a peer: RoCEv2's part of libibverbs' `ibv_ah_attr`. */
export interface AddressVector {
  /** The peer's GID in text, IPv6 notation (IPv4 as `::ffff:192.0.2.1`). */
  dgid: string;
  /** The row of the local GID table that packets are sent from. */
  sgidIndex?: number;
  /** Hop limit of the IP header; default: 64. */
  hopLimit?: number;
  /** DSCP and ECN byte of the IP header; default: 0. */
  trafficClass?: number;
  /** Service level: the priority, hence the lossless class; default: 0. */
  sl?: number;
  /** 20 bits; seeds the UDP source port. */
  flowLabel?: number;
  /** Physical port, from 1. */
  portNum?: number;
}

/** A resolved way to a peer, for UD sends. */
export interface AddressHandle {
  readonly pd: ProtectionDomain;
  readonly address: Readonly<AddressVector>;
  /** Frees it. Work requests already posted keep their way. */
  destroy(): void;
}
