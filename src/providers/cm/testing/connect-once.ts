import { type Context, type QueuePair, waitForCompletions } from '../../../verbs/index.js';

/** What one connection came to. */
export interface ConnectionStory {
  port: number;
  /** When the client had its connection, and when it was ended. */
  connectedNs: number;
  endedNs: number;
  /** The server's events. */
  events: string[];
}

/** A client and a server on two devices connect by RDMA-CM, exchange a message of no bytes and part. */
export async function connectOnce(client: Context, server: Context): Promise<ConnectionStory> {
  const managers = [client, server].map((context) => context.createConnectionManager());
  const listener = managers[1].listen(0, (request) => request.accept(queuePairOf(server)));
  const qp = queuePairOf(client);
  const target = { address: server.queryGid(1, 0), port: listener.port };
  const connection = await managers[0].connect(qp, target);
  const connectedNs = client.clock.nowNs;
  qp.postSend({ opcode: 'RDMA_WRITE', remoteAddr: 0, rkey: 0, signaled: true });
  await waitForCompletions(qp.sendCq);
  await connection.disconnect();
  const events: string[] = [];
  for (let event = managers[1].tryGetCmEvent(); event !== null; event = managers[1].tryGetCmEvent())
    events.push(event.type);
  return { port: listener.port, connectedNs, endedNs: client.clock.nowNs, events };
}

function queuePairOf(context: Context): QueuePair {
  const cq = context.createCq({ cqe: 16 });
  return context.allocPd().createQp({ qpType: 'RC', sendCq: cq, recvCq: cq, cap: { maxSendWr: 4 } });
}
