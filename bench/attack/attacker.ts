import { createSocket, type Socket } from 'node:dgram';
import { Random } from '../../src/engine/index.js';
import { SoftwareProvider } from '../../src/providers/software/index.js';
import { Access, waitForCompletions } from '../../src/verbs/index.js';
import { emitCm, isRefusal, MAD_BYTES, parseCm } from '../../src/wire/index.js';
import { serve } from './child.js';
import { AROUND_BYTES, Forger } from './packets.js';
import { partOf, type Schedule } from './schedule.js';
import { OWN_BYTES, readRegions, SERVICE } from './victim.js';

const PORT = 4791;
/** A sender that was held up does not catch up with more than this. */
const MOST_AT_ONCE = 512;
const UD_HEAD_BYTES = 20;
const LATE_MS = 700;
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
    ...{ packets: 0, sentBytes: 0, unprovenAnsweredBytes: 0, unprovenSentBytes: 0, worstFactor: 0 },
    ...{ connections: 0, keys: 0, hits: 0 },
  };
  private readonly mouths: Mouth[] = [];
  private id = 1;

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
        await this.guessKeys();
        break;
    }
    return this.figures;
  }

  /** Sends packets at a rate from these addresses; `answers` takes part in what the victim begins. */
  private async shoot(
    addresses: readonly string[],
    port: number,
    packet: (forger: Forger) => Uint8Array,
    answers: boolean,
  ): Promise<void> {
    const { schedule, packetsPerSecond, mostPackets } = this.order;
    for (const address of addresses) this.mouths.push(await this.open(address, port, answers));
    const { figures } = this;
    let shot = 0;
    let due = 0;
    for (let lastMs = Date.now(); figures.packets < mostPackets; ) {
      const nowMs = Date.now();
      const part = partOf(schedule, nowMs);
      if (part === 'over') break;
      const aims = part === 'decoy' || part === 'attack';
      due = aims ? Math.min(due + ((nowMs - lastMs) / 1000) * packetsPerSecond, MOST_AT_ONCE) : 0;
      lastMs = nowMs;
      for (; due >= 1; due--) {
        const mouth = this.mouths[shot++ % this.mouths.length];
        const forger = part === 'attack' ? mouth.victim : mouth.decoy;
        const bytes = packet(forger);
        if (part === 'attack') {
          figures.packets++;
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

  /** Whom to attack now; null when it is over. */
  private async nextTarget(): Promise<string | null> {
    const { schedule, victim, decoy } = this.order;
    for (;;) {
      const part = partOf(schedule, Date.now());
      if (part === 'over') return null;
      if (part === 'attack') return victim;
      if (part === 'decoy') return decoy;
      await sleep(5);
    }
  }

  /** Connects, tries an old key and a drawn one at the place that it was told of, and is disconnected for it. */
  private async guessKeys(): Promise<void> {
    const { own, victim } = this.order;
    // Without spinning: what the attacker takes from the machine is not what is measured.
    const context = await new SoftwareProvider({ socket: { spinUs: 0 } }).open(own[4]);
    const manager = context.createConnectionManager();
    const cq = context.createCq({ cqe: 16 });
    const pd = context.allocPd();
    const memory = pd.regMr(new Uint8Array(64), Access.LOCAL_WRITE);
    let tries = 0;
    const old = new Map<string, number>();
    const everyMs = (1000 * PACKETS_PER_TRY) / this.order.packetsPerSecond;
    let dueMs = 0;
    for (let target = await this.nextTarget(); target !== null; target = await this.nextTarget()) {
      dueMs = Math.max(dueMs + everyMs, Date.now() - everyMs);
      if (dueMs > Date.now()) await sleep(dueMs - Date.now());
      const cap = { maxSendWr: 4, maxRecvWr: 1, maxSendSge: 1, maxRecvSge: 1 };
      const qp = pd.createQp({ qpType: 'RC', sendCq: cq, recvCq: cq, cap });
      try {
        const connection = await manager.connect(qp, { address: target, port: SERVICE, initiatorDepth: 4 });
        const { own: given, shared } = readRegions(connection.privateData);
        let rkey: number = tries++ % 2 === 0 ? this.random.nextUint32() : (old.get(target) ?? 0);
        if (rkey === given.rkey || rkey === shared.rkey) rkey = (rkey ^ 1) >>> 0;
        if (!old.has(target)) old.set(target, given.rkey);
        const remoteAddr = given.remoteAddr + this.random.nextInt(OWN_BYTES - 64);
        const sgList = [{ addr: memory.addr, length: 64, lkey: memory.lkey }];
        qp.postSend({ opcode: 'RDMA_READ', sgList, remoteAddr, rkey, signaled: true });
        const [{ status }] = await waitForCompletions(cq, { timeoutNs: 10e9 });
        if (target === victim) {
          this.figures.connections++;
          this.figures.packets += PACKETS_PER_TRY;
          this.figures.keys++;
          if (status === 'SUCCESS') this.figures.hits++;
        }
        await connection.disconnect();
      } catch {
        await sleep(1);
      }
      qp.destroy();
    }
    manager.close();
    await context.close();
  }
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
