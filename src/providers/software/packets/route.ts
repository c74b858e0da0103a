import { type CrcUpdate, IcrcFlow, type Link } from '../../../link/index.js';
import type { AddressVector } from '../../../verbs/index.js';

/** ECN of a sender that can be told of congestion: ECT(0), as RoCEv2 devices send it. */
const ECN_CAPABLE = 2;

/** The way to a peer, as packets need it: address, own address, traffic class, and the flow of its ICRCs. */
export class Route {
  /** The peer's GID as words of a batch. */
  readonly words: Uint32Array;
  readonly gid: Uint8Array;
  readonly gidIndex: number;
  readonly trafficClass: number;
  /** What is sent. */
  readonly outgoing: IcrcFlow;
  /** What is received. */
  readonly incoming: IcrcFlow;

  constructor(
    link: Link,
    gid: Uint8Array,
    vector: Readonly<AddressVector>,
    ecnCapable: boolean,
    crc: CrcUpdate,
  ) {
    this.gid = gid.slice();
    this.words = new Uint32Array(this.gid.buffer);
    this.gidIndex = vector.sgidIndex ?? 0;
    const given = vector.trafficClass ?? 0;
    this.trafficClass = ecnCapable && (given & 3) === 0 ? given | ECN_CAPABLE : given;
    this.outgoing = new IcrcFlow(link.port, crc);
    this.outgoing.set(link.gids[this.gidIndex], this.gid, link.sourcePort);
    this.incoming = new IcrcFlow(link.port, crc);
    this.incoming.set(this.gid, link.gids[this.gidIndex], link.sourcePort);
  }
}
