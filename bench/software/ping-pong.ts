import type { RdmaAddress, RdmaEnd } from './rdma-end.js';

/** Bytes of a small message. */
export const SMALL_BYTES = 64;

/**
 * One side of a ping-pong of RDMA WRITEs, as perftest's `ib_write_lat` does it: each side watches the last byte of its
 * own memory. Returns half the round trips in microseconds, on the side that begins.
 */
export async function pingPong(
  end: RdmaEnd,
  peer: RdmaAddress,
  count: number,
  begins: boolean,
): Promise<Float64Array> {
  const { qp, cq, memory, context, mr } = end;
  const last = SMALL_BYTES - 1;
  const request = {
    opcode: 'RDMA_WRITE' as const,
    wrId: 1,
    sgList: [{ addr: mr.addr + SMALL_BYTES, length: SMALL_BYTES, lkey: mr.lkey }],
    remoteAddr: peer.addr,
    rkey: peer.rkey,
    signaled: true,
  };
  const halfTrips = new Float64Array(count);
  for (let round = 0; round < count; round++) {
    const stamp = (round & 0x7f) + 1;
    memory[SMALL_BYTES + last] = stamp;
    const startMs = performance.now();
    if (begins) qp.postSend(request);
    while (memory[last] !== stamp) await context.clock.sleep(0);
    if (!begins) qp.postSend(request);
    halfTrips[round] = ((performance.now() - startMs) / 2) * 1000;
    for (const completion of cq.poll(16)) {
      if (completion.status !== 'SUCCESS') throw new Error(`ping-pong: ${completion.status}`);
    }
  }
  return halfTrips;
}
