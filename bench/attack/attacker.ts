import { createSocket, type Socket } from 'node:dgram';
import { Random } from '../../src/engine/index.js';
import { strangersQpn } from '../../src/providers/software/testing/stranger.js';
import {
  DREQ_PRIVATE_DATA_BYTES,
  emitCm,
  isRefusal,
  MAD_BYTES,
  OPCODE,
  parseCm,
  type Rep,
} from '../../src/wire/index.js';
import { processorMs, serve } from './child.js';
import { AROUND_BYTES, Forger } from './packets.js';
import { type Part, partOf, type Schedule } from './schedule.js';
import { OWN_BYTES, readRegions } from './victim.js';

const PORT = 4791;
/** A sender that was held up does not catch up with more than this. */
const MOST_AT_ONCE = 512;
const UD_HEAD_BYTES = 20;
const LATE_MS = 700;
/** Where a BTH has its queue pair, and where the syndrome of an acknowledgement stands; NAKs are from this on. */
const QPN_AT = 4;
const SYNDROME_AT = 12;
const NAK = 0x60;
/** Bytes that a key is tried for. */
const KEY_BYTES = 64;
/** REQ, RTU, READ and DREQ. */
const PACKETS_PER_TRY = 4;

/** What the attacker does. */
export type AttackKind =
  | 'flood'
  | 'half-open'
  | 'spoofed'
  | 'own name'
  | 'DREQ'
  | 'connections'
  | 'keys'
  | 'READ'
  | 'CNP'
  | 'CNP, known QPN'
  | 'noise';

/** An attack that the controller asks for. */
export interface AttackOrder {
  kind: AttackKind;
  seed: number;
  /** The victim, the honest peer, and addresses of the attacker's own. */
  victim: string;
  honest: string;
  own: string[];
  /** Addresses that never answer. No two attacks share one: what comes late would be counted for the next. */
  forged: string[];
  /** A server like the victim, which the honest peer has nothing to do with. */
  decoy: string;
  /** A queue pair of the victim that the honest peer is connected to. */
  honestQpn: number;
  schedule: Schedule;
  packetsPerSecond: number;
  mostPackets: number;
}

/** What came of it, as the attacker sees it. */
export interface AttackFigures {
  packets: number;
  sentBytes: number;
  /** Processor time that the attacker took while it attacked the victim. */
  processorMs: number;
  /** Bytes that came to addresses which never proved anything, and bytes that were sent from them. */
  unprovenAnsweredBytes: number;
  unprovenSentBytes: number;
  /** The worst of one address. */
  worstFactor: number;
  connections: number;
  /** Keys that were tried, and those that opened something. */
  keys: number;
  hits: number;
}

/** One address that packets are sent from and answers come to. */
interface Mouth {
  socket: Socket;
  victim: Forger;
  decoy: Forger;
  sentBytes: number;
  answeredBytes: number;
}

/** The attacking process. */
export async function serveAttacker(): Promise<void> {
  await serve<AttackOrder>(async (order) => new Attack(order).run());
}

class Attack {
  private readonly order: AttackOrder;
  private readonly random: Random;
  private readonly figures: AttackFigures = {
    ...{
      packets: 0,
      sentBytes: 0,
      processorMs: 0,
      unprovenAnsweredBytes: 0,
      unprovenSentBytes: 0,
      worstFactor: 0,
    },
    ...{ connections: 0, keys: 0, hits: 0 },
  };
  private readonly mouths: Mouth[] = [];
  private id = 1;
  /** By target: a key that was good once. */
  private readonly oldKeys = new Map<string, number>();
  /** By target and own queue pair: connections on which a key is being tried. */
  private readonly tried = new Map<string, Rep>();

  constructor(order: AttackOrder) {
    this.order = order;
    this.random = new Random(order.seed).split(order.kind);
  }

  async run(): Promise<AttackFigures> {
    const { kind, own, forged, honest } = this.order;
    switch (kind) {
      case 'flood':
        await this.shoot([own[0]], PORT, (forger) => forger.req(this.id++), true);
        break;
      case 'half-open':
        await this.shoot(forged.slice(0, 4), PORT, (forger) => forger.req(this.id++), false);
        break;
      case 'spoofed':
        await this.shoot(forged.slice(4, 124), PORT, (forger) => forger.req(this.id++), false);
        break;
      case 'own name':
        await this.shoot([honest], 0, (forger) => forger.req(this.id++), false);
        break;
      case 'DREQ':
        await this.shoot(
          own.slice(0, 4),
          PORT,
          (forger) => (this.random.nextInt(2) === 0 ? forger.req(this.id++) : forger.dreq()),
          true,
        );
        break;
      case 'READ':
        await this.shoot(
          forged.slice(124, 164),
          PORT,
          (forger) => forger.read(this.random.nextInt(2 ** 24)),
          false,
        );
        break;
      case 'CNP':
        await this.shoot([honest], 0, (forger) => forger.cnp(this.random.nextInt(2 ** 24)), false);
        break;
      case 'CNP, known QPN':
        await this.shoot([honest], 0, (forger) => forger.cnp(this.order.honestQpn), false);
        break;
      case 'noise':
        await this.shoot(forged.slice(164), PORT, (forger) => forger.noise(), false);
        break;
      case 'connections':
        await this.shoot(own.slice(0, 4), PORT, (forger) => forger.req(this.id++), true);
        break;
      case 'keys':
        await this.shoot(own.slice(4), PORT, (forger) => forger.req(this.id++), true, PACKETS_PER_TRY);
        break;
    }
    return this.figures;
  }

  /**
   * Sends packets at a rate from these addresses; `answers` takes part in what the victim begins, with this many packets
   * for each that was sent as `packetsPerShot` says.
   */
  private async shoot(
    addresses: readonly string[],
    port: number,
    packet: (forger: Forger) => Uint8Array,
    answers: boolean,
    packetsPerShot = 1,
  ): Promise<void> {
    const { schedule, mostPackets } = this.order;
    const shotsPerSecond = this.order.packetsPerSecond / packetsPerShot;
    for (const address of addresses) this.mouths.push(await this.open(address, port, answers));
    const { figures } = this;
    let shot = 0;
    let due = 0;
    let last: Part = 'before';
    let usedMs = 0;
    for (let lastMs = Date.now(); figures.packets < mostPackets; ) {
      const nowMs = Date.now();
      const part = partOf(schedule, nowMs);
      if (part !== last) {
        if (last === 'attack') figures.processorMs += processorMs() - usedMs;
        usedMs = processorMs();
        last = part;
      }
      if (part === 'over') break;
      const aims = part === 'decoy' || part === 'attack';
      due = aims ? Math.min(due + ((nowMs - lastMs) / 1000) * shotsPerSecond, MOST_AT_ONCE) : 0;
      lastMs = nowMs;
      for (; due >= 1; due--) {
        const mouth = this.mouths[shot++ % this.mouths.length];
        const forger = part === 'attack' ? mouth.victim : mouth.decoy;
        const bytes = packet(forger);
        if (part === 'attack') {
          figures.packets += packetsPerShot;
          figures.sentBytes += AROUND_BYTES + bytes.length;
          mouth.sentBytes += AROUND_BYTES + bytes.length;
        }
        mouth.socket.send(bytes, PORT, forger.target, () => {});
      }
      await sleep(1);
    }
    // What is still sent to them counts too.
    await sleep(LATE_MS);
    for (const { socket, sentBytes, answeredBytes } of this.mouths) {
      if (port === PORT && !answers) {
        figures.unprovenSentBytes += sentBytes;
        figures.unprovenAnsweredBytes += answeredBytes;
        if (sentBytes > 0) figures.worstFactor = Math.max(figures.worstFactor, answeredBytes / sentBytes);
      }
      socket.close();
    }
  }

  private async open(address: string, port: number, answers: boolean): Promise<Mouth> {
    const socket = createSocket('udp4');
    await new Promise<void>((resolve, reject) => {
      socket.once('error', reject);
      socket.bind({ address, port, exclusive: true }, resolve);
    });
    socket.on('error', () => {});
    const forger = (target: string) => new Forger(address, socket.address().port, target, this.random);
    const [victim, decoy] = [forger(this.order.victim), forger(this.order.decoy)];
    const mouth: Mouth = { socket, victim, decoy, sentBytes: 0, answeredBytes: 0 };
    socket.on('message', (bytes, { address: from }) => {
      if (from === victim.target) mouth.answeredBytes += AROUND_BYTES + bytes.length;
      if (answers) this.answer(socket, from === victim.target ? victim : decoy, bytes);
    });
    return mouth;
  }

  /** Takes part: answers questions, and at random goes on with, rejects or ends what the victim replied. */
  private answer(socket: Socket, forger: Forger, bytes: Uint8Array): void {
    if (this.order.kind === 'keys' && bytes[0] !== OPCODE.UD_SEND_ONLY) {
      this.keyTried(socket, forger, bytes);
      return;
    }
    const message = parseCm(bytes, UD_HEAD_BYTES, UD_HEAD_BYTES + MAD_BYTES);
    if (isRefusal(message)) return;
    const base = {
      transactionId: message.transactionId,
      localCommunicationId: 'remoteCommunicationId' in message ? message.remoteCommunicationId : 0,
      remoteCommunicationId: message.localCommunicationId,
    };
    const reply = (mad: Parameters<typeof emitCm>[0]) => {
      const payload = new Uint8Array(MAD_BYTES);
      emitCm(mad, payload, 0);
      socket.send(forger.management(payload), PORT, forger.target, () => {});
    };
    if (message.kind === 'dreq') reply({ ...base, kind: 'drep', privateData: new Uint8Array(224) });
    if (message.kind !== 'rep') return;
    const rtu = { ...base, kind: 'rtu' as const, privateData: new Uint8Array(224) };
    if (this.order.kind === 'connections') {
      this.figures.connections++;
      reply(rtu);
    }
    if (this.order.kind === 'keys') {
      reply(rtu);
      this.tryKey(socket, forger, message);
    }
    if (this.order.kind !== 'DREQ') return;
    // In every state: before the third message, after it, and again when the end was heard of.
    const dreq = {
      ...base,
      kind: 'dreq' as const,
      remoteQpnOrEecn: message.localQpn,
      privateData: new Uint8Array(220),
    };
    const way = this.random.nextInt(4);
    if (way === 0)
      reply({ ...base, kind: 'mra', messageMraed: 1, serviceTimeout: 31, privateData: new Uint8Array(222) });
    if (way > 1) reply(rtu);
    for (let times = 1 + this.random.nextInt(3); times > 0; times--) reply(dreq);
  }

  /** The third message, and a READ with an old key or a drawn one at the place that the reply told of. */
  private tryKey(socket: Socket, forger: Forger, rep: Rep): void {
    const { own: given, shared } = readRegions(rep.privateData);
    const old = this.oldKeys.get(forger.target);
    if (old === undefined) this.oldKeys.set(forger.target, given.rkey);
    let rkey = this.random.nextInt(2) === 0 ? this.random.nextUint32() : (old ?? 0);
    if (rkey === given.rkey || rkey === shared.rkey) rkey = (rkey ^ 1) >>> 0;
    const remoteAddr = given.remoteAddr + this.random.nextInt(OWN_BYTES - KEY_BYTES);
    const read = forger.readAt(rep.localQpn, rep.startingPsn, remoteAddr, rkey, KEY_BYTES);
    this.tried.set(forger.target + strangersQpn(rep.remoteCommunicationId), rep);
    socket.send(read, PORT, forger.target, () => {});
  }

  /** What came of a key; the connection that it was tried on is ended. */
  private keyTried(socket: Socket, forger: Forger, bytes: Uint8Array): void {
    const view = new DataView(bytes.buffer, bytes.byteOffset);
    const name = forger.target + (view.getUint32(QPN_AT) & 0xffffff);
    const rep = this.tried.get(name);
    if (rep === undefined) return;
    this.tried.delete(name);
    if (forger.target === this.order.victim) {
      this.figures.connections++;
      this.figures.keys++;
      if (bytes[0] !== OPCODE.RC_ACKNOWLEDGE || bytes[SYNDROME_AT] < NAK) this.figures.hits++;
    }
    const ids = {
      transactionId: BigInt(rep.remoteCommunicationId),
      localCommunicationId: rep.remoteCommunicationId,
      remoteCommunicationId: rep.localCommunicationId,
    };
    const payload = new Uint8Array(MAD_BYTES);
    const privateData = new Uint8Array(DREQ_PRIVATE_DATA_BYTES);
    emitCm({ ...ids, kind: 'dreq', remoteQpnOrEecn: rep.localQpn, privateData }, payload, 0);
    socket.send(forger.management(payload), PORT, forger.target, () => {});
  }
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
