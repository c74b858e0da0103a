import { Random } from '../../../../engine/index.js';
import {
  ACCESS_REMOTE,
  Access,
  type ConnectionManager,
  connectRcPair,
  type QueuePair,
  type RcEnd,
  waitForCompletions,
} from '../../../../verbs/index.js';
import { isRefusal, OPCODE, parseGid, parseRoceDatagram } from '../../../../wire/index.js';
import { type SoftwareContext, SoftwareProvider } from '../../provider.js';
import { Attacker, type Knowledge } from './attacker.js';
import { Hub } from './hub.js';

const VICTIM = '::ffff:10.9.0.1';
const HONEST = '::ffff:10.9.0.2';
const ATTACKER = '::ffff:10.9.0.3';
const SERVICE = 7174;
const MESSAGE_BYTES = 8192;
const GUARD_BYTES = 4096;
const GUARD = 0x3c;
/** Datagrams of the attacker for each message of the honest peer. */
const STRIKES = 100;
/** How often the victim gives the attacker a new queue pair, since a refusal ends the one that it had. */
const RENEW_EVERY = 400;
/** Requests that the victim may have half-open, and as many again whose address it has asked. */
const HALF_OPEN = 64;
const OWN_PSN = 0x000100;

/** What a run found. */
export interface FuzzReport {
  seed: number;
  packets: number;
  byAttack: Record<string, number>;
  /** Messages of the honest peer, all compared. */
  honestMessages: number;
  /** What the victim counted. */
  counters: Record<string, number>;
  /** Requests for connections that were left half-open and forgotten. */
  mostConnections: number;
  failures: string[];
}

/**
 * Attacks a live device that serves an honest peer, and checks that nothing comes of it: no exception, no byte written
 * or read that the attacker has no right to, no memory kept, and the honest transfer intact.
 *
 * @example
 * const { failures } = await fuzzDevice({ seed: 1, packets: 100_000 });
 */
export async function fuzzDevice(options: {
  seed: number;
  packets: number;
  onProgress?(packets: number): void;
  /** A deliberate mistake of the victim, to see that it is noticed: the attacker gets a place in the honest domain. */
  sharedDomain?: boolean;
}): Promise<FuzzReport> {
  const run = new FuzzRun(options.seed, options.sharedDomain === true);
  const onException = (error: unknown) => run.fail(`an exception nobody caught: ${String(error)}`);
  process.on('uncaughtException', onException);
  try {
    await run.open();
    while (run.packets < options.packets && run.failures.length < 10) {
      await run.turn(Math.min(STRIKES, options.packets - run.packets));
      if (run.packets % 10_000 < STRIKES) options.onProgress?.(run.packets);
    }
    return await run.close();
  } finally {
    process.off('uncaughtException', onException);
  }
}

class FuzzRun {
  packets = 0;
  readonly failures: string[] = [];
  private readonly hub = new Hub();
  private readonly seed: number;
  private readonly sharedDomain: boolean;
  private readonly random: Random;
  private readonly attacker: Attacker;
  private victim!: SoftwareContext;
  private honest!: SoftwareContext;
  private manager!: ConnectionManager;
  private server!: RcEnd;
  private client!: RcEnd;
  private known!: Knowledge;
  private ownQp: QueuePair | null = null;
  private readonly target = new Uint8Array(MESSAGE_BYTES);
  private readonly guard = new Uint8Array(GUARD_BYTES).fill(GUARD);
  private messages = 0;
  private mostConnections = 0;
  private baseline = 0;
  private transfer!: (data: Uint8Array) => Promise<void>;

  constructor(seed: number, sharedDomain: boolean) {
    this.seed = seed;
    this.sharedDomain = sharedDomain;
    this.random = new Random(seed).split('honest');
    this.attacker = new Attacker(this.hub, parseGid(ATTACKER), seed);
    this.hub.onStray = ({ bytes }) => this.onAnswer(bytes);
  }

  fail(what: string): void {
    this.failures.push(`seed ${this.seed}, packet ${this.packets}: ${what}`);
  }

  async open(): Promise<void> {
    const connectionLimits = {
      halfOpen: HALF_OPEN,
      halfOpenPerPeer: HALF_OPEN / 2,
      challengeAbovePerPeer: HALF_OPEN / 2,
      challenged: HALF_OPEN,
      challengeNs: 50e6,
      consumerNs: 50e6,
      timewaitNs: 1e6,
    };
    const openLink = async (name: string) => this.hub.open(parseGid(name));
    const provider = new SoftwareProvider({ openLink, connectionLimits });
    [this.victim, this.honest] = await Promise.all([provider.open(VICTIM), provider.open(HONEST)]);
    this.manager = this.victim.createConnectionManager({ responseTimeout: 10 });
    // A consumer that takes its time: every request stays half-open until it is forgotten.
    this.manager.listen(SERVICE, () => {});
    [this.client, this.server] = connectRcPair(this.honest, this.victim);
    // Lies beside the honest region, in the same domain, and is nobody's to write.
    this.server.pd.regMr(this.guard, Access.LOCAL_WRITE);
    this.prepareTransfer();
    this.known = {
      victim: parseGid(VICTIM),
      honest: parseGid(HONEST),
      honestQpn: this.server.qp.qpNum,
      ownQpn: 0,
      ownPsn: OWN_PSN,
      service: SERVICE,
    };
    this.renew();
    this.baseline = this.packetsInUse();
  }

  private prepareTransfer(): void {
    const { client, server } = this;
    const source = new Uint8Array(2 * MESSAGE_BYTES);
    const local = client.pd.regMr(source, Access.LOCAL_WRITE);
    const remote = server.pd.regMr(this.target, Access.LOCAL_WRITE | ACCESS_REMOTE);
    const sgList = [{ addr: local.addr, length: MESSAGE_BYTES, lkey: local.lkey }];
    const back = [{ addr: local.addr + MESSAGE_BYTES, length: MESSAGE_BYTES, lkey: local.lkey }];
    const far = { remoteAddr: remote.iova, rkey: remote.rkey, signaled: true };
    this.transfer = async (data) => {
      source.set(data);
      source.fill(0, MESSAGE_BYTES);
      client.qp.postSend({ ...far, opcode: 'RDMA_WRITE', sgList });
      client.qp.postSend({ ...far, opcode: 'RDMA_READ', sgList: back, fence: true });
      const completions = await waitForCompletions(client.sendCq, { count: 2, timeoutNs: 20e9 });
      for (const { status } of completions)
        if (status !== 'SUCCESS') this.fail(`the honest peer got ${status}`);
      if (!same(this.target, data)) this.fail('the honest data did not arrive intact');
      if (!same(source.subarray(MESSAGE_BYTES), data)) this.fail('the honest data did not come back intact');
    };
  }

  /**
   * A queue pair of the victim that is the attacker's by right, in a domain of its own, with a region that grants nothing.
   */
  private renew(): void {
    const { victim } = this;
    if (this.ownQp !== null) {
      const { pd, sendCq, recvCq } = this.ownQp;
      this.ownQp.destroy();
      sendCq.destroy();
      recvCq.destroy();
      if (!this.sharedDomain) pd.dealloc();
    }
    const pd = this.sharedDomain ? this.server.pd : victim.allocPd();
    const [sendCq, recvCq] = [victim.createCq({ cqe: 16 }), victim.createCq({ cqe: 16 })];
    const qp = pd.createQp({ qpType: 'RC', sendCq, recvCq, cap: { maxSendWr: 4, maxRecvWr: 4 } });
    qp.modify({ state: 'INIT', pkeyIndex: 0, portNum: 1, qpAccessFlags: ACCESS_REMOTE });
    qp.modify({
      state: 'RTR',
      ahAttr: { dgid: ATTACKER, sgidIndex: 0, portNum: 1 },
      pathMtu: 1024,
      destQpNum: 0x777,
      rqPsn: OWN_PSN,
      maxDestRdAtomic: 4,
      minRnrTimer: 12,
    });
    qp.modify({ state: 'RTS', sqPsn: 0, timeout: 14, retryCnt: 1, rnrRetry: 1, maxRdAtomic: 1 });
    this.ownQp = qp;
    this.known.ownQpn = qp.qpNum;
  }

  /** What the victim says to the attacker: it may refuse, but it may not tell. */
  private onAnswer(bytes: Uint8Array): void {
    const datagram = parseRoceDatagram(bytes);
    if (isRefusal(datagram)) {
      this.fail('the victim sent something that is no packet');
      return;
    }
    const { opcode } = datagram.bth;
    const tells = opcode >= OPCODE.RC_READ_RESPONSE_FIRST && opcode <= OPCODE.RC_READ_RESPONSE_ONLY;
    if ((tells && datagram.payload.length > 0) || opcode === OPCODE.RC_ATOMIC_ACKNOWLEDGE)
      this.fail('the attacker read bytes of the victim');
  }

  async turn(strikes: number): Promise<void> {
    const data = Uint8Array.from({ length: MESSAGE_BYTES }, () => this.random.nextInt(256));
    const honest = this.transfer(data);
    for (let count = 0; count < strikes; count++) {
      this.attacker.strike(this.known);
      this.packets++;
      if (this.packets % RENEW_EVERY === 0) this.renew();
      if (count % 10 === 9) await new Promise((resolve) => setImmediate(resolve));
    }
    await honest.catch((error) => this.fail(`the honest transfer failed: ${String(error)}`));
    this.messages++;
    if (!this.guard.every((byte) => byte === GUARD)) this.fail('a byte was written that nobody may write');
    this.mostConnections = Math.max(this.mostConnections, this.victim.connections.agent.size);
    if (this.victim.connections.agent.size > 2 * HALF_OPEN + 1)
      this.fail(`${this.victim.connections.agent.size} connections are kept`);
    if (this.victim.software.failure !== null)
      this.fail(`the device failed: ${this.victim.software.failure}`);
  }

  private packetsInUse(): number {
    return this.victim.software.packetsInUse;
  }

  async close(): Promise<FuzzReport> {
    // Half-open requests are forgotten in 50 ms, once those that still wait behind the data have had their turn.
    await this.victim.clock.sleep(150e6);
    for (let look = 0; look < 100 && this.victim.connections.agent.size !== 0; look++)
      await this.victim.clock.sleep(50e6);
    if (this.victim.connections.agent.size !== 0)
      this.fail(`${this.victim.connections.agent.size} connections are never forgotten`);
    if (this.packetsInUse() !== this.baseline)
      this.fail(`${this.packetsInUse() - this.baseline} packets are never freed`);
    const counters = { ...this.victim.counters() };
    this.manager.close();
    await Promise.all([this.victim.close(), this.honest.close()]);
    return {
      seed: this.seed,
      packets: this.packets,
      byAttack: this.attacker.sent,
      honestMessages: this.messages,
      counters,
      mostConnections: this.mostConnections,
      failures: this.failures,
    };
  }
}

function same(one: Uint8Array, other: Uint8Array): boolean {
  return one.every((byte, at) => byte === other[at]);
}
