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
const terms = { nicBps: 200e9, payloadBytes: 1000 };

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

  it.each(['dcqcn', 'hpcc', 'dctcp', 'timely', 'swift'] as const)(
    'takes light flows to their end under %s, through the whole NIC',
    async (control) => {
      const checker = new Checker();
      // A whole number of packets, less than one, and several WRITEs.
      const flows = [flow(1, 4, 30_000), flow(2, 4, 17), flow(3, 4, 2_500_001), flow(5, 0, 1_000_000)];
      const mixed = await opened(specOf(flows, { checker, control: presetControl(control, terms) }));
      const ends = async () =>
        mixed.pair[0].context.clock.nowNs < 2e6 && mixed.fabric.finished.length < flows.length;
      while (await ends()) await write(mixed, 1, 4096);
      expect(mixed.fabric.finished.length).toBe(flows.length);
      const { flows: table, guests, totals } = mixed.fabric;
      // 2.5 MB take 100 us at the 200 Gb/s of the NIC; three senders and a pair share it.
      expect(table.endNs[2]).toBeGreaterThan(100_000);
      expect(table.endNs[2]).toBeLessThan(400_000);
      expect(guests!.lightPackets).toBe(totals.sentPackets);
      const counters = mixed.pair[1].context.counters();
      expect(counters['rx_packets_phy']).toBeGreaterThan(2530);
      for (const domain of mixed.fabric.domains) domain.run(mixed.fabric.nowNs + 1e6);
      checkSettled(mixed.fabric, checker);
    },
  );

  it('sends what light flows lost again, as the full NIC asks for it', async () => {
    const recovery = { kind: 'go-back-n', timeoutNs: 100_000 } as const;
    const nic = { ...presetNic('dcqcn', terms), recovery };
    const mixed = await opened(specOf([flow(1, 4, 1_000_000)], { commonLossRate: 0.001, nic }));
    while (mixed.pair[0].context.clock.nowNs < 5e6 && mixed.fabric.finished.length < 1)
      await write(mixed, 1, 4096);
    expect(mixed.fabric.finished).toEqual([0]);
    expect(mixed.fabric.totals.lost).toBeGreaterThan(0);
    expect(mixed.fabric.totals.sentPackets).toBeGreaterThan(1000);
  });

  it('lets a rack slow down a full NIC: its pair gets what light flows leave', async () => {
    const alone = await write(await opened(specOf([])), 20, 1 << 20);
    const flows = [1, 2, 3, 5, 6, 7].map((source) => flow(source, 4, 4e6));
    const beside = await write(await opened(specOf(flows)), 20, 1 << 20);
    expect(beside).toBeGreaterThan(2 * alone);
  });

  it('takes another way when a link has failed', async () => {
    const { topology } = specOf([]);
    const [LEAF, SPINES] = [8, [10, 11]];
    const cables = SPINES.map((spine) =>
      topology.links.findIndex(({ from, to }) => Math.min(from, to) === LEAF && Math.max(from, to) === spine),
    );
    /** Which of the leaf's two cables carry data, and what was sent again. */
    const carried = async (down: number | null) => {
      const linkChanges = down === null ? [] : [{ link: down, atNs: 0, up: false }];
      const mixed = await opened(specOf([], { linkChanges }));
      await write(mixed, 8, 1 << 20);
      const { plan, ports } = mixed.fabric.state;
      const used = cables.map((link) =>
        [...plan.link.keys()].some((port) => plan.link[port] === link && ports.sentBytes[port] > 8e6),
      );
      return { used, again: mixed.pair[0].context.counters()['retransmitted_packets'] };
    };
    expect((await carried(null)).used.filter((each) => each)).toHaveLength(1);
    expect(await carried(cables[0])).toEqual({ used: [false, true], again: 0 });
    expect(await carried(cables[1])).toEqual({ used: [true, false], again: 0 });
  });

  it('comes out the same with light flows in one part and in two', async () => {
    const flows = [flow(1, 4, 1e6), flow(6, 4, 1e6), flow(5, 0, 1e6), flow(7, 3, 1e6)];
    const times = [];
    for (const partitions of [1, 2]) {
      const mixed = await opened(specOf(flows, { partitions }));
      times.push([await write(mixed, 8, 300_000), [...mixed.fabric.flows.endNs]]);
    }
    expect(times[1]).toEqual(times[0]);
  });

  it('refuses guests that have no host, and flows of guests', () => {
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
