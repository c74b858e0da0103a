import { describe, expect, it } from 'vitest';
import type { LinkReading } from '../../../models/index.js';
import type { FaultDescription, WorldDescription } from '../../../profiles/index.js';
import { checkDrained } from '../testing/conservation.js';
import { StreamBench, type StreamOptions } from '../testing/stream.js';
import type { World } from '../world/world.js';

// Goal: the links of a host are shared by all its devices, and a fault on any of them shows. Method: streams of WRITEs
// between or within devices, their rates, and the counters of the links.

/** The GPU server of Hostping with all four RNICs; DMA to memory goes to DRAM, so that channels count. */
const gpuServer: WorldDescription['hosts'][number] = {
  host: 'hostping',
  device: 'connectx-6-200g',
  settings: { ddio: 'disabled' },
};

interface Run {
  gbps: number[];
  world: World;
}

async function run(
  world: WorldDescription,
  streams: readonly StreamOptions[],
  durationUs = 100,
): Promise<Run> {
  const bench = new StreamBench({ world });
  for (const stream of streams) await bench.stream(stream);
  await bench.run(20);
  const gbps = await bench.measure(durationUs);
  bench.stop();
  expect(checkDrained(bench.provider.world)).toBeGreaterThan(0);
  return { gbps, world: bench.provider.world };
}

/** A device WRITEs to itself: DMA reads and writes of one memory, and nothing on a cable. */
function loopback(device: string, memory: string): StreamOptions {
  return { from: device, to: device, memory, messageBytes: 65536, outstanding: 8 };
}

function linkOf({ world }: Run, name: string): LinkReading {
  return world.links.find((link) => link.name === name)!;
}

/** Time that DMA waited at a link, all directions. */
function waitedNs(reading: Run, name: string): number {
  return linkOf(reading, name).directions.reduce((sum, each) => sum + each.waitedNs, 0);
}

/** Two streams alone and together: the rate of the first alone, of both, and both runs. */
async function together(host: WorldDescription['hosts'][number], one: StreamOptions, other: StreamOptions) {
  const alone = await run({ hosts: [host] }, [one]);
  const both = await run({ hosts: [host] }, [one, other]);
  return { alone, both, sum: both.gbps[0] + both.gbps[1] };
}

describe('two RNICs of a host', () => {
  it('behind one PCIe switch share its uplink', async () => {
    const { alone, both, sum } = await together(
      { host: 'hgx', device: 'connectx-6-200g' },
      loopback('h0/rnic0', 'memory0'),
      loopback('h0/rnic1', 'memory0'),
    );
    expect(alone.gbps[0]).toBeGreaterThan(200);
    const { gbps, directions } = linkOf(both, 'h0/switch0-up');
    // What crosses it has headers. Both get their part.
    expect(sum).toBeLessThan(gbps);
    expect(sum).toBeGreaterThan(0.8 * gbps);
    expect(Math.min(...both.gbps)).toBeGreaterThan(0.45 * sum);
    for (const { bytes, busyNs } of directions) {
      expect((bytes * 8) / busyNs).toBeCloseTo(gbps, 3);
      expect(busyNs).toBeGreaterThan(110_000);
    }
    expect(waitedNs(both, 'h0/switch0-up')).toBeGreaterThan(10 * waitedNs(alone, 'h0/switch0-up'));
    expect(waitedNs(both, 'h0/switch1-up')).toBe(0);
  });

  it('share the link between the sockets', async () => {
    const narrow = { at: 'h0/socket0-socket1', rate: 0.5 };
    const streams = [loopback('h0/rnic0', 'memory1'), loopback('h0/rnic1', 'memory1')];
    const one = await run({ hosts: [gpuServer], faults: [narrow] }, streams.slice(0, 1));
    const both = await run({ hosts: [gpuServer], faults: [narrow] }, streams);
    const { gbps, directions } = linkOf(both, 'h0/socket0-socket1');
    expect(gbps).toBeCloseTo(268.8, 1);
    expect(one.gbps[0]).toBeGreaterThan(200);
    // No PCIe headers there: all of its rate is payload, but for queues and completions.
    expect(both.gbps[0] + both.gbps[1]).toBeGreaterThan(0.95 * gbps);
    expect(both.gbps[0] + both.gbps[1]).toBeLessThan(1.01 * gbps);
    for (const { busyNs } of directions) expect(busyNs).toBeGreaterThan(110_000);
    expect(waitedNs(both, 'h0/socket0-socket1')).toBeGreaterThan(10 * waitedNs(one, 'h0/socket0-socket1'));
  });

  it('share the channels of a memory, reads and writes together', async () => {
    const slow = { at: 'h0/memory0/channel5', rate: 0.3 };
    const streams = [loopback('h0/rnic0', 'memory0'), loopback('h0/rnic1', 'memory0')];
    const one = await run({ hosts: [gpuServer], faults: [slow] }, streams.slice(0, 1));
    const both = await run({ hosts: [gpuServer], faults: [slow] }, streams, 300);
    const { gbps, directions } = linkOf(both, 'h0/memory0-up');
    // Eight channels, interleaved: the slowest decides.
    expect(gbps).toBeCloseTo(8 * 204.8 * 0.3, 1);
    expect(one.gbps[0]).toBeGreaterThan(200);
    const sum = both.gbps[0] + both.gbps[1];
    // Loopback reads and writes each byte.
    expect(2 * sum).toBeGreaterThan(0.93 * gbps);
    expect(2 * sum).toBeLessThan(1.01 * gbps);
    expect(directions).toHaveLength(1);
    expect(waitedNs(both, 'h0/memory0-up')).toBeGreaterThan(10 * waitedNs(one, 'h0/memory0-up'));
    expect(waitedNs(both, 'h0/memory1-up')).toBe(0);
  });

  it('with a memory and a switch each disturb each other in nothing', async () => {
    const streams = [loopback('h0/rnic0', 'memory0'), loopback('h0/rnic2', 'memory1')];
    const apart = await Promise.all(streams.map((stream) => run({ hosts: [gpuServer] }, [stream])));
    const both = await run({ hosts: [gpuServer] }, streams);
    expect(both.gbps).toEqual(apart.map(({ gbps }) => gbps[0]));
  });
});

describe('the GPU server of Hostping', () => {
  const rnics = ['rnic0', 'rnic1', 'rnic2', 'rnic3'];
  const places = ['memory0', 'memory1', ...Array.from({ length: 8 }, (_, index) => `gpu${index}`)];
  const paths = rnics.flatMap((rnic) => places.map((place) => ({ rnic, place })));

  /** The rate of each path by itself, and the links that it crosses. */
  async function matrix(faults: readonly FaultDescription[]) {
    const rates: number[] = [];
    const crossed: ReadonlySet<string>[] = [];
    for (const { rnic, place } of paths) {
      const { gbps, world } = await run({ hosts: [gpuServer], faults }, [loopback(`h0/${rnic}`, place)], 60);
      rates.push(gbps[0]);
      crossed.push(new Set(world.hosts[0].model.linksBetween(rnic, place)));
    }
    return { rates, crossed };
  }

  it('has every path where Hostping has it', async () => {
    const { rates, crossed } = await matrix([]);
    const at = (rnic: string, place: string) =>
      paths.findIndex((path) => path.rnic === rnic && path.place === place);
    for (const [place, gbps] of [
      ['gpu0', 210],
      ['gpu2', 125.5],
      ['gpu4', 116.4],
      ['memory0', 210],
      ['memory1', 210],
    ] as const)
      expect(rates[at('rnic0', place)] / gbps).toBeCloseTo(1, 1);
    expect([...crossed[at('rnic1', 'gpu7')]]).toEqual([
      'rnic1-up',
      'switch1-up',
      'socket0-socket1',
      'switch3-up',
      'gpu7-up',
    ]);
  });

  it('with any one link at a quarter of its rate is slower on exactly the paths that cross it', async () => {
    const healthy = await matrix([]);
    const { links } = (await run({ hosts: [gpuServer] }, [], 1)).world.hosts[0].model;
    expect(links).toHaveLength(19);
    for (const { link } of links) {
      const degraded = await matrix([{ at: `h0/${link.name}`, rate: 0.25 }]);
      const slower = paths.filter((_, index) => degraded.rates[index] < 0.99 * healthy.rates[index]);
      const crossing = paths.filter((_, index) => healthy.crossed[index].has(link.name));
      expect({ link: link.name, slower }).toEqual({ link: link.name, slower: crossing });
      const faster = paths.filter((_, index) => degraded.rates[index] > 1.002 * healthy.rates[index]);
      expect(faster).toEqual([]);
      const same = paths.filter((_, index) => degraded.rates[index] === healthy.rates[index]);
      expect(same.length).toBe(paths.length - crossing.length);
    }
  }, 120_000);
});
