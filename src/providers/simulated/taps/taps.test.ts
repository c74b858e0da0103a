import { describe, expect, it } from 'vitest';
import { PacketRecorder } from '../../../link/index.js';
import type { WorldDescription } from '../../../profiles/index.js';
import { Access, makeUdPair, waitForCompletion } from '../../../verbs/index.js';
import { concatenate, OPCODE, readPcapng } from '../../../wire/index.js';
import { type SimulatedOptions, SimulatedProvider } from '../provider.js';
import { checkDrained } from '../testing/conservation.js';
import { StreamBench } from '../testing/stream.js';

const world: WorldDescription = {
  hosts: [{ subsystem: 'husky', count: 3 }],
  switches: [{ name: 'left' }, { name: 'right' }],
  links: [
    { between: ['h0', 'left'] },
    { between: ['h1', 'left'] },
    { between: ['h2', 'right'] },
    { name: 'trunk', between: ['left', 'right'], gbps: 100 },
  ],
};

/** Streams from h0 to h1 and to h2. */
async function run(options: SimulatedOptions) {
  const bench = new StreamBench({ world, ...options });
  await bench.stream({ from: 'h0', to: 'h1', messageBytes: 4096 });
  await bench.stream({ from: 'h0', to: 'h2', messageBytes: 4096 });
  await bench.run(20);
  bench.stop();
  expect(checkDrained(bench.provider.world)).toBeGreaterThan(0);
  return bench.provider.world;
}

/** The names of the interfaces of a capture with how many packets each saw. */
async function captured(captureAt?: readonly string[]) {
  const blocks: Uint8Array[] = [];
  const capture = new PacketRecorder('simulated', (bytes) => void blocks.push(bytes.slice()));
  await run({ capture, ...(captureAt === undefined ? {} : { captureAt }) });
  const counts: Record<string, number> = {};
  const { interfaces, packets } = readPcapng(concatenate(blocks));
  for (const { name } of interfaces) counts[name ?? ''] = 0;
  for (const { interfaceId } of packets) counts[interfaces[interfaceId].name ?? '']++;
  return counts;
}

describe('a capture', () => {
  it('has an interface for each device', async () => {
    const counts = await captured();
    expect(Object.keys(counts).sort()).toEqual(['h0/rnic0', 'h1/rnic0', 'h2/rnic0']);
    for (const count of Object.values(counts)) expect(count).toBeGreaterThan(5);
  });

  it('sees a device, or a cable in both directions, and nothing else', async () => {
    expect(Object.keys(await captured(['h1']))).toEqual(['h1/rnic0']);
    const counts = await captured(['trunk']);
    expect(Object.keys(counts).sort()).toEqual(['trunk towards left', 'trunk towards right']);
    expect(counts['trunk towards right']).toBeGreaterThan(5);
    expect(counts['trunk towards left']).toBeGreaterThan(0);
  });
});

describe('the traffic class of an address handle', () => {
  it('is in the IP header of a capture, and in the GRH that a datagram leaves', async () => {
    const blocks: Uint8Array[] = [];
    const capture = new PacketRecorder('simulated', (bytes) => void blocks.push(bytes.slice()));
    const provider = new SimulatedProvider({ subsystem: 'husky', capture });
    const [a, b] = makeUdPair(await provider.open('sim0'), await provider.open('sim1'));
    const there = new Uint8Array(64);
    const target = b.pd.regMr(there, Access.LOCAL_WRITE);
    b.qp.postRecv({ sgList: [{ addr: target.addr, length: 64, lkey: target.lkey }] });
    const trafficClass = (26 << 2) | 1;
    const ah = a.pd.createAh({ dgid: b.context.queryGid(1, 0), sgidIndex: 0, portNum: 1, trafficClass });
    a.qp.postSend({ opcode: 'SEND', ...a.to, ah });
    expect((await waitForCompletion(b.recvCq)).status).toBe('SUCCESS');
    const [{ bytes }] = readPcapng(concatenate(blocks)).packets;
    // The second byte of IPv4: after Ethernet in a capture, in the second half of the GRH's place.
    expect([bytes[15], there[21]]).toEqual([trafficClass, trafficClass]);
  });
});

describe('a captured CNP', () => {
  it('has the DSCP of its device, and other packets that of their class', async () => {
    const blocks: Uint8Array[] = [];
    const capture = new PacketRecorder('simulated', (bytes) => void blocks.push(bytes.slice()));
    const settings = { ecn: 'enabled', congestionControl: 'dcqcn' } as const;
    const bench = new StreamBench({
      world: { hosts: [{ subsystem: 'husky', count: 3, settings }] },
      capture,
    });
    for (const from of ['h0', 'h1']) await bench.stream({ from, to: 'h2', messageBytes: 65536 });
    await bench.run(300);
    bench.stop();
    const { cnpDscp } = bench.provider.subsystem.device.constants;
    // Ethernet, IPv4 and UDP take 42 bytes; the second byte of IPv4 begins with the DSCP.
    const dscps = (isCnp: boolean) =>
      new Set(
        readPcapng(concatenate(blocks))
          .packets.filter(({ bytes }) => bytes[12] === 0x08 && (bytes[42] === OPCODE.CNP) === isCnp)
          .map(({ bytes }) => bytes[15] >> 2),
      );
    expect(dscps(true)).toEqual(new Set([cnpDscp]));
    expect(dscps(false)).toEqual(new Set([0]));
  });
});

describe('an impairment', () => {
  it('acts on the cable or at the device that it names', async () => {
    const lost = async (place: string) => {
      const { impaired } = await run({ impairments: { [place]: { loss: 0.2 } } });
      return impaired.map(({ plan }) => plan.struck.drop);
    };
    const trunk = await lost('trunk');
    expect(trunk).toHaveLength(2);
    expect(trunk[0] + trunk[1]).toBeGreaterThan(0);
    expect(await lost('h2')).toHaveLength(1);
  });

  it('or a capture at a place that does not exist is refused', async () => {
    const capture = new PacketRecorder('simulated', () => {});
    for (const options of [{ impairments: { trnk: { loss: 0.1 } } }, { capture, captureAt: ['h9'] }])
      await expect(run(options)).rejects.toMatchObject({ code: 'UNKNOWN_PLACE' });
  });
});
