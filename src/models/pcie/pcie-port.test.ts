import { describe, expect, it } from 'vitest';
import { Random } from '../../engine/index.js';
import { LinkDirection } from '../host/host-link.js';
import { DmaPath, SharedLink } from './dma-path.js';
import { PciePort, type PciePortOptions } from './pcie-port.js';

const NS = 1000;

function port(changes: Partial<PciePortOptions> = {}): PciePort {
  return new PciePort({
    random: new Random(1),
    gbps: 128,
    maxPayloadBytes: 128,
    maxReadRequestBytes: 512,
    tlpOverheadBytes: 20,
    readOutstandingBytes: 34_700,
    ordering: null,
    ...changes,
  });
}

function path(readLatencyNs: number, more: Partial<ConstructorParameters<typeof DmaPath>[0]> = {}): DmaPath {
  return new DmaPath({ name: 'test', readLatencyPs: readLatencyNs * NS, ...more });
}

/** Reads without end, each as soon as the one before is issued, and gives the rate in Gb/s of payload. */
function readGbps(link: PciePort, way: DmaPath, bytes = 4096): number {
  let done = 0;
  const count = 2000;
  // Booked at the time the last one ended, less the latency: the port is kept full and never far ahead.
  for (let index = 0; index < count; index++)
    done = link.read(Math.max(0, done - way.readLatencyPs), bytes, way);
  return (count * bytes * 8000) / done;
}

describe('a PCIe port', () => {
  it('counts 189 bytes for a WRITE of 29 B: doorbell, WQE and payload with their headers (Husky §3.4)', () => {
    const link = port();
    link.store(0, 64);
    link.read(0, 36, path(500));
    link.read(0, 29, path(500));
    expect(link.downBytes).toBe(64 + 20 + 36 + 20 + 29 + 20);
    expect(link.upBytes).toBe(2 * 20);
  });

  it('carries payload at its rate less the headers', () => {
    const link = port({ readOutstandingBytes: 1e9 });
    const gbps = readGbps(link, path(100));
    expect(gbps).toBeGreaterThan(0.97 * 128 * (128 / 148));
    expect(gbps).toBeLessThanOrEqual(128 * (128 / 148) * 1.001);
  });

  it.each([
    [2200, 125.5],
    [2400, 116.4],
  ])(
    'reads its outstanding bytes once a latency: %i ns give about %f Gb/s (Hostping Fig. 4)',
    (latencyNs, gbps) => {
      const link = port({ gbps: 240, maxPayloadBytes: 256, tlpOverheadBytes: 24 });
      // The same 34.7 KB leave a little less on a link that needs time to carry them.
      const measured = readGbps(link, path(latencyNs), 512);
      expect(measured).toBeLessThan(gbps * 1.02);
      expect(measured).toBeGreaterThan(gbps * 0.93);
    },
  );

  it('says how long reads waited for credit', () => {
    const link = port({ readOutstandingBytes: 4096 });
    const way = path(1000);
    const first = link.read(0, 4096, way);
    expect(link.readStallPs).toBe(0);
    expect(link.read(0, 512, way)).toBeGreaterThan(first);
    expect(link.readStallPs).toBe(first);
  });

  it('accepts writes as fast as the link takes them, whatever is read', () => {
    const link = port();
    const way = path(1000);
    const bytes = 128 + 20;
    expect(link.write(0, 128, way)).toBe(Math.round((bytes * 8000) / 128));
    for (let index = 0; index < 10; index++) link.read(0, 4096, way);
    expect(link.upBytes).toBe(bytes + 10 * 8 * 20);
  });

  /** A path over one link of this many Gb/s, and that link's two directions. */
  function over(gbps: number, readLatencyNs = 100) {
    const out = new LinkDirection(8000 / gbps, 1);
    const back = new LinkDirection(8000 / gbps, 1);
    return { way: path(readLatencyNs, { outward: [out], inward: [back] }), out, back };
  }

  it('slows down to a narrow link on the way, reads and writes apart', () => {
    const link = port({ gbps: 256, readOutstandingBytes: 1e9 });
    const { way } = over(50);
    let read = 0;
    let accepted = 0;
    for (let index = 0; index < 1000; index++) {
      read = link.read(0, 4096, way);
      accepted = link.write(0, 4096, way);
    }
    // 128 bytes of payload in a packet of 148; the read requests go out with the writes.
    expect((1000 * 4096 * 8000) / read).toBeCloseTo(50 * (128 / 148), 0);
    expect((1000 * 4096 * 8000) / accepted).toBeCloseTo(50 * (4096 / (32 * 148 + 8 * 20)), 0);
  });

  it('is not slowed down, bit by bit, by a link that is no slower than itself and that nobody else uses', () => {
    const random = new Random(7);
    const alone = port();
    const behind = port();
    const plain = path(650);
    const { way } = over(128, 650);
    let now = 0;
    for (let index = 0; index < 5000; index++) {
      now += random.nextInt(60) * NS;
      const bytes = 1 + random.nextInt(8192);
      if (random.nextInt(2) === 0) expect(behind.read(now, bytes, way)).toBe(alone.read(now, bytes, plain));
      else expect(behind.write(now, bytes, way)).toBe(alone.write(now, bytes, plain));
    }
    expect(behind.readStallPs).toBe(alone.readStallPs);
  });

  it('shares a link with another device, which then waits', () => {
    const { way, back } = over(128);
    const ports = [port({ readOutstandingBytes: 1e9 }), port({ readOutstandingBytes: 1e9 })];
    let done = 0;
    for (let index = 0; index < 500; index++)
      for (const each of ports) done = Math.max(done, each.read(0, 4096, way));
    expect((1000 * 4096 * 8000) / done).toBeCloseTo(128 * (128 / 148), 0);
    expect(back.waitedPs).toBeGreaterThan(0);
    expect(back.busyPs).toBeCloseTo((1000 * 32 * 148 * 8000) / 128, -3);
  });

  it('has fewer bytes outstanding with shorter read requests, and more headers with shorter packets', () => {
    const gbpsWith = (changed: Parameters<PciePort['configure']>[0]) => {
      const link = port({ gbps: 240, maxPayloadBytes: 256, tlpOverheadBytes: 24 });
      link.configure(changed);
      return readGbps(link, path(1000), 512);
    };
    const usual = gbpsWith({});
    expect(gbpsWith({ maxReadRequestBytes: 128 })).toBeLessThan(0.4 * usual);
    expect(gbpsWith({ maxReadRequestBytes: 4096 })).toBeCloseTo(usual, 0);
    const link = port();
    link.configure({ maxPayloadBytes: 64 });
    link.write(0, 128, path(0));
    expect(link.upBytes).toBe(128 + 2 * 20);
  });

  it('holds writes back when a shared link has all posted credits', () => {
    const shared = new SharedLink(40);
    const way = path(100, { shared, postedBytes: 1024 });
    const link = port();
    let accepted = 0;
    for (let index = 0; index < 200; index++) accepted = link.write(accepted, 1024, way);
    const gbps = (200 * 1024 * 8000) / accepted;
    expect(gbps).toBeLessThan(42);
    expect(gbps).toBeGreaterThan(20);
    expect(link.writeStallPs).toBeGreaterThan(0);
  });

  it('takes a time beyond its bytes for each TLP that it writes, where it has one', () => {
    const way = path(650);
    const limited = { writeGapPs: 0.75 * NS };
    // 128 Gb/s: 62.5 ps a byte. 64 B and header take 5.25 ns, 128 B and header 9.25 ns.
    expect(port().writePayload(0, 64, way)).toBe(5250);
    expect(port(limited).writePayload(0, 64, way)).toBe(6 * NS);
    expect(port(limited).writePayload(0, 320, way)).toBe(2 * 10 * NS + 6 * NS);
  });

  const ordering = { psPerByte: 100, depthBytes: 2048, turnPs: 4000 * NS, postedBytes: 32_768 };

  it('passes DMA to memory in order where ordering is strict, and DMA to a peer device beside it', () => {
    const way = path(650);
    const peer = path(650, { ordered: false });
    const alone = port().readPayload(0, 4096, way);
    const link = port({ ordering });
    expect([link.isStrict, port().isStrict]).toEqual([true, false]);
    for (let count = 0; count < 4; count++) link.writePayload(0, 4096, way);
    // Four writes and itself pass before a read begins.
    expect(link.readPayload(0, 4096, way) - alone).toBe(5 * 4096 * 100);
    expect(link.readPayload(0, 4096, peer) - alone).toBeLessThan(4096 * 100);
    // A record waits for what came before it, and takes no time of the pipeline itself.
    const record = link.read(0, 64, way);
    expect(record).toBeGreaterThan(5 * 4096 * 100);
    expect(link.read(0, 64, way) - record).toBeLessThan(64 * 100);
    expect(link.deviceControl.ordering).toBe('strict');
  });

  it('turns the pipeline for a short element behind long writes, on average the more of it the shorter', () => {
    const way = path(650);
    const random = new Random(1);
    const turned = (bytes: number, written: number, soFar: number, afterPs = 0) => {
      let turnedPs = 0;
      for (let draw = 0; draw < 4000; draw++) {
        const link = port({ ordering, random });
        link.writePayload(0, written, way, soFar);
        link.element(afterPs, bytes, way, true);
        turnedPs += link.orderingTurnedPs;
      }
      return turnedPs / (4000 * 4000 * NS);
    };
    expect(turned(512, 4096, 4096)).toBeCloseTo(0.75, 1);
    expect(turned(1024, 4096, 4096)).toBeCloseTo(0.5, 1);
    expect(turned(2048, 4096, 4096)).toBe(0);
    // Behind a whole message of half more than the depth it is half of a turn; behind short ones none.
    expect(turned(512, 3072, 3072)).toBeCloseTo(0.375, 1);
    expect(turned(512, 2048, 2048)).toBe(0);
    // A packet counts with those of its message before it, however short it is.
    expect(turned(512, 512, 3072)).toBeCloseTo(0.375, 1);
    expect(turned(512, 1024, 1543)).toBe(0);
    // What passed a while ago is out of the pipeline.
    expect(turned(512, 4096, 4096, 2000 * NS)).toBeCloseTo(0.375, 1);
    expect(turned(512, 4096, 4096, 4000 * NS)).toBe(0);
  });

  it('turns for a scattered element behind long reads, and not behind its own direction', () => {
    const way = path(650);
    const link = port({ ordering });
    link.readPayload(0, 4096, way);
    link.element(0, 512, way, true);
    expect(link.orderingTurns).toBe(0);
    link.element(0, 512, way, false);
    expect(link.orderingTurns).toBe(1);
  });

  it('lets a device have so many posted bytes in the pipeline', () => {
    const way = path(650);
    const link = port({ ordering: { ...ordering, postedBytes: 8192 } });
    const unlimited = port({ ordering });
    const accepted = (each: PciePort) => [1, 2, 3].map(() => each.writePayload(0, 4096, way));
    const [, second, third] = accepted(unlimited);
    // Two fit; the third waits until the first has passed, which began when the link had carried it.
    const limited = accepted(link);
    expect(limited[1]).toBe(second);
    expect(limited[2] - limited[0]).toBeGreaterThan(4096 * 100);
    expect(limited[2]).toBeGreaterThan(third);
  });
});
