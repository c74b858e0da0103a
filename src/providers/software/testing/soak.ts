import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import {
  ACCESS_REMOTE,
  Access,
  type Connection,
  type ConnectionManager,
  connectRcPair,
  type QueuePair,
  type RcEnd,
  waitForCompletions,
} from '../../../verbs/index.js';
import type { SoftwareContext } from '../provider.js';

const MESSAGE_BYTES = 65536;
const DEPTH = 8;
const SOAK_PORT = 7180;

/** Bytes of memory that are in use after a full collection. */
export interface MemoryUse {
  heapBytes: number;
  /** Buffers outside the heap. */
  bufferBytes: number;
}

/** Collects garbage and says what is left. */
export function memoryUse(): MemoryUse {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
  collect();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return { heapBytes: heapUsed, bufferBytes: arrayBuffers };
}

/** Writes at least this many bytes from one device to the other, 64 KiB at a time, and returns how many. */
export async function soakTransfer(
  left: SoftwareContext,
  right: SoftwareContext,
  bytes: number,
  onProgress: (bytes: number) => void = () => undefined,
): Promise<number> {
  const [a, b] = connectRcPair(left, right);
  const source = a.pd.regMr(new Uint8Array(MESSAGE_BYTES).fill(0x5a), Access.LOCAL_WRITE);
  const target = b.pd.regMr(new Uint8Array(MESSAGE_BYTES), Access.LOCAL_WRITE | ACCESS_REMOTE);
  const request = {
    opcode: 'RDMA_WRITE' as const,
    wrId: 1,
    sgList: [{ addr: source.addr, length: MESSAGE_BYTES, lkey: source.lkey }],
    remoteAddr: target.iova,
    rkey: target.rkey,
    signaled: true,
  };
  const messages = Math.ceil(bytes / MESSAGE_BYTES);
  let posted = 0;
  for (let done = 0; done < messages; ) {
    while (posted < messages && posted - done < DEPTH) {
      a.qp.postSend(request);
      posted++;
    }
    const completions = await waitForCompletions(a.sendCq);
    requireSuccess(completions);
    done += completions.length;
    if (done % 1024 === 0) onProgress(done * MESSAGE_BYTES);
  }
  source.dereg();
  target.dereg();
  destroy(a);
  destroy(b);
  return messages * MESSAGE_BYTES;
}

/** Connects, writes a little and takes everything apart again, this many times. */
export async function soakConnections(
  left: SoftwareContext,
  right: SoftwareContext,
  cycles: number,
  onProgress: (cycles: number) => void = () => undefined,
): Promise<void> {
  for (let cycle = 1; cycle <= cycles; cycle++) {
    const [a, b] = connectRcPair(left, right);
    const source = a.pd.regMr(new Uint8Array(64).fill(cycle), Access.LOCAL_WRITE);
    const target = b.pd.regMr(new Uint8Array(64), Access.LOCAL_WRITE | ACCESS_REMOTE);
    a.qp.postSend({
      opcode: 'RDMA_WRITE',
      sgList: [{ addr: source.addr, length: 64, lkey: source.lkey }],
      remoteAddr: target.iova,
      rkey: target.rkey,
      signaled: true,
    });
    requireSuccess(await waitForCompletions(a.sendCq));
    source.dereg();
    target.dereg();
    destroy(a);
    destroy(b);
    if (cycle % 500 === 0) onProgress(cycle);
  }
}

/** As {@link soakConnections}, connected and disconnected by RDMA-CM. */
export async function soakManagedConnections(
  left: ConnectionManager,
  right: ConnectionManager,
  address: string,
  make: readonly [() => QueuePair, () => QueuePair],
  cycles: number,
  onProgress: (cycles: number) => void = () => undefined,
): Promise<void> {
  let accepted: Connection | null = null;
  const listener = right.listen(SOAK_PORT, (request) => {
    accepted = request.accept(make[1]());
  });
  for (let cycle = 1; cycle <= cycles; cycle++) {
    const connection = await left.connect(make[0](), { address, port: SOAK_PORT });
    await connection.disconnect();
    const passive = accepted as Connection | null;
    await passive?.disconnected;
    connection.qp.destroy();
    passive?.qp.destroy();
    if (cycle % 500 === 0) onProgress(cycle);
  }
  listener.close();
}

function requireSuccess(completions: readonly { status: string }[]): void {
  for (const { status } of completions) if (status !== 'SUCCESS') throw new Error(`soak: ${status}`);
}

function destroy({ qp, sendCq, recvCq, pd }: RcEnd): void {
  qp.destroy();
  sendCq.destroy();
  recvCq.destroy();
  pd.dealloc();
}
