import { Random, Simulation } from '../../../engine/index.js';
import { type ConnectxConstants, findProfile, resolveDevice } from '../../../profiles/index.js';
import { Op, WqePool } from '../../../verbs/base/index.js';
import { FabricPackets } from '../../fabric/fabric-packets.js';
import { DmaPath } from '../../pcie/dma-path.js';
import { PciePort } from '../../pcie/pcie-port.js';
import { ContextKeys } from '../memory/context-keys.js';
import { NicQueuePair } from '../queue-pair/nic-queue-pair.js';
import { RnicCounters } from '../rnic-counters.js';
import { TenantShares } from '../tenants/tenant-shares.js';
import { TestEndpoint, type TestEndpointOptions } from './test-endpoint.js';

/** Read latency of the memory of a test, in picoseconds. */
export const READ_LATENCY_PS = 500_000;

/** The constants of a shipped device, with others in their place. */
export function constantsOf(
  device: string,
  others: Partial<Record<keyof ConnectxConstants, number>> = {},
): ConnectxConstants {
  return { ...(resolveDevice(findProfile('device', device)) as ConnectxConstants), ...others };
}

/** A PCIe port that is nearly never what one waits for. */
export function widePcie(readOutstandingBytes = Number.MAX_SAFE_INTEGER): PciePort {
  return new PciePort({
    gbps: 4000,
    maxPayloadBytes: 4096,
    maxReadRequestBytes: 4096,
    tlpOverheadBytes: 20,
    readOutstandingBytes,
    ordering: null,
    random: new Random(1),
  });
}

/** What parts of a NIC under test have in common: a simulation, tables, and queue pairs whose transport is a test's. */
export class TestParts {
  readonly name = 'nic';
  readonly simulation = new Simulation();
  readonly packets = new FabricPackets();
  readonly wqes = new WqePool();
  readonly counters = new RnicCounters();
  readonly random = new Random(1);
  readonly path = new DmaPath({ name: 'memory', readLatencyPs: READ_LATENCY_PS });
  readonly pcie = widePcie();
  readonly pairs: NicQueuePair[] = [];
  readonly shares: TenantShares;
  readonly classes = { weights: new Array<number>(8).fill(1), strict: [] };
  readonly constants: ConnectxConstants;
  readonly ablated: ReadonlySet<string>;

  /** `shares` by tenant; default: the device keeps no accounts. */
  constructor(
    constants: ConnectxConstants,
    ablated: readonly string[] = [],
    shares: readonly number[] | null = null,
  ) {
    this.constants = constants;
    this.ablated = new Set(ablated);
    this.shares = new TenantShares(this.simulation, shares);
  }

  /** One more queue pair. */
  pair(options: TestEndpointOptions = {}): { pair: NicQueuePair; endpoint: TestEndpoint } {
    const endpoint = new TestEndpoint(this.packets, options);
    const keys = new ContextKeys(10 * this.pairs.length, 5);
    const pair = new NicQueuePair(this.pairs.length, endpoint, keys, this.path);
    this.pairs.push(pair);
    return { pair, endpoint };
  }

  /** A request of the pool. */
  wqe(op: number = Op.RDMA_WRITE, bytes = 4096): number {
    const wqe = this.wqes.take(op, 0, 0);
    this.wqes.setSges(wqe, [{ addr: 0, length: bytes, lkey: 0 }], bytes);
    return wqe;
  }

  /** `count` requests of the pool, each linked to the next. */
  chain(count: number, op: number = Op.RDMA_WRITE): number[] {
    const chain = Array.from({ length: count }, () => this.wqe(op));
    for (let index = 1; index < count; index++) this.wqes.next[chain[index - 1]] = chain[index];
    return chain;
  }

  /** Lets time pass. */
  run(durationPs: number): void {
    this.simulation.run(this.simulation.now + durationPs);
  }
}
