// Two RoCEv2 devices on this machine, over UDP, without RDMA hardware: one sends, the other answers.
import { Access, connectRcPair, type RcEnd, waitForCompletion } from 'kelpie';
import { loopbackAddress, SoftwareProvider } from 'kelpie/software';

const provider = new SoftwareProvider();
const contexts = [await provider.open(loopbackAddress(0)), await provider.open(loopbackAddress(1))] as const;
const [client, server] = connectRcPair(...contexts);

/** Registers memory and posts a receive into it. */
function receiver({ pd, qp }: RcEnd): Uint8Array {
  const memory = new Uint8Array(64);
  const mr = pd.regMr(memory, Access.LOCAL_WRITE);
  qp.postRecv({ sgList: [{ addr: mr.addr, length: mr.lengthBytes, lkey: mr.lkey }] });
  return memory;
}

/** Sends a text and waits until the other side has it. */
async function send({ pd, qp, sendCq }: RcEnd, text: string): Promise<void> {
  const mr = pd.regMr(new TextEncoder().encode(text), Access.LOCAL_WRITE);
  qp.postSend({
    opcode: 'SEND',
    sgList: [{ addr: mr.addr, length: mr.lengthBytes, lkey: mr.lkey }],
    signaled: true,
  });
  await waitForCompletion(sendCq);
}

const [question, answer] = [receiver(server), receiver(client)];
await send(client, 'are you there?');
const { byteLen } = await waitForCompletion(server.recvCq);
await send(
  server,
  new TextDecoder().decode(question.subarray(0, byteLen)).replace('are you there?', 'I am.'),
);
const reply = await waitForCompletion(client.recvCq);
console.log(new TextDecoder().decode(answer.subarray(0, reply.byteLen))); // I am.
for (const context of contexts) await context.close();
