import type {
  CompletionChannel,
  CompletionQueue,
  Context,
  ProtectionDomain,
  QueuePair,
} from '../../verbs/index.js';
import type { Tenant } from '../description/description.js';
import type { Place } from './places.js';
import type { PolledThreads } from './polled-thread.js';
import { RegionMaker, type RegionSet } from './regions.js';
import { Worker, type WorkerScratch } from './worker.js';

/** A queue pair with its memory and the worker that serves it; null for one that only others write to or read from. */
export interface Seat {
  qp: QueuePair;
  regions: RegionSet;
  worker: Worker | null;
}

/** What one side needs to know. */
export interface HostSideParts {
  place: Place;
  context: Context;
  tenant: Tenant;
  /** Where the memory lies; where the device usually has it unless set. */
  placement: string | undefined;
  relaxed: boolean;
  regionBytes: number;
  /** Queue pairs that one thread of this side serves at most. */
  qpsPerThread: number;
  polled: PolledThreads;
  scratch: WorkerScratch;
  /** Workers of the tenant, to which this side adds its own. */
  workers: Worker[];
}

/** Completions that nobody expects: of queue pairs that neither send nor receive. */
const PASSIVE_CQE = 16;

/** One tenant's half on one host: its domain, regions, completion queues and threads, made as queue pairs need them. */
export class HostSide {
  readonly pd: ProtectionDomain;
  private readonly parts: HostSideParts;
  private readonly maker: RegionMaker;
  private readonly regionSets = new Map<number, RegionSet>();
  private readonly desks: (Desk | undefined)[] = [];
  private passiveCq: CompletionQueue | null = null;
  private served = 0;

  constructor(parts: HostSideParts) {
    const { context } = parts;
    this.parts = parts;
    this.pd = context.allocPd();
    this.maker = new RegionMaker(context, this.pd, parts.placement, parts.regionBytes, parts.relaxed);
  }

  /** Makes queue pair `index` of `total` of a route. */
  createQp(index: number, total: number, sends: boolean, receives: boolean): Seat {
    const { tenant } = this.parts;
    const number =
      tenant.deal === 'roundRobin' ? index % tenant.threads : Math.floor((index * tenant.threads) / total);
    const desk = sends || receives ? this.desk(number) : null;
    const cq = desk === null ? this.passiveQueue() : desk.nextQueue();
    const qp = this.pd.createQp({
      qpType: tenant.transport,
      sendCq: cq,
      recvCq: cq,
      cap: {
        maxSendWr: sends ? tenant.sendQueueDepth : 1,
        maxRecvWr: receives ? tenant.receiveQueueDepth : 1,
        maxSendSge: sends ? tenant.sge : 1,
        maxRecvSge: receives ? tenant.receiveSge : 1,
        maxInlineData: sends ? tenant.inlineBytes : 0,
      },
    });
    return { qp, regions: this.regionsFor(number), worker: desk?.worker ?? null };
  }

  private regionsFor(thread: number): RegionSet {
    const { mrScope, mrs } = this.parts.tenant;
    const key = mrScope === 'qp' ? this.served++ : mrScope === 'thread' ? thread : 0;
    let set = this.regionSets.get(key);
    if (set === undefined) {
      set = this.maker.make(mrs);
      if (mrScope !== 'qp') this.regionSets.set(key, set);
    }
    return set;
  }

  private passiveQueue(): CompletionQueue {
    this.passiveCq ??= this.parts.context.createCq({ cqe: PASSIVE_CQE });
    return this.passiveCq;
  }

  private desk(number: number): Desk {
    let desk = this.desks[number];
    if (desk === undefined) {
      desk = new Desk(this.parts, number);
      this.desks[number] = desk;
      this.parts.workers.push(desk.worker);
    }
    return desk;
  }
}

/** A worker's place: its thread and the completion queues it looks at. */
class Desk {
  readonly worker: Worker;
  private readonly context: Context;
  private readonly tenant: Tenant;
  private readonly queues: CompletionQueue[] = [];
  private readonly channel: CompletionChannel | null;
  private readonly served: number;

  constructor(parts: HostSideParts, number: number) {
    const { context, tenant, polled, scratch } = parts;
    this.context = context;
    this.tenant = tenant;
    this.served = parts.qpsPerThread;
    this.channel =
      tenant.cqSharing === 'qp' && Worker.needsChannel(this.served) ? context.createCompChannel() : null;
    const thread =
      context.createThread?.({
        name: `${tenant.name} ${number}`,
        socket: tenant.threadSocket ?? undefined,
      }) ?? polled.create();
    this.worker = new Worker({
      place: parts.place,
      thread,
      clock: context.clock,
      tenant,
      scratch,
      queues: this.queues,
      channel: this.channel,
    });
  }

  /** The completion queue of the next queue pair. */
  nextQueue(): CompletionQueue {
    const { tenant, queues } = this;
    const perQp = tenant.sendQueueDepth + tenant.receiveQueueDepth;
    if (tenant.cqSharing === 'qp' || queues.length === 0) {
      const cqe =
        tenant.cqSharing === 'qp' ? perQp : Math.min(this.context.queryDevice().maxCqe, this.served * perQp);
      queues.push(this.context.createCq(this.channel === null ? { cqe } : { cqe, channel: this.channel }));
    }
    return queues[queues.length - 1];
  }
}
