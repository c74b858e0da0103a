import { Access, connectRcPair, IdealProvider, waitForCompletion } from 'kelpie';

const provider = new IdealProvider();
const [a, b] = connectRcPair(await provider.open('ideal0'), await provider.open('ideal1'));
const there = new Uint8Array(20);
const source = a.pd.regMr(new TextEncoder().encode('hello, remote memory'), Access.LOCAL_WRITE);
const target = b.pd.regMr(there, Access.LOCAL_WRITE | Access.REMOTE_WRITE);
const sgList = [{ addr: source.addr, length: source.lengthBytes, lkey: source.lkey }];
a.qp.postSend({ opcode: 'RDMA_WRITE', sgList, remoteAddr: target.iova, rkey: target.rkey, signaled: true });
const { status } = await waitForCompletion(a.sendCq);
console.log(status, new TextDecoder().decode(there)); // SUCCESS hello, remote memory
