import type { DatagramTarget, SendOpcode, SendWr } from './work-request.js';

/** The operations that a {@link SendList} can hold; a list names each by its place here. */
export const LIST_OPCODES = [
  'SEND',
  'SEND_WITH_IMM',
  'RDMA_WRITE',
  'RDMA_WRITE_WITH_IMM',
  'RDMA_READ',
] as const satisfies readonly SendOpcode[];

/**
 * Send requests as columns, for programs that post by the million: one list is filled again and again, and no object is
 * made or read per request. A row means what a `SendWr` with the same fields does; elements of row `index` begin at
 * `index * maxSge`. What columns cannot say (inline data, atomics, fences, addresses beyond 2^53) takes a `SendWr`.
 *
 * @example
 * const list = new SendList(1, 1);
 * list.opcode[0] = LIST_OPCODES.indexOf('RDMA_WRITE');
 * list.wrId[0] = 7;
 * list.signaled[0] = 1;
 * list.remoteAddr[0] = peer.addr;
 * list.rkey[0] = peer.rkey;
 * list.sgeCount[0] = 1;
 * list.addr[0] = mr.addr;
 * list.length[0] = 64;
 * list.lkey[0] = mr.lkey;
 * qp.postList?.(list, 1);
 */
export class SendList {
  readonly maxSge: number;
  /** A place in {@link LIST_OPCODES}. */
  readonly opcode: Uint8Array;
  /** 1: asks for a completion. */
  readonly signaled: Uint8Array;
  readonly sgeCount: Uint8Array;
  // Numbers that no column narrows: what is out of range is refused and never cut off.
  readonly wrId: Float64Array;
  readonly remoteAddr: Float64Array;
  readonly rkey: Float64Array;
  readonly immData: Float64Array;
  readonly addr: Float64Array;
  readonly length: Float64Array;
  readonly lkey: Float64Array;
  /** UD: where all of the list goes; null elsewhere. */
  target: Required<DatagramTarget> | null = null;

  /** Room for this many requests of at most this many elements each. */
  constructor(capacity: number, maxSge: number) {
    this.maxSge = maxSge;
    this.opcode = new Uint8Array(capacity);
    this.signaled = new Uint8Array(capacity);
    this.sgeCount = new Uint8Array(capacity);
    this.wrId = new Float64Array(capacity);
    this.remoteAddr = new Float64Array(capacity);
    this.rkey = new Float64Array(capacity);
    this.immData = new Float64Array(capacity);
    this.addr = new Float64Array(capacity * maxSge);
    this.length = new Float64Array(capacity * maxSge);
    this.lkey = new Float64Array(capacity * maxSge);
  }

  /** A row as the request that it stands for. */
  request(index: number): SendWr {
    const first = index * this.maxSge;
    const common = {
      wrId: this.wrId[index],
      signaled: this.signaled[index] === 1,
      sgList: Array.from({ length: this.sgeCount[index] }, (_, element) => ({
        addr: this.addr[first + element],
        length: this.length[first + element],
        lkey: this.lkey[first + element],
      })),
    };
    const opcode: SendOpcode | undefined = LIST_OPCODES[this.opcode[index]];
    const remote = { remoteAddr: this.remoteAddr[index], rkey: this.rkey[index] };
    const immData = this.immData[index];
    switch (opcode) {
      case 'SEND':
        return { opcode, ...common, ...this.target };
      case 'SEND_WITH_IMM':
        return { opcode, ...common, ...this.target, immData };
      case 'RDMA_WRITE':
      case 'RDMA_READ':
        return { opcode, ...common, ...remote };
      case 'RDMA_WRITE_WITH_IMM':
        return { opcode, ...common, ...remote, immData };
    }
    // No operation: what posts it refuses it.
    return { opcode, ...common } as unknown as SendWr;
  }
}
