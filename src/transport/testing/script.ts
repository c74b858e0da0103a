import { highWord, lowWord } from '../../verbs/base/memory/address-words.js';
import type { CompletionQueue, WorkCompletion } from '../../verbs/index.js';
import {
  ACCESS_REMOTE,
  Access,
  type MemoryRegion,
  type QpAttr,
  type QpType,
  type QueuePair,
  type RemoteAddress,
} from '../../verbs/index.js';
import { OPCODE, type OpcodeName, opcodeInfo } from '../../wire/index.js';
import { type Endpoint, PacketFlag, psnAdd, psnDistance, Syndrome } from '../index.js';
import { Loopback, type LoopbackOptions } from './loopback.js';
import type { LoopbackDevice } from './loopback-device.js';

/** The fields of a packet that a script sends; what is left out is 0. */
export interface ScriptPacket {
  /** The device drops it before the transport sees it. */
  dropped?: boolean;
  payload?: Uint8Array | number;
  ackRequest?: boolean;
  solicited?: boolean;
  syndrome?: number;
  msn?: number;
  addr?: RemoteAddress;
  rkey?: number;
  dmaBytes?: number;
  imm?: number;
  inv?: number;
  qkey?: number;
  srcQpn?: number;
  /** Selective repeat: of a NAK the PSN that came instead; of a SEND or WRITE its receive and the packets before it. */
  sack?: number;
  place?: readonly [receive: number, before: number];
  /** Operands of an atomic request, or the value of its response. */
  words?: readonly number[];
}

/** The first PSNs of a script's connection: what is printed and given is counted from here, across the wrap. */
const SQ_PSN = 0xfffffe;
const RQ_PSN = 0xfffffd;
const PEER_QPN = 0x99;

/**
 * One queue pair in RTS and a peer that is played by the test: packets are pulled out of it and read as text, and
 * handed to it by name.
 *
 * @example
 * const script = new Script('RC');
 * script.qp.postSend({ opcode: 'RDMA_WRITE', sgList: script.at(0, 2000), remoteAddr: 0, rkey: 7 });
 * script.pull(); // ['WRITE_FIRST 0 1024B va=0 len=2000', 'WRITE_LAST 1 976B A']
 */
export class Script {
  readonly loopback: Loopback;
  readonly device: LoopbackDevice;
  readonly qp: QueuePair;
  readonly cq: CompletionQueue;
  readonly mr: MemoryRegion;
  readonly memory = new Uint8Array(1 << 16);
  readonly endpoint: Endpoint;

  constructor(type: QpType = 'RC', attr: QpAttr = {}, options: LoopbackOptions = {}) {
    this.loopback = new Loopback({ ...options, manual: true });
    this.device = this.loopback.devices[0];
    const [context] = this.loopback.contexts;
    const pd = context.allocPd();
    this.cq = context.createCq({ cqe: 256 });
    for (let at = 0; at < this.memory.length; at++) this.memory[at] = at * 7 + (at >> 8);
    this.mr = pd.regMr(this.memory, Access.LOCAL_WRITE | ACCESS_REMOTE | Access.MW_BIND);
    const cap = { maxSendWr: 64, maxRecvWr: 64, maxSendSge: 4, maxRecvSge: 4 };
    this.qp = pd.createQp({ qpType: type, sendCq: this.cq, recvCq: this.cq, cap, sqSigAll: true });
    this.endpoint = this.device.endpoints.get(this.qp.qpNum)!;
    this.connect(type, attr);
  }

  private connect(type: QpType, attr: QpAttr): void {
    const known: QpAttr = {
      pkeyIndex: 0,
      portNum: 1,
      qpAccessFlags: type === 'UC' ? Access.REMOTE_WRITE : ACCESS_REMOTE,
      qkey: 0x1234,
      ahAttr: { dgid: '::ffff:10.0.0.2', sgidIndex: 0 },
      pathMtu: 1024,
      destQpNum: PEER_QPN,
      rqPsn: RQ_PSN,
      sqPsn: SQ_PSN,
      maxDestRdAtomic: 2,
      maxRdAtomic: 2,
      minRnrTimer: 1,
      timeout: 1,
      retryCnt: 2,
      rnrRetry: 2,
      ...attr,
    };
    const addressing: (keyof QpAttr)[] = ['pkeyIndex', 'portNum', type === 'UD' ? 'qkey' : 'qpAccessFlags'];
    const rtr: (keyof QpAttr)[] = type === 'UD' ? [] : ['ahAttr', 'pathMtu', 'destQpNum', 'rqPsn'];
    const rts: (keyof QpAttr)[] = ['sqPsn'];
    if (type === 'RC') {
      rtr.push('maxDestRdAtomic', 'minRnrTimer');
      rts.push('timeout', 'retryCnt', 'rnrRetry', 'maxRdAtomic');
    }
    this.qp.modify({ state: 'INIT', ...pick(known, addressing) });
    this.qp.modify({ state: 'RTR', ...pick(known, rtr) });
    this.qp.modify({ state: 'RTS', ...pick(known, rts) });
  }

  /** A scatter-gather list of one element of the script's memory. */
  at(offset: number, length: number): { addr: number; length: number; lkey: number }[] {
    return [{ addr: this.mr.addr + offset, length, lkey: this.mr.lkey }];
  }

  /** Time in ps. */
  get nowPs(): number {
    return this.loopback.simulation.now;
  }

  /** Lets time pass, timers included. */
  wait(ps: number): void {
    this.loopback.time.advance(this.nowPs + ps);
  }

  /** Pulls up to `most` packets out of the endpoint, responses first, each as text. */
  pull(most = 1000): string[] {
    const { packets } = this.loopback;
    const texts: string[] = [];
    while (texts.length < most) {
      const response = this.endpoint.canRespond(this.nowPs);
      if (!response && !this.endpoint.canRequest(this.nowPs)) break;
      const packet = packets.take();
      const bytes = response ? this.endpoint.nextResponseBytes() : this.endpoint.nextRequestBytes();
      let filled = true;
      if (response) this.endpoint.emitResponse(packet, this.nowPs);
      else filled = this.endpoint.emitRequest(packet, this.nowPs);
      if (filled) this.loopback.checkers.emitted(this.endpoint, packet, bytes);
      if (filled) texts.push(this.describe(packet, response));
      this.loopback.discard(packet);
    }
    return texts;
  }

  private describe(packet: number, response: boolean): string {
    const { packets } = this.loopback;
    const info = opcodeInfo(packets.opcode[packet])!;
    const flags = packets.flags[packet];
    const readAck = response && packets.syndrome[packet] === Syndrome.READ_ACK;
    const first = readAck ? 0 : response ? RQ_PSN : SQ_PSN;
    const parts = [info.name.replace(/^(RC|UC|UD)_/, ''), `${psnDistance(packets.psn[packet], first)}`];
    if (info.hasPayload) parts.push(`${packets.payloadBytes[packet]}B`);
    for (const header of info.headers) {
      if (header === 'reth') parts.push(`va=${this.addressOf(packet)} len=${packets.dmaBytes[packet]}`);
      if (header === 'atomicEth') parts.push(`va=${this.addressOf(packet)}`);
      if (header === 'aeth')
        parts.push(`${packets.syndrome[packet].toString(16)} msn=${packets.msn[packet]}`);
      if (header === 'atomicAckEth') parts.push(`value=${packets.operandWords[4 * packet]}`);
      if (header === 'immediate') parts.push(`imm=${packets.immediate[packet]}`);
      if (header === 'ieth') parts.push(`inv=${packets.invalidateRkey[packet]}`);
      if (header === 'deth') parts.push(`qkey=${packets.qkey[packet].toString(16)}`);
    }
    const { placementWords, syndrome } = packets;
    if (response && placementWords.length > 0 && syndrome[packet] === Syndrome.SEQUENCE_ERROR)
      parts.push(`sack=${psnDistance(placementWords[2 * packet], first)}`);
    if ((flags & PacketFlag.ACK_REQUEST) !== 0) parts.push('A');
    if ((flags & PacketFlag.SOLICITED) !== 0) parts.push('SE');
    return parts.join(' ');
  }

  private addressOf(packet: number): bigint {
    const { remoteHigh, remoteLow } = this.loopback.packets;
    return (BigInt(remoteHigh[packet]) << 32n) | BigInt(remoteLow[packet]);
  }

  /** The peer's packet arrives. Requests count PSNs from the first that we expect, responses from our first. */
  arrive(name: OpcodeName, psn: number, fields: ScriptPacket = {}): void {
    const { packets } = this.loopback;
    const packet = packets.take();
    const info = opcodeInfo(OPCODE[name])!;
    const answers = info.headers.includes('aeth') || info.operation === 'read-response';
    const payload = typeof fields.payload === 'number' ? new Uint8Array(fields.payload) : fields.payload;
    const bytes = payload?.length ?? 0;
    packets.opcode[packet] = OPCODE[name];
    packets.flags[packet] =
      (fields.ackRequest ? PacketFlag.ACK_REQUEST : 0) | (fields.solicited ? PacketFlag.SOLICITED : 0);
    // READ data is acknowledged by numbers of its own.
    const first = fields.syndrome === Syndrome.READ_ACK ? 0 : answers ? SQ_PSN : RQ_PSN;
    packets.psn[packet] = psnAdd(first, psn);
    packets.destQpn[packet] = this.qp.qpNum;
    packets.srcQpn[packet] = fields.srcQpn ?? PEER_QPN;
    packets.payloadBytes[packet] = bytes;
    packets.syndrome[packet] = fields.syndrome ?? 0x1f;
    packets.msn[packet] = fields.msn ?? 0;
    const addr = fields.addr ?? this.mr.iova;
    packets.remoteHigh[packet] = highWord(addr);
    packets.remoteLow[packet] = lowWord(addr);
    packets.rkey[packet] = fields.rkey ?? this.mr.rkey;
    packets.dmaBytes[packet] = fields.dmaBytes ?? bytes;
    packets.immediate[packet] = fields.imm ?? 0;
    packets.invalidateRkey[packet] = fields.inv ?? 0;
    packets.qkey[packet] = fields.qkey ?? 0x1234;
    if (fields.words !== undefined) {
      packets.needOperands();
      packets.operandWords.set(fields.words, 4 * packet);
    }
    if (fields.sack !== undefined) this.setPlace(packet, [psnAdd(SQ_PSN, fields.sack), 0]);
    if (fields.place !== undefined) this.setPlace(packet, fields.place);
    if (payload !== undefined) this.loopback.newPayload(packet, bytes).set(payload);
    this.loopback.own(packet, this.loopback.devices[1]);
    if (fields.dropped === true) this.endpoint.onDropped(packet);
    else this.endpoint.onPacket(packet, this.nowPs);
    this.loopback.discard(packet);
  }

  private setPlace(packet: number, words: readonly [number, number]): void {
    const { packets } = this.loopback;
    packets.needPlacement();
    packets.placementWords.set(words, 2 * packet);
  }

  /** What completed since the last look, each as text. */
  completions(): string[] {
    return this.cq.poll(256).map(describeCompletion);
  }
}

function describeCompletion(completion: WorkCompletion): string {
  const { wrId, status, opcode, byteLen, withImm, immData, withInv, invalidatedRkey } = completion;
  if (status !== 'SUCCESS') return `${wrId} ${status}`;
  const rest = withImm ? ` imm=${immData}` : withInv ? ` inv=${invalidatedRkey}` : '';
  return `${wrId} ${opcode} ${byteLen}${rest}`;
}

function pick(attr: QpAttr, names: readonly (keyof QpAttr)[]): QpAttr {
  return Object.fromEntries(names.map((name) => [name, attr[name]])) as QpAttr;
}
