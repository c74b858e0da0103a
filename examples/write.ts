import { Access, connectRcPair, IdealProvider, waitForCompletions } from 'kelpie';

const provider = new IdealProvider();
const [a, b] = connectRcPair(await provider.open('ideal0'), await provider.open('ideal1'));
const source = a.pd.regMr(new TextEncoder().encode('hello, remote memory'), Access.LOCAL_WRITE);
const target = b.pd.regMr(new Uint8Array(64), Access.LOCAL_WRITE | Access.REMOTE_WRITE);
const sgList = [{ addr: source.addr, length: source.lengthBytes, lkey: source.lkey }];
a.qp.postSend({
  opcode: 'RDMA_WRITE',
  wrId: 1,
  sgList,
  remoteAddr: target.iova,
  rkey: target.rkey,
  signaled: true,
});
const [completion] = await waitForCompletions(a.sendCq);
console.log(completion.status, new TextDecoder().decode(target.memory!.subarray(0, source.lengthBytes)));
