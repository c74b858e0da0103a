import { CM_ATTRIBUTE_ID, type CmGlance, glanceCm } from '../../wire/cm/index.js';
import { type Gid, sameGid } from '../../wire/ib/gid.js';
import { type Admission, addressKey, Overdraft } from './admission.js';
import type { CmConnection } from './connection.js';
import type { Questions } from './proof.js';

/**
 * What a datagram that arrived is, by what can be seen at a glance. Where datagrams have to wait, these take turns: what a
 * stranger can send without end must not stand before what only a peer can send.
 */
export const Urgency = {
  /** Nothing comes of it. */
  DROPPED: -1,
  /** It names what its address alone was told: part of a connection that exists or is being made. */
  ANSWER: 0,
  /** From an address that was proven lately, but anybody can have written it. */
  PEER: 1,
  STRANGER: 2,
  /** From an address that was asked something and has not answered: mostly one that somebody made up. */
  SILENT: 3,
} as const;

/** How many kinds of datagrams take turns. */
export const URGENCIES = 4;

/** What is asked about a datagram before it is read. */
export interface TriageHost {
  readonly counters: { received: number; strays: number; rateLimited: number };
  readonly admission: Admission;
  readonly byLocalId: ReadonlyMap<number, CmConnection>;
  readonly byRemote: ReadonlyMap<string, unknown>;
  readonly questions: Questions;
  /** Asks an address about its request of this number, and remembers nothing. */
  ask(source: Gid, id: number, nowNs: number): void;
}

/** Tells floods from what is worth reading, without an object for each. */
export class Triage {
  private readonly host: TriageHost;
  private readonly glance: CmGlance = { attributeId: 0, localCommunicationId: 0, remoteCommunicationId: 0 };

  constructor(host: TriageHost) {
    this.host = host;
  }

  /** What a datagram is; asked once for each. */
  urgencyOf(bytes: Uint8Array, offset: number, end: number, source: Gid, nowNs: number): number {
    const { glance } = this;
    const { counters, admission } = this.host;
    counters.received++;
    glanceCm(bytes, offset, end, glance);
    if (glance.attributeId === CM_ATTRIBUTE_ID.req) {
      if (this.overdraws(source, nowNs, true)) {
        counters.rateLimited++;
        return Urgency.DROPPED;
      }
    } else if (this.isAnswer(source, nowNs)) return Urgency.ANSWER;
    else if (glance.attributeId === CM_ATTRIBUTE_ID.dreq && !this.namesAny()) {
      if (!admission.takeStray(source, nowNs)) {
        counters.strays++;
        return Urgency.DROPPED;
      }
    }
    const peer = admission.known(source);
    if (peer === undefined) return Urgency.STRANGER;
    if (peer.provenLately) return Urgency.PEER;
    return peer.silent || peer.challenged.size > 0 ? Urgency.SILENT : Urgency.STRANGER;
  }

  /** Whether a request that has waited is one too many by now. */
  isStale(bytes: Uint8Array, offset: number, end: number, source: Gid, nowNs: number): boolean {
    glanceCm(bytes, offset, end, this.glance);
    if (this.glance.attributeId !== CM_ATTRIBUTE_ID.req || !this.overdraws(source, nowNs, false))
      return false;
    this.host.counters.rateLimited++;
    return true;
  }

  /** Whether a new request is one of a peer that has made too many, or that has not answered what it was asked. */
  private overdraws(source: Gid, nowNs: number, asks: boolean): boolean {
    const { admission, byRemote } = this.host;
    const { localCommunicationId: id } = this.glance;
    const peer = admission.known(source);
    if (peer === undefined) return false;
    const overdraft = admission.overdraft(peer, nowNs);
    if (overdraft === Overdraft.NONE || byRemote.has(remoteKey(source, id))) return false;
    if (overdraft === Overdraft.UNANSWERED) {
      if (peer.proofs.has(id, nowNs)) return false;
      if (asks && peer.denies && admission.takeChallenge(nowNs)) this.host.ask(source, id, nowNs);
    }
    return true;
  }

  private namesAny(): boolean {
    return this.host.byLocalId.has(this.glance.remoteCommunicationId);
  }

  /** Whether a message names a connection with its sender, or a question that its sender was asked. */
  private isAnswer(source: Gid, nowNs: number): boolean {
    const { byLocalId, admission, questions } = this.host;
    const { attributeId, localCommunicationId: id, remoteCommunicationId: number } = this.glance;
    if (attributeId === 0) return false;
    const connection = byLocalId.get(number);
    if (connection !== undefined) return sameGid(connection.peer, source);
    if (attributeId !== CM_ATTRIBUTE_ID.drep || !admission.known(source)?.denies) return false;
    return questions.isAnswer(source, id, number, nowNs);
  }
}

/** A name for what a peer calls by a number. */
export function remoteKey(peer: Gid, number: number): string {
  return addressKey(peer) + number;
}
