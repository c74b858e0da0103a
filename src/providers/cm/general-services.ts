import { GSI_QKEY, GSI_QPN } from '../../transport/cm/index.js';
import { type BaseContext, type BaseProtectionDomain, BaseQueuePair } from '../../verbs/base/index.js';
import { Access, type AddressHandle, emptyWorkCompletion } from '../../verbs/index.js';
import { read32 } from '../../wire/bytes/bytes.js';
import { formatGidShort, type Gid, gidFromIpv4 } from '../../wire/ib/gid.js';
import { MAD_BYTES } from '../../wire/index.js';
import { PORT_NUM } from './bring-up.js';

const GRH_BYTES = 40;
const SLOT_BYTES = GRH_BYTES + MAD_BYTES;
const RECEIVES = 256;
const SENDS = 64;
/** Datagrams that wait for a send to complete; what comes on top is lost, as datagrams may be. */
const MOST_WAITING = 4096;
/** Where the IP version, the sender in IPv6 form and the sender in IPv4 form stand in the bytes before a datagram. */
const SOURCE_GID = 8;
const IPV4_HEADER = 20;
const IPV4_SOURCE = IPV4_HEADER + 12;

/**
 * Queue pair 1, the general services interface (IBTA vol. 1, 3.9.4), made with the verbs of the device itself as a
 * kernel makes it: management datagrams are datagrams like any other, with the device's timing and losses.
 */
export class GeneralServices {
  private readonly qp: BaseQueuePair;
  private readonly pd: BaseProtectionDomain;
  private readonly memory = new Uint8Array((RECEIVES + SENDS) * SLOT_BYTES);
  private readonly addr: number;
  private readonly lkey: number;
  private readonly completions = [emptyWorkCompletion()];
  private readonly freeSends: number[] = [];
  /** The way of each datagram that is being sent, by slot. */
  private readonly ways: (AddressHandle | undefined)[] = [];
  private readonly waiting: { datagram: Uint8Array; to: Gid; gidIndex: number }[] = [];
  private readonly source: Gid = new Uint8Array(16);
  private readonly notify: () => void;
  private readonly received: (bytes: Uint8Array, offset: number, end: number, source: Gid) => void;

  /** `notify` is told that there is something to do; it calls `work` soon, but not from inside. */
  constructor(
    context: BaseContext,
    notify: () => void,
    received: (bytes: Uint8Array, offset: number, end: number, source: Gid) => void,
  ) {
    this.notify = notify;
    this.received = received;
    this.pd = context.allocPd() as BaseProtectionDomain;
    const cq = context.createCq({ cqe: RECEIVES + SENDS });
    const region = this.pd.regMr(this.memory, Access.LOCAL_WRITE);
    this.addr = region.addr;
    this.lkey = region.lkey;
    const cap = { maxSendWr: SENDS, maxRecvWr: RECEIVES, maxSendSge: 1, maxRecvSge: 1 };
    this.qp = new BaseQueuePair(
      this.pd,
      { qpType: 'UD', sendCq: cq, recvCq: cq, cap, sqSigAll: true },
      GSI_QPN,
    );
    this.qp.modify({ state: 'INIT', pkeyIndex: 0, portNum: PORT_NUM, qkey: GSI_QKEY });
    this.qp.modify({ state: 'RTR' });
    this.qp.modify({ state: 'RTS', sqPsn: 0 });
    for (let slot = 0; slot < RECEIVES; slot++) this.postReceive(slot);
    for (let slot = SENDS - 1; slot >= 0; slot--) this.freeSends.push(RECEIVES + slot);
    this.qp.recvCq.handler = notify;
    cq.reqNotify();
  }

  /** Sends a datagram to queue pair 1 of an address, at the next `work`: never from inside whoever calls. */
  send(datagram: Uint8Array, to: Gid, gidIndex: number): void {
    if (this.qp.destroyed || this.waiting.length >= MOST_WAITING) return;
    this.waiting.push({ datagram, to, gidIndex });
    this.notify();
  }

  /** Takes what has completed and sends what waits. */
  work(): void {
    if (this.qp.destroyed) return;
    const { recvCq } = this.qp;
    recvCq.reqNotify();
    while (recvCq.pollInto(this.completions) > 0) {
      const [{ wrId, status, byteLen, srcQp }] = this.completions as [(typeof this.completions)[0]];
      if (wrId >= RECEIVES) {
        this.ways[wrId]?.destroy();
        this.ways[wrId] = undefined;
        this.freeSends.push(wrId);
        continue;
      }
      const at = wrId * SLOT_BYTES;
      if (status === 'SUCCESS' && srcQp === GSI_QPN)
        this.received(this.memory, at + GRH_BYTES, at + byteLen, this.sourceAt(at));
      if (this.qp.destroyed) return;
      this.postReceive(wrId);
    }
    this.sendWaiting();
  }

  private sendWaiting(): void {
    while (this.waiting.length > 0 && this.freeSends.length > 0) {
      const { datagram, to, gidIndex } = this.waiting.shift() as (typeof this.waiting)[0];
      const slot = this.freeSends.pop() as number;
      this.memory.set(datagram, slot * SLOT_BYTES);
      const ah = this.pd.createAh({ dgid: formatGidShort(to), sgidIndex: gidIndex, portNum: PORT_NUM });
      this.ways[slot] = ah;
      this.qp.postSend({
        opcode: 'SEND',
        wrId: slot,
        sgList: [{ addr: this.addr + slot * SLOT_BYTES, length: datagram.length, lkey: this.lkey }],
        ah,
        remoteQpn: GSI_QPN,
        remoteQkey: GSI_QKEY,
      });
    }
  }

  private postReceive(slot: number): void {
    const { addr, lkey } = this;
    this.qp.postRecv({
      wrId: slot,
      sgList: [{ addr: addr + slot * SLOT_BYTES, length: SLOT_BYTES, lkey }],
    });
  }

  /** Who sent the datagram in a slot: a GRH or, in its last 20 bytes, an IPv4 header tells. */
  private sourceAt(at: number): Gid {
    const { memory, source } = this;
    if (memory[at] >>> 4 !== 6) return gidFromIpv4(read32(memory, at + IPV4_SOURCE));
    source.set(memory.subarray(at + SOURCE_GID, at + SOURCE_GID + 16));
    return source;
  }
}
