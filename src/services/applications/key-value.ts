import {
  Access,
  type AddressHandle,
  type CompletionQueue,
  type Context,
  emptyWorkCompletion,
  type MemoryRegion,
  type ProtectionDomain,
  type QueuePair,
  type Thread,
} from '../../verbs/index.js';
import type { Application, ApplicationSite, RunningApplication } from './application.js';

const SERVER = 'b';
/** Husky §5.2: one server, three clients; attackers send from the first client's host to the server's. */
const CLIENTS = ['a', 'c', 'd'] as const;
/** Threads of the server, each with a datagram queue pair; a client has as many, each with its thread of the server. */
const THREADS = 6;
/** Requests in flight for each session: set so that the server has the paper's 14 M requests a second. */
const WINDOW = 3;
/** A GET and its answer: a small key and a small value with eRPC's header, well under 20 Gb/s at 14 M a second. */
const REQUEST_BYTES = 48;
const ANSWER_BYTES = 64;
const GRH_BYTES = 40;
const RECEIVES = 256;
const QKEY = 0x4b56;
/** Completions taken at a time. A datagram that was lost stays lost: eRPC asks again after 5 ms, longer than a run. */
const POLL = 16;

/** A key-value store over datagrams, after eRPC with Masstree: GETs in a window, answered one by one. */
export const keyValue: Application = {
  name: 'key-value',
  operation: 'GETs',
  hosts: ['a', 'b', 'c', 'd'],
  uses: { transport: 'UD', opcodes: ['SEND_WITH_IMM'] },
  start: (site) => new KeyValue(site),
};

class KeyValue implements RunningApplication {
  private readonly clients: { host: string; desk: Desk }[] = [];
  private readonly servers: Desk[] = [];

  constructor(site: ApplicationSite) {
    const home = site.contextOf(SERVER);
    for (let number = 0; number < THREADS; number++) {
      const server = new Desk(home, `server ${number}`, ANSWER_BYTES);
      this.servers.push(server);
      for (const host of CLIENTS) {
        const context = site.contextOf(host);
        const desk = new Desk(context, `client ${host}${number}`, REQUEST_BYTES);
        server.peer(desk, site.serviceLevel);
        desk.session = server.sessions - 1;
        desk.peer(server, site.serviceLevel);
        this.clients.push({ host, desk });
      }
    }
    for (const server of this.servers) server.serve();
    for (const { desk } of this.clients) desk.ask();
  }

  get operations(): number {
    return this.clients.reduce((sum, { desk }) => sum + desk.answered, 0);
  }

  get byHost(): Readonly<Record<string, number>> {
    const counts: Record<string, number> = {};
    for (const { host, desk } of this.clients) counts[host] = (counts[host] ?? 0) + desk.answered;
    return counts;
  }

  stop(): void {
    for (const desk of [...this.servers, ...this.clients.map(({ desk }) => desk)]) desk.thread.stop();
  }
}

/** A thread with a datagram queue pair, at either end. */
class Desk {
  readonly thread: Thread;
  readonly qp: QueuePair;
  /** Answers that came. */
  answered = 0;
  private readonly context: Context;
  private readonly pd: ProtectionDomain;
  private readonly cq: CompletionQueue;
  private readonly memory: MemoryRegion;
  /** The number that its server knows it by; requests carry it, as eRPC's header does. */
  session = 0;
  private readonly peers: { ah: AddressHandle; qpn: number }[] = [];
  private readonly messageBytes: number;
  private readonly slots = Array.from({ length: POLL }, emptyWorkCompletion);

  constructor(context: Context, name: string, messageBytes: number) {
    this.context = context;
    this.messageBytes = messageBytes;
    const thread = context.createThread?.({ name });
    if (thread === undefined) throw new Error(`${context.deviceName} has no threads`);
    this.thread = thread;
    this.pd = context.allocPd();
    this.cq = context.createCq({ cqe: 4 * RECEIVES });
    this.memory = this.pd.regMr({ lengthBytes: 4096 }, Access.LOCAL_WRITE);
    this.qp = this.pd.createQp({
      qpType: 'UD',
      sendCq: this.cq,
      recvCq: this.cq,
      cap: { maxSendWr: RECEIVES, maxRecvWr: RECEIVES, maxSendSge: 1, maxRecvSge: 1, maxInlineData: 0 },
    });
    this.qp.modify({ state: 'INIT', pkeyIndex: 0, portNum: 1, qkey: QKEY });
    this.qp.modify({ state: 'RTR' });
    this.qp.modify({ state: 'RTS', sqPsn: 0 });
    for (let each = 0; each < RECEIVES; each++) this.receive();
  }

  peer(other: Desk, sl: number): void {
    const dgid = other.context.queryGid(1, 0);
    this.peers.push({ ah: this.pd.createAh({ dgid, sgidIndex: 0, portNum: 1, sl }), qpn: other.qp.qpNum });
  }

  /** Clients of a server. */
  get sessions(): number {
    return this.peers.length;
  }

  /** Answers whatever comes. */
  serve(): void {
    this.thread.watch(this.cq);
    this.thread.run(() => this.poll((session) => this.send(session, session)));
  }

  /** Asks its server, a window at a time. */
  ask(): void {
    let begun = false;
    this.thread.watch(this.cq);
    this.thread.run(() => {
      if (!begun) for (let each = 0; each < WINDOW; each++) this.send(0, this.session);
      begun = true;
      this.poll(() => {
        this.answered++;
        this.send(0, this.session);
      });
    });
  }

  private poll(arrived: (session: number) => void): void {
    const count = this.cq.pollInto(this.slots);
    for (let each = 0; each < count; each++) {
      const { opcode, immData, status } = this.slots[each];
      if (status !== 'SUCCESS' || opcode !== 'RECV') continue;
      this.receive();
      arrived(immData);
    }
    if (count === POLL) this.thread.wakeAtNs(this.context.clock.nowNs);
  }

  private receive(): void {
    const { memory } = this;
    this.qp.postRecv({
      sgList: [{ addr: memory.addr, length: GRH_BYTES + ANSWER_BYTES, lkey: memory.lkey }],
    });
  }

  private send(peer: number, session: number): void {
    const { memory } = this;
    const { ah, qpn } = this.peers[peer];
    this.qp.postSend({
      opcode: 'SEND_WITH_IMM',
      immData: session,
      sgList: [{ addr: memory.addr, length: this.messageBytes, lkey: memory.lkey }],
      ah,
      remoteQpn: qpn,
      remoteQkey: QKEY,
      signaled: true,
    });
  }
}
