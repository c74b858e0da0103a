import type { Clock, QpCap, QpInit } from '../../verbs/index.js';
import type { InterposeOptions, Interposer, InterposerCost, SchemeHost, SchemeTenant } from '../scheme.js';
import { InterposedContext } from './context.js';
import type { InterposedQueuePair } from './queue-pair.js';
import type { SendPath } from './send-path.js';
import type { Tenancy } from './tenancy.js';
import type { Worker } from './worker.js';

/** A descriptor and a completion as they cross PCIe (rdma-core, mlx5 provider: 64 B each). */
const DESCRIPTOR_BYTES = 64;
const COMPLETION_BYTES = 64;

/** The part of a software scheme on one host: what it knows of all its tenants there. */
export interface SchemeSeat {
  readonly workers: readonly Worker[];
  /** The part of the scheme for one of its tenants. */
  admit(tenant: SchemeTenant, context: InterposedContext): TenantSeat;
  /** Requests on queue pairs of the scheme's own. */
  readonly ownRequests?: number;
  /** Processor time that its work inside tenants' calls took. */
  readonly insideNs: number;
}

/** What a software scheme does for one tenant on one host. */
export interface TenantSeat {
  /** Stands in the way of a queue pair. */
  path(qp: InterposedQueuePair): SendPath;
}

/** A scheme that is a layer between tenants and verbs on every host, and nothing else. */
export class SoftwareInterposer<Seat extends SchemeSeat> implements Interposer {
  /** By the name of the host. */
  readonly seats: ReadonlyMap<string, Seat>;
  private readonly paths: SendPath[] = [];
  private readonly extraRequests: number;
  private readonly clock: Clock;
  private readonly beganNs: number;

  /** `extraRequests`: room for requests of its own in every send queue. */
  constructor(options: InterposeOptions, extraRequests: number, makeSeat: (host: SchemeHost) => Seat) {
    this.extraRequests = extraRequests;
    this.clock = options.hosts[0].context.clock;
    this.beganNs = this.clock.nowNs;
    this.seats = new Map(options.hosts.map((host) => [host.name, makeSeat(host)]));
  }

  wrap(host: SchemeHost, tenant: SchemeTenant): InterposedContext {
    const seat = this.seats.get(host.name)!;
    const hasThreads = host.context.createThread !== undefined;
    return new InterposedContext({
      inner: host.context,
      tenancy: (context) => this.tenancy(seat.admit(tenant, context)),
      // Without threads every seat gets its turn whenever any tenant calls a verb.
      ...(hasThreads ? {} : { settle: () => this.settle(), isBusy: () => this.isBusy() }),
    });
  }

  cost(): InterposerCost {
    const seats = [...this.seats.values()];
    const messages = this.paths.reduce((sum, path) => sum + path.messages, 0);
    const own = seats.reduce((sum, seat) => sum + (seat.ownRequests ?? 0), 0);
    const workRequests = own + this.paths.reduce((sum, path) => sum + path.workRequests, 0);
    const completions = this.paths.reduce((sum, path) => sum + path.hiddenCompletions, 0);
    const threadsNs = seats.map(({ workers }) => workers.reduce((sum, { busyNs }) => sum + busyNs, 0));
    const insideNs = seats.map((seat) => seat.insideNs);
    const elapsedNs = this.clock.nowNs - this.beganNs;
    const share = (times: readonly number[]) => (elapsedNs === 0 ? 0 : Math.max(...times) / elapsedNs);
    return {
      messages,
      workRequests,
      pcieBytes: Math.max(0, workRequests - messages) * DESCRIPTOR_BYTES + completions * COMPLETION_BYTES,
      cpuNs: [...threadsNs, ...insideNs].reduce((sum, time) => sum + time, 0),
      insideShare: share(insideNs),
      threadShare: share(threadsNs),
    };
  }

  stop(): void {
    for (const seat of this.seats.values()) for (const worker of seat.workers) worker.stop();
  }

  private tenancy(tenant: TenantSeat): Tenancy {
    return {
      // What a managed queue pair executes is counted by its tenant: nothing may be added to it.
      adopts: (init: QpInit) => init.managedSend !== true,
      enlarge: (asked: Partial<QpCap>, maxQpWr: number) => {
        const { maxSendWr = 1 } = asked;
        const fits = Number.isInteger(maxSendWr) && maxSendWr >= 0 && maxSendWr <= maxQpWr;
        return fits ? { ...asked, maxSendWr: Math.min(maxQpWr, maxSendWr + this.extraRequests) } : asked;
      },
      intercept: (qp) => {
        const path = tenant.path(qp);
        this.paths.push(path);
        return path;
      },
    };
  }

  private settle(): void {
    for (const seat of this.seats.values()) for (const worker of seat.workers) worker.settle();
  }

  private isBusy(): boolean {
    for (const seat of this.seats.values())
      if (seat.workers.some((worker) => worker.waitsForTurn)) return true;
    return false;
  }
}
