import type { Simulation } from '../../../../engine/index.js';
import type { DeviceConstants } from '../../../../profiles/index.js';
import type { PciePort } from '../../../pcie/pcie-port.js';
import type { RegionAccess } from '../../memory/region-access.js';
import { type ContextStore, Side } from '../../parts/context-store.js';
import type { DoorbellPage } from '../../parts/send-path.js';
import type { NicQueuePair } from '../../queue-pair/nic-queue-pair.js';
import type { SendQueues } from '../../rnic-client.js';
import type { RnicCounters } from '../../rnic-counters.js';
import type { TenantShares } from '../../tenants/tenant-shares.js';
import { DoorbellQueue } from './doorbell-queue.js';
import { listIsApart } from './element-list.js';

/** A doorbell alone is one store of a word (mlx5). */
const DOORBELL_BYTES = 8;
/** A WQE that comes with its doorbell (BlueFlame) is written in stores of as much as a core combines: a cache line. */
const COMBINED_BYTES = 64;

/** What a doorbell carries besides the number of its WQEs, as bits; above them the era of its queue pair. */
const Carries = {
  /** Its WQE came along. */
  WQE: 1,
  /** Its context was fetched, or it costs nothing. */
  CONTEXT: 2,
} as const;
const ERA_SHIFT = 2;

/** Who hears of doorbells. */
export interface DoorbellListener {
  /** A doorbell for `count` WQEs is known to the device; `pushed`: it brought its WQE. */
  doorbell(pair: NicQueuePair, count: number, pushed: boolean): void;
}

/** What doorbells are made of. */
export interface DoorbellsParts {
  name: string;
  simulation: Simulation;
  constants: DeviceConstants;
  ablated: ReadonlySet<string>;
  counters: RnicCounters;
  shares: TenantShares;
  pcie: PciePort;
  /** By index. */
  pairs: readonly NicQueuePair[];
  contexts: ContextStore;
  regions: RegionAccess;
  queues: Pick<SendQueues, 'firstUntaken'>;
  listener: DoorbellListener;
  /** Doorbells that may wait for their context; whoever rings another waits with them. */
  doorbellsWaitingMax: number;
}

/** The way of doorbells into the device: each needs the context of its queue pair before its WQEs are looked for. */
export class Doorbells implements DoorbellPage {
  private readonly simulation: Simulation;
  private readonly constants: DeviceConstants;
  private readonly counters: RnicCounters;
  private readonly pcie: PciePort;
  private readonly contexts: ContextStore;
  private readonly regions: RegionAccess;
  private readonly queues: Pick<SendQueues, 'firstUntaken'>;
  private readonly listener: DoorbellListener;
  private readonly handler: number;
  /** By tenant: one that waits holds the posters of its own. */
  private readonly waiting: readonly DoorbellQueue[];

  constructor(parts: DoorbellsParts) {
    const { simulation, pairs } = parts;
    this.simulation = simulation;
    this.constants = parts.constants;
    this.counters = parts.counters;
    this.pcie = parts.pcie;
    this.contexts = parts.contexts;
    this.regions = parts.regions;
    this.queues = parts.queues;
    this.listener = parts.listener;
    const ablated = parts.ablated.has('doorbell-back-pressure');
    const most = ablated ? Number.MAX_SAFE_INTEGER : parts.doorbellsWaitingMax;
    this.waiting = Array.from({ length: parts.shares.count }, () => new DoorbellQueue(most));
    this.handler = simulation.register(`${parts.name}/doorbell`, (index, count, carries) => {
      this.arrive(pairs[index], count, carries);
    });
  }

  acceptPs(pair: NicQueuePair, atPs: number): number {
    const admitted = this.waiting[pair.tenant].acceptPs(this.simulation.now, atPs);
    if (admitted > atPs) this.counters.doorbell_stalled_ps += admitted - atPs;
    return admitted;
  }

  ring(pair: NicQueuePair, count: number, pushed: boolean, atPs: number): void {
    const carries = (pushed ? Carries.WQE : 0) | (pair.send.era << ERA_SHIFT);
    this.simulation.after(atPs - this.simulation.now, this.handler, pair.index, count, carries);
  }

  /**
   * Free, since a thousand queues filled in one instant would otherwise keep the link busy for a millisecond. It leaves on
   * chip what the traffic before would have: the queue pair's context, and the translations of its first message, which
   * is under way.
   */
  ringFree(pair: NicQueuePair, count: number, pushed: boolean, elements: number): void {
    const { contexts } = this;
    contexts.warm(pair.context.next(), pair.tenant);
    if (listIsApart(this.constants, elements)) contexts.warm(pair.context.elementsKey, pair.tenant);
    if (pair.account.pending === 0) this.regions.warmList(this.queues.firstUntaken(pair), pair.tenant);
    const carries = (pushed ? Carries.WQE : 0) | Carries.CONTEXT | (pair.send.era << ERA_SHIFT);
    this.simulation.after(0, this.handler, pair.index, count, carries);
  }

  private arrive(pair: NicQueuePair, count: number, carries: number): void {
    const { simulation } = this;
    const now = simulation.now;
    if ((carries & Carries.CONTEXT) === 0) {
      this.counters.doorbells++;
      if ((carries & Carries.WQE) === 0) this.pcie.store(now, DOORBELL_BYTES);
      else
        for (let left = pair.send.wqeBytes; left > 0; left -= COMBINED_BYTES)
          this.pcie.store(now, COMBINED_BYTES);
      const ready = this.contexts.lookUp(now, pair.context.next(), Side.REQUESTER, pair.tenant);
      if (ready > now) {
        this.waiting[pair.tenant].add(now, ready);
        simulation.at(ready, this.handler, pair.index, count, carries | Carries.CONTEXT);
        return;
      }
    }
    // The queue may have failed, or been reset and connected anew, while its doorbell was on the way.
    if (carries >> ERA_SHIFT === pair.send.era)
      this.listener.doorbell(pair, count, (carries & Carries.WQE) !== 0);
  }
}
