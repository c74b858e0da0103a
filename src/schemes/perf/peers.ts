import {
  type CompletionQueue,
  type Context,
  emptyWorkCompletion,
  type QueuePair,
  type RemoteAddress,
} from '../../verbs/index.js';
import { connectOwn } from '../interposer/index.js';
import type { Master } from './master.js';
import type { PerfPath } from './path.js';

/** Receives that wait at each end of a control connection. */
const DEPTH = 256;

/** Something that one host's part of PeRF asks another's: to send a READ's data, or where a message will be received. */
export interface Call {
  kind: 'READ' | 'RECEIVE';
  caller: PerfPath;
  callee: PerfPath;
  state: 'asked' | 'granted' | 'done' | 'refused';
  bytes: number;
  /** READ: what is to be read; RECEIVE: granted, where the message goes. */
  remoteAddr: RemoteAddress;
  rkey: number;
  /** READ: where to. RECEIVE: which message of the connection, counted from 0. */
  localAddr: RemoteAddress;
  localKey: number;
  sequence: number;
}

/** A control connection between the parts of PeRF on two hosts: empty messages with the number of a call. */
interface Link {
  qp: QueuePair;
  cq: CompletionQueue;
  unsignalled: number;
}

/** The parts of PeRF on all hosts: who is where, and the calls between them. */
export class Peers {
  private readonly masters = new Map<string, Master>();
  private readonly paths = new Map<string, PerfPath>();
  private readonly links = new Map<string, Link>();
  private readonly calls = new Map<number, Call>();
  private readonly slots = [emptyWorkCompletion()];
  private nextCall = 1;

  add(gid: string, master: Master): void {
    this.masters.set(gid, master);
  }

  /** A queue pair is connected: calls about its connection go to the host with this GID. */
  join(path: PerfPath, gid: string, peerGid: string): void {
    this.paths.set(`${gid} ${path.qp.qpNum}`, path);
    const near = this.masters.get(gid);
    const far = this.masters.get(peerGid);
    if (near === undefined || far === undefined || this.links.has(`${gid} ${peerGid}`)) return;
    const [nearCq, farCq] = [makeCq(near.context), makeCq(far.context)];
    const [a, b] = connectOwn(
      { context: near.context, pd: near.context.allocPd(), sendCq: nearCq, recvCq: nearCq, depth: DEPTH },
      { context: far.context, pd: far.context.allocPd(), sendCq: farCq, recvCq: farCq, depth: DEPTH },
    );
    for (const qp of [a, b]) qp.postRecv(Array.from({ length: DEPTH }, () => ({})));
    near.worker.watch(nearCq);
    far.worker.watch(farCq);
    near.inbox.push({ qp: a, cq: nearCq });
    far.inbox.push({ qp: b, cq: farCq });
    this.links.set(`${gid} ${peerGid}`, { qp: a, cq: nearCq, unsignalled: 0 });
    // A host that talks to itself has both ends; either may ask.
    if (gid !== peerGid) this.links.set(`${peerGid} ${gid}`, { qp: b, cq: farCq, unsignalled: 0 });
  }

  leave(path: PerfPath, gid: string): void {
    if (this.paths.get(`${gid} ${path.qp.qpNum}`) === path) this.paths.delete(`${gid} ${path.qp.qpNum}`);
  }

  /** The queue pair at the other end of a connection; null where its tenant does not go through PeRF. */
  find(gid: string, qpNum: number): PerfPath | null {
    return this.paths.get(`${gid} ${qpNum}`) ?? null;
  }

  /** Sends a call to the other host, or its answer back. */
  send(from: string, to: string, call: Call): void {
    const link = this.links.get(`${from} ${to}`);
    if (link === undefined) return;
    const number = this.nextCall++;
    this.calls.set(number, call);
    this.masters.get(from)!.calls++;
    const signaled = ++link.unsignalled % (DEPTH / 4) === 0;
    link.qp.postSend({ opcode: 'SEND_WITH_IMM', immData: number >>> 0, signaled });
    this.masters.get(to)?.worker.wakeOnCompletion();
  }

  /** Takes what came for a host; `handle` gets each call. */
  receive(inbox: readonly { qp: QueuePair; cq: CompletionQueue }[], handle: (call: Call) => void): void {
    for (const { qp, cq } of inbox) {
      while (cq.pollInto(this.slots) > 0) {
        const { opcode, status, immData } = this.slots[0];
        if (opcode !== 'RECV' || status !== 'SUCCESS') continue;
        qp.postRecv({});
        const call = this.calls.get(immData);
        this.calls.delete(immData);
        if (call !== undefined) handle(call);
      }
    }
  }
}

function makeCq(context: Context): CompletionQueue {
  return context.createCq({ cqe: 2 * DEPTH + 2 });
}
