import { type SoftwareContext, SoftwareProvider } from '../../src/providers/software/index.js';
import {
  ACCESS_REMOTE,
  Access,
  type ConnectionRequest,
  type MemoryRegion,
  type ProtectionDomain,
} from '../../src/verbs/index.js';
import { processorMs, serve } from './child.js';
import { type Part, partOf, type Schedule } from './schedule.js';

/** The port of RDMA-CM that the victim listens at. */
export const SERVICE = 7174;
/** What every peer may read and write, and what each has to itself. */
export const SHARED_BYTES = 262_144;
export const OWN_BYTES = 4096;

/** What the controller asks of the victim. */
export type VictimOrder =
  | { kind: 'open'; address: string }
  | { kind: 'state' }
  | { kind: 'watch'; schedule: Schedule };

/** How the victim is. */
export interface VictimState {
  rssBytes: number;
  /** Connections and requests that it has now, all together. */
  connections: number;
  /** Requests that its program has heard of. */
  heard: number;
  counters: Record<string, number>;
  management: Record<string, number>;
}

/** Where regions of the victim are, as it tells its peers. */
export interface Regions {
  shared: { remoteAddr: number; rkey: number };
  own: { remoteAddr: number; rkey: number };
}

/** What the victim told with its acceptance. */
export function readRegions({ buffer, byteOffset }: Uint8Array): Regions {
  const told = new DataView(buffer, byteOffset);
  const at = (offset: number) => ({
    remoteAddr: Number(told.getBigUint64(offset)),
    rkey: told.getUint32(offset + 8),
  });
  return { shared: at(0), own: at(12) };
}

/** The attacked process. */
export async function serveVictim(): Promise<void> {
  let server: Server | null = null;
  await serve<VictimOrder>(async (order) => {
    if (order.kind === 'open')
      server = new Server(await new SoftwareProvider({ congestion: 'dcqcn' }).open(order.address));
    return order.kind === 'watch' ? processorMsByPart(order.schedule) : server?.state();
  });
}

/** How often a process looks at what the time is. */
const LOOK_MS = 10;

/** Processor time that this process has used in each part of a schedule. */
async function processorMsByPart(schedule: Schedule): Promise<Record<Part, number>> {
  const used = { before: 0, quiet: 0, decoy: 0, attack: 0, over: 0 };
  let lastMs = processorMs();
  for (let part = partOf(schedule, Date.now()); part !== 'over'; part = partOf(schedule, Date.now())) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    const nowMs = processorMs();
    used[part] += nowMs - lastMs;
    lastMs = nowMs;
  }
  return used;
}

/** A server as the documentation writes it: what a request needs is made when it comes. */
class Server {
  private readonly context: SoftwareContext;
  private readonly pd: ProtectionDomain;
  private readonly shared: MemoryRegion;
  private heard = 0;

  constructor(context: SoftwareContext) {
    this.context = context;
    this.pd = context.allocPd();
    this.shared = this.pd.regMr(new Uint8Array(SHARED_BYTES), Access.LOCAL_WRITE | ACCESS_REMOTE);
    context.createConnectionManager().listen(SERVICE, (request) => {
      this.heard++;
      this.accept(request);
    });
  }

  state(): VictimState {
    const { agent } = this.context.connections;
    return {
      rssBytes: process.memoryUsage.rss(),
      connections: agent.size,
      heard: this.heard,
      counters: { ...this.context.counters() },
      management: { ...agent.counters },
    };
  }

  /** Each peer gets a queue pair and a region of its own, and is told where that and the shared one are. */
  private accept(request: ConnectionRequest): void {
    const { context, pd, shared } = this;
    const cq = context.createCq({ cqe: 64 });
    const own = pd.regMr(new Uint8Array(OWN_BYTES), Access.LOCAL_WRITE | ACCESS_REMOTE);
    const cap = { maxSendWr: 16, maxRecvWr: 16, maxSendSge: 1, maxRecvSge: 1 };
    const qp = pd.createQp({ qpType: 'RC', sendCq: cq, recvCq: cq, cap });
    const told = new DataView(new ArrayBuffer(24));
    for (const [at, { iova, rkey }] of [[0, shared] as const, [12, own] as const]) {
      told.setBigUint64(at, BigInt(iova));
      told.setUint32(at + 8, rkey);
    }
    const connection = request.accept(qp, {
      privateData: new Uint8Array(told.buffer),
      responderResources: Math.min(16, request.initiatorDepth),
      initiatorDepth: 1,
    });
    void connection.disconnected.then(() => {
      qp.destroy();
      cq.destroy();
      own.dereg();
    });
  }
}
