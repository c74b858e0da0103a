import { createHash } from 'node:crypto';
import { openSync, writeSync } from 'node:fs';
import {
  capture,
  type NetworkFaults,
  FaultPlan,
  faults,
  type LinkMiddleware,
  PacketRecorder,
  statistics,
  withMiddlewares,
} from '../../src/link/index.js';
import {
  openFrameLink,
  type SoftwareContext,
  SoftwareProvider,
  scheduleTimeout,
} from '../../src/providers/software/index.js';
import {
  ACCESS_REMOTE,
  Access,
  type AddressHandle,
  type CompletionQueue,
  type ConnectionManager,
  type MemoryRegion,
  type Mtu,
  type ProtectionDomain,
  type QpType,
  type QueuePair,
  type SendWr,
  type WorkCompletion,
  waitForCompletions,
} from '../../src/verbs/index.js';
import { formatGid, parseGid } from '../../src/wire/index.js';
import type { GuestAgent, GuestCompletion, GuestEnd } from './guest-agent.js';
import type { VirtualMachine } from './virtual-machine.js';

/** The two versions of IP. */
export type IpVersion = 4 | 6;

/** Kelpie's addresses on the guest's network, in the order of its GID table, and the guest's. */
export const OWN = { 4: '10.77.0.1', 6: 'fd77::1' } as const;
export const GUEST = { 4: '10.77.0.2', 6: 'fd77::2' } as const;
const ROW = { 4: 0, 6: 1 } as const;
/** The guest's GID 0 is its link-local address. */
export const GUEST_ROW = { 4: 1, 6: 2 } as const;
const QKEY = 0x11111111;

/** Makes a claim that a case needs. */
export function check(holds: boolean, claim: string): void {
  if (!holds) throw new Error(claim);
}

/** The same bytes as the guest's agent makes from a seed. */
export function pattern(seed: number, length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  let state = seed >>> 0;
  for (let at = 0; at < length; at++) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    bytes[at] = state >>> 24;
  }
  return bytes;
}

function captureTo(file: string): LinkMiddleware {
  const descriptor = openSync(file, 'w');
  return capture({
    recorder: new PacketRecorder('qemu', (bytes) => void writeSync(descriptor, bytes)),
    nowNs: () => BigInt(Math.round(performance.timeOrigin + performance.now())) * 1_000_000n,
  });
}

/** What a digest of bytes is called. */
export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Choices about a pair of queue pairs, one in Kelpie and one in the guest. */
export interface PairOptions {
  type?: QpType;
  bytes?: number;
  mtu?: Mtu;
  /** First PSN of Kelpie's and of the guest's. */
  psn?: number;
  guestPsn?: number;
  count?: number;
  depth?: number;
  rnrRetry?: number;
  timeout?: number;
  retry?: number;
  minRnrTimer?: number;
}

/** One case's device, with the faults that it asked for. */
export class CaseBench {
  readonly ip: IpVersion;
  readonly context: SoftwareContext;
  readonly manager: ConnectionManager;
  readonly agent: GuestAgent;
  readonly machine: VirtualMachine;
  readonly plan: FaultPlan;
  private readonly pd: ProtectionDomain;
  private readonly guestEnds: number[] = [];

  private constructor(
    ip: IpVersion,
    context: SoftwareContext,
    agent: GuestAgent,
    machine: VirtualMachine,
    plan: FaultPlan,
  ) {
    this.ip = ip;
    this.context = context;
    this.agent = agent;
    this.machine = machine;
    this.plan = plan;
    this.manager = context.createConnectionManager();
    this.pd = context.allocPd();
  }

  static async open(
    ip: IpVersion,
    agent: GuestAgent,
    machine: VirtualMachine,
    description: NetworkFaults = {},
    captureFile: string | null = null,
  ): Promise<CaseBench> {
    const plan = new FaultPlan(description);
    const provider = new SoftwareProvider({
      openLink: () =>
        openFrameLink({
          localPort: machine.localPort,
          remotePort: machine.remotePort,
          mac: '02:00:00:00:77:01',
          addresses: [OWN[4], OWN[6]],
        }),
      wrapLink: (link) =>
        withMiddlewares(link, [
          statistics,
          faults(plan, scheduleTimeout),
          ...(captureFile === null ? [] : [captureTo(captureFile)]),
        ]),
    });
    return new CaseBench(ip, await provider.open('qemu'), agent, machine, plan);
  }

  /** The row of Kelpie's GID table. */
  get row(): number {
    return ROW[this.ip];
  }

  counter(name: string): number {
    return this.context.counters()[name] ?? 0;
  }

  /** A queue pair on each side, connected. */
  async pair(options: PairOptions = {}): Promise<Pair> {
    const [pair] = await this.pairs({ ...options, count: 1 });
    return pair;
  }

  async pairs(options: PairOptions & { count: number }): Promise<Pair[]> {
    const { type = 'RC', bytes = 65536, mtu = 1024, count, depth = 128 } = options;
    const ends = await this.agent.ends(count, { type, gid: GUEST_ROW[this.ip], bytes, depth });
    this.guestEnds.push(...ends.map(({ id }) => id));
    const pairs = ends.map((end) => new Pair(this, this.pd, end, { ...options, type, bytes, mtu, depth }));
    await this.agent.call({ op: 'many', commands: pairs.map((pair) => pair.connect()) });
    return pairs;
  }

  async close(): Promise<void> {
    if (this.guestEnds.length > 0) await this.agent.call({ op: 'destroy', ids: this.guestEnds });
    this.manager.close();
    await this.context.close();
  }
}

/** A queue pair in Kelpie and one in the guest, each with memory of its own. */
export class Pair {
  readonly qp: QueuePair;
  readonly cq: CompletionQueue;
  readonly memory: Uint8Array;
  readonly region: MemoryRegion;
  readonly guest: GuestEnd;
  readonly pd: ProtectionDomain;
  readonly options: PairOptions & { type: QpType; mtu: Mtu };
  handle: AddressHandle | null = null;
  private readonly bench: CaseBench;

  constructor(
    bench: CaseBench,
    pd: ProtectionDomain,
    guest: GuestEnd,
    options: PairOptions & { type: QpType; mtu: Mtu; bytes: number; depth: number },
  ) {
    this.bench = bench;
    this.pd = pd;
    this.guest = guest;
    this.options = options;
    const { depth, type, bytes } = options;
    this.cq = bench.context.createCq({ cqe: 2 * depth + 8 });
    const cap = { maxSendWr: depth, maxRecvWr: depth, maxSendSge: 2, maxRecvSge: 2 };
    this.qp = pd.createQp({ qpType: type, sendCq: this.cq, recvCq: this.cq, cap });
    this.memory = new Uint8Array(bytes);
    this.region = pd.regMr(this.memory, Access.LOCAL_WRITE | ACCESS_REMOTE | Access.MW_BIND);
  }

  /** Brings Kelpie's side up and gives the command that brings the guest's up. */
  connect(): Record<string, unknown> {
    const {
      type,
      mtu,
      psn = 0x1234,
      guestPsn = 0x4321,
      rnrRetry = 7,
      timeout = 16,
      retry = 7,
    } = this.options;
    const { minRnrTimer = 12 } = this.options;
    const { qp, guest, bench } = this;
    const ahAttr = { dgid: guest.gid, sgidIndex: bench.row, portNum: 1 };
    const init = { state: 'INIT', pkeyIndex: 0, portNum: 1 } as const;
    if (type === 'UD') {
      qp.modify({ ...init, qkey: QKEY });
      qp.modify({ state: 'RTR' });
      this.handle = this.pd.createAh(ahAttr);
    } else {
      qp.modify({ ...init, qpAccessFlags: type === 'RC' ? ACCESS_REMOTE : Access.REMOTE_WRITE });
      const rc = type === 'RC' ? { maxDestRdAtomic: 16, minRnrTimer } : {};
      qp.modify({ state: 'RTR', ahAttr, pathMtu: mtu, destQpNum: guest.qpn, rqPsn: guestPsn, ...rc });
    }
    const rc = type === 'RC' ? { timeout, retryCnt: retry, rnrRetry, maxRdAtomic: 16 } : {};
    qp.modify({ state: 'RTS', sqPsn: psn, ...rc });
    return {
      op: 'connect',
      id: guest.id,
      peer_gid: formatGid(parseGid(bench.context.queryGid(1, bench.row))),
      peer_qpn: qp.qpNum,
      peer_psn: psn,
      psn: guestPsn,
      mtu,
      rnr_retry: rnrRetry,
      timeout,
      retry,
      min_rnr_timer: minRnrTimer,
    };
  }

  /** A list of one element of Kelpie's memory. */
  at(offset: number, length: number) {
    return [{ addr: this.region.addr + offset, length, lkey: this.region.lkey }];
  }

  /** Posts in Kelpie, and gives its completion. */
  async request(wr: SendWr, timeoutNs = 20e9): Promise<WorkCompletion> {
    this.qp.postSend({ ...wr, signaled: true });
    const [completion] = await waitForCompletions(this.cq, { timeoutNs });
    return completion;
  }

  completions(count: number, timeoutNs = 20e9): Promise<WorkCompletion[]> {
    return waitForCompletions(this.cq, { count, timeoutNs });
  }

  /** A command to the guest's end. */
  call(op: string, options: Record<string, unknown>): Promise<Record<string, unknown>> {
    return this.bench.agent.call({ op, id: this.guest.id, ...options });
  }

  guestPoll(count: number, timeout = 20): Promise<GuestCompletion[]> {
    return this.bench.agent.poll(this.guest.id, count, timeout);
  }

  /** Posts in the guest, and gives its completion. */
  async guestRequest(options: Record<string, unknown>, timeout = 20): Promise<GuestCompletion> {
    await this.call('send', options);
    const [completion] = await this.guestPoll(1, timeout);
    check(completion !== undefined, `the guest's ${String(options['opcode'])} never completes`);
    return completion;
  }

  /** Whether the guest's memory holds these bytes. */
  async guestHolds(offset: number, bytes: Uint8Array): Promise<void> {
    const { sha256: found, hex } = await this.bench.agent.read(this.guest.id, offset, bytes.length);
    check(found === sha256(bytes), `the guest's memory differs; it begins ${hex.slice(0, 32)}`);
  }

  /** Whether Kelpie's memory holds these bytes. */
  holds(offset: number, bytes: Uint8Array): void {
    const found = this.memory.subarray(offset, offset + bytes.length);
    const wrong = found.findIndex((byte, index) => byte !== bytes[index]);
    check(wrong < 0, `Kelpie's memory differs at byte ${wrong} of ${bytes.length}`);
  }
}
