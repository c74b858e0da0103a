import type { DatagramQueuePair } from '../../transport/cm/index.js';
import { type DatagramRequest, type QueuePair, VerbsError } from '../../verbs/index.js';
import { formatGidShort, type Gid, sameGid } from '../../wire/ib/gid.js';
import {
  isRefusal,
  RDMA_CM_HEADER_BYTES,
  RDMA_PORT_SPACE,
  rdmaCmPort,
  type SidrRep,
  type SidrReq,
} from '../../wire/index.js';
import { addressText } from './ip-address.js';

/** What a program says to whoever asks for its datagrams. */
export type DatagramHandler = (request: DatagramRequest) => QueuePair | null;

/** Which queue pairs of datagrams a device names at which ports, and whom it asked itself (SIDR). */
export class DatagramServices {
  private readonly handlers = new Map<number, DatagramHandler>();
  private readonly asked = new Map<number, { peer: Gid; answer: (rep: SidrRep) => void }>();

  listen(port: number, handler: DatagramHandler): void {
    if (this.handlers.has(port))
      throw new VerbsError('CM_SERVICE_TAKEN', 'somebody listens at this port already', {
        field: 'port',
        given: port,
        allowed: 'another port',
      });
    this.handlers.set(port, handler);
  }

  unlisten(port: number): void {
    this.handlers.delete(port);
  }

  /** Waits for the answer of a peer under this name; `forget` ends it. */
  expect(requestId: number, peer: Gid): Promise<SidrRep> {
    return new Promise((answer) => this.asked.set(requestId, { peer, answer }));
  }

  forget(requestId: number): void {
    this.asked.delete(requestId);
  }

  onRequest(req: SidrReq, source: Gid, sgidIndex: number): DatagramQueuePair | null {
    const port = rdmaCmPort(req.serviceId, RDMA_PORT_SPACE.udp);
    const handler = isRefusal(port) ? undefined : this.handlers.get(port);
    if (handler === undefined || isRefusal(port)) return null;
    const privateData = req.privateData.subarray(RDMA_CM_HEADER_BYTES);
    const way = { address: addressText(source), gid: formatGidShort(source), sgidIndex };
    const qp = handler({ ...way, port, privateData });
    if (qp instanceof Promise) {
      // What it throws later must not end the process.
      qp.catch(() => {});
      throw new VerbsError('OUT_OF_RANGE', 'a handler of requests for datagrams must answer at once', {
        field: 'onRequest',
        given: 'a promise',
        allowed: 'a queue pair or null',
      });
    }
    return qp === null ? null : { qpn: qp.qpNum, queueKey: qp.query().qkey ?? 0 };
  }

  onReply(rep: SidrRep, source: Gid): void {
    const asked = this.asked.get(rep.localCommunicationId);
    if (asked !== undefined && sameGid(asked.peer, source)) asked.answer(rep);
  }
}
