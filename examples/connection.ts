// RDMA-CM on simulated devices: a server listens on a port, a client connects by address and says hello.
import { Access, type Context, SimulatedProvider, waitForCompletion } from 'kelpie';

const provider = new SimulatedProvider({ subsystem: 'collie-f' });
const [server, client] = [await provider.open('sim0'), await provider.open('sim1')];

function makeQueuePair(context: Context) {
  const pd = context.allocPd();
  const cq = context.createCq({ cqe: 16 });
  const cap = { maxSendWr: 8, maxRecvWr: 8, maxSendSge: 1, maxRecvSge: 1, maxInlineData: 0 };
  return { pd, cq, qp: pd.createQp({ qpType: 'RC', sendCq: cq, recvCq: cq, cap }) };
}

const here = makeQueuePair(server);
const inbox = new Uint8Array(64);
server.createConnectionManager().listen(7174, (request) => {
  const mr = here.pd.regMr(inbox, Access.LOCAL_WRITE);
  here.qp.modify({ state: 'INIT', pkeyIndex: 0, portNum: 1, qpAccessFlags: 0 });
  here.qp.postRecv({ sgList: [{ addr: mr.addr, length: mr.lengthBytes, lkey: mr.lkey }] });
  request.accept(here.qp, { privateData: new TextEncoder().encode('welcome') });
});

const there = makeQueuePair(client);
const manager = client.createConnectionManager();
const connection = await manager.connect(there.qp, { address: server.queryGid(1, 0), port: 7174 });
console.log(new TextDecoder().decode(connection.privateData.subarray(0, 7))); // welcome
const mr = there.pd.regMr(new TextEncoder().encode('hello'), Access.LOCAL_WRITE);
there.qp.postSend({ opcode: 'SEND', sgList: [{ addr: mr.addr, length: 5, lkey: mr.lkey }] });
const { byteLen } = await waitForCompletion(here.cq);
console.log(new TextDecoder().decode(inbox.subarray(0, byteLen))); // hello
await connection.disconnect();
