import { describe, expect, it } from 'vitest';
import { Checker } from '../../../engine/checker.js';
import {
  checkSettled,
  type FabricSpec,
  type FlowSpec,
  Fabric as GuestFabric,
  guestClasses,
  leafSpine,
  presetBuffer,
  presetControl,
  presetMarking,
  presetNic,
  type Topology,
} from '../../../models/fabric/index.js';
import { Access, connectRcPair, type SendWr, waitForCompletions } from '../../../verbs/index.js';
import { SimulatedProvider } from '../provider.js';
import { LightFabric, type LightFabricOptions } from './light-fabric.js';

const CLASS = 3;
const cable = { gbps: 200, delayNs: 600 };
const terms = { nicBps: 200e9, nicDelayNs: 600, payloadBytes: 1000 };

/** Eight hosts on two leaves; hosts 0 and 4 are full. */
function specOf(flows: readonly FlowSpec[], changes: Partial<FabricSpec> = {}): FabricSpec {
  const topology: Topology = leafSpine({
    leaves: 2,
    spines: 2,
    hostsPerLeaf: 4,
    host: cable,
    fabric: { gbps: 400, delayNs: 600 },
  });
  return {
    topology,
    flows,
    nic: presetNic('none', terms),
    control: presetControl('none', terms),
    buffer: presetBuffer(terms),
    marking: presetMarking('none', topology),
    globalRtt: true,
    visits: 'descending',
    order: 'canonical',
    rng: 'own',
    rounding: 'exact',
    seed: 1,
    commonLossRate: 0,
    guests: { nodes: [0, 4], trafficClasses: guestClasses(CLASS), largestBytes: 4300 },
    ...changes,
  };
}

const flow = (source: number, target: number, bytes: number, startNs = 0): FlowSpec => ({
  source,
  target,
  bytes,
  startNs,
  trafficClass: CLASS,
  dport: 100,
});

/** Two full devices on a light fabric, and the fabric. */
async function opened(spec: FabricSpec, options: Partial<LightFabricOptions> = {}) {
  let joined: LightFabric | undefined;
  const provider = new SimulatedProvider({
    subsystem: 'collie-f',
    fabric: (parts) => {
      joined = new LightFabric({ spec, trafficClass: CLASS, ...options }, parts);
      return joined;
    },
  });
  const pair = connectRcPair(await provider.open('sim0'), await provider.open('sim1'), {
    cap: { maxSendWr: 64 },
  });
  return { provider, pair, fabric: joined!.fabric };
}

/** WRITEs messages from the first device to the second; what was written, and how long it took. */
async function write({ pair: [a, b] }: Awaited<ReturnType<typeof opened>>, messages: number, bytes: number) {
  const data = Uint8Array.from({ length: bytes }, (_, index) => (index * 7) & 255);
  const source = a.pd.regMr(data, Access.LOCAL_WRITE);
  const into = new Uint8Array(bytes);
  const target = b.pd.regMr(into, Access.LOCAL_WRITE | Access.REMOTE_WRITE);
  const wr: SendWr = {
    opcode: 'RDMA_WRITE',
    sgList: [{ addr: source.addr, length: bytes, lkey: source.lkey }],
    remoteAddr: target.iova,
    rkey: target.rkey,
    signaled: true,
  };
  const startNs = a.context.clock.nowNs;
  for (let index = 0; index < messages; index++) a.qp.postSend(wr);
  const completions = await waitForCompletions(a.sendCq, { count: messages });
  expect(completions.every(({ status }) => status === 'SUCCESS')).toBe(true);
  expect(into.every((byte, index) => byte === data[index])).toBe(true);
  return a.context.clock.nowNs - startNs;
}

describe('full devices on a fabric of light NICs', () => {
  it('carries verbs from end to end, and takes the time of its cables', async () => {
    const checker = new Checker();
    const mixed = await opened(specOf([], { checker }));
    const smallNs = await write(mixed, 1, 8);
    // There and back over four cables of 600 ns.
    expect(smallNs).toBeGreaterThan(8 * 600);
    expect(smallNs).toBeLessThan(8 * 600 + 3000);
    const longNs = await write(mixed, 20, 1 << 20);
    expect((20 * 2 ** 20 * 8) / longNs).toBeGreaterThan(150);
    const { guests, domains } = mixed.fabric;
    expect(guests!.sentPackets).toBe(guests!.arrivedPackets);
    for (const domain of domains) domain.run(mixed.fabric.nowNs + 1e6);
    checkSettled(mixed.fabric, checker);
    expect(checker.passed).toBeGreaterThan(5);
  });

  it('shares links with light flows, and both tell it', async () => {
    const alone = await opened(specOf([]));
    const aloneNs = await write(alone, 20, 1 << 20);
    // Three light hosts of the first leaf fill both of its 400 Gb/s cables, with host 0.
    const flows = [flow(1, 5, 4e6), flow(2, 6, 4e6), flow(3, 7, 4e6), flow(1, 6, 4e6), flow(2, 7, 4e6)];
    const beside = await opened(specOf(flows));
    const besideNs = await write(beside, 20, 1 << 20);
    expect(besideNs).toBeGreaterThan(aloneNs);
    const light = new GuestFabric({ ...specOf(flows), guests: undefined } as FabricSpec);
    light.run(1e9);
    beside.fabric.run(1e9);
    const lastNs = (fabric: GuestFabric) => Math.max(...fabric.flows.endNs);
    expect(beside.fabric.finished.length).toBe(flows.length);
    expect(lastNs(beside.fabric)).toBeGreaterThan(lastNs(light));
  });

  it('comes out the same twice, and in two parts', async () => {
    const flows = [flow(1, 5, 1e6), flow(2, 6, 1e6), flow(5, 3, 1e6)];
    const times = [];
    for (const partitions of [1, 1, 2]) {
      const mixed = await opened(specOf(flows, { partitions }));
      times.push([await write(mixed, 8, 300_000), [...mixed.fabric.flows.endNs]]);
    }
    expect(times[1]).toEqual(times[0]);
    expect(times[2]).toEqual(times[0]);
  });

  it.each([undefined, { quanta: 65535 }])('obeys pauses and sends them, with %o', async (pauses) => {
    // A slow cable behind a fast one: the leaf must pause host 0.
    const changes = pauses === undefined ? {} : { pauses };
    const slow = specOf([], {
      ...changes,
      buffer: { ...presetBuffer(terms), bufferBytes: 2e6 } as FabricSpec['buffer'],
    });
    const links = slow.topology.links.map((link) =>
      link.from === 4 || link.to === 4 ? { ...link, rateBps: 20e9, backRateBps: 20e9 } : link,
    );
    const mixed = await opened({ ...slow, topology: { ...slow.topology, links } });
    const ns = await write(mixed, 8, 1 << 20);
    expect((8 * 2 ** 20 * 8) / ns).toBeLessThan(20);
    expect((8 * 2 ** 20 * 8) / ns).toBeGreaterThan(15);
    expect(mixed.fabric.totals.pauseFrames).toBeGreaterThan(0);
    expect(mixed.fabric.totals.drops).toBe(0);
    expect(mixed.pair[0].context.counters()['rx_prio0_pause_duration']).toBeGreaterThan(0);
  });

  it('recovers what the fabric loses', async () => {
    const mixed = await opened(specOf([], { commonLossRate: 0.002 }));
    await write(mixed, 4, 1 << 20);
    expect(mixed.fabric.totals.lost).toBeGreaterThan(0);
    expect(mixed.pair[0].context.counters()['retransmitted_packets']).toBeGreaterThan(0);
  });

  it('refuses guests that have no host, and flows to guests', () => {
    const guests = { trafficClasses: [CLASS], largestBytes: 4300 };
    const join = (nodes: readonly number[]) => () =>
      new SimulatedProvider({
        subsystem: 'collie-f',
        fabric: (parts) =>
          new LightFabric({ spec: specOf([], { guests: { ...guests, nodes } }), trafficClass: CLASS }, parts),
      });
    for (const nodes of [[0], [0, 0], [0, 8]])
      expect(join(nodes), `${nodes}`).toThrow(expect.objectContaining({ code: 'FABRIC_GUEST' }));
    expect(() => new GuestFabric(specOf([flow(0, 5, 1000)]))).toThrow(
      expect.objectContaining({ code: 'FABRIC_FLOW' }),
    );
    expect(() => new GuestFabric(specOf([]))).toThrow(expect.objectContaining({ code: 'FABRIC_GUEST' }));
    expect(() => new GuestFabric(specOf([], { order: 'ns3' }))).toThrow(
      expect.objectContaining({ code: 'FABRIC_ORDER' }),
    );
  });
});
