import { describe, expect, it } from 'vitest';
import { PacketFlag } from '../../transport/index.js';
import { OPCODE } from '../../wire/index.js';
import type { EgressPort } from '../fabric/egress-port.js';
import { NicPort } from './nic-port.js';
import { roceFormat } from './parts/wire-format.js';
import { constantsOf, TestParts } from './testing/test-parts.js';

const NODE = 3;

function makeBench(loopbackBufferBytes = 10_000, marking = false) {
  const parts = new TestParts(
    constantsOf('connectx-6-200g', { loopbackBufferBytes, receiveBufferBytes: 5000, xonBytes: 2000 }),
  );
  const { packets } = parts;
  const log: string[] = [];
  const port = new NicPort({
    ...parts,
    name: parts.name,
    node: NODE,
    payloads: { releasePayload: (packet) => log.push(`end ${packet}`) },
    lossless: false,
    marking,
    wire: roceFormat,
  });
  port.join(
    { sent: ({ index }, wireBytes, lane) => log.push(`sent ${index} ${wireBytes} ${lane}`) },
    {
      arrive: (packet) => log.push(`arrive ${packet}`),
      arriveLoopback: (packet) => log.push(`inside ${packet}`),
    },
  );
  const egress = { send: (packet: number) => log.push(`link ${packet}`), pausedUntilNowPs: () => 42 };
  port.attach(egress as unknown as EgressPort, () => {});
  const { pair } = parts.pair();
  const packet = (destination: number, payloadBytes = 1000) => {
    const taken = packets.take();
    packets.opcode[taken] = OPCODE.RC_WRITE_ONLY;
    packets.payloadBytes[taken] = payloadBytes;
    packets.destination[taken] = destination;
    packets.deviceSecond[taken] = 2;
    port.frame(taken, pair);
    return taken;
  };
  return { parts, port, log, packet };
}

describe('a port', () => {
  it('frames a packet: headers, padded payload, and whose it is', () => {
    const { parts, packet } = makeBench();
    const { packets } = parts;
    // Ethernet, IPv4, UDP, BTH, RETH, ICRC and FCS around 1001 bytes and their padding.
    const framed = packet(1, 1001);
    expect(packets.wireBytes[framed]).toBe(14 + 20 + 8 + 12 + 16 + 4 + 4 + 1004);
    expect([packets.source[framed], packets.deviceFirst[framed]]).toEqual([NODE, 0]);
  });

  it.each([
    [true, [false, false, true]],
    [false, [false, false, false]],
  ])('marks arrivals that find more than XON in its buffer, if it marks at all: %s', (marking, marked) => {
    const { parts, port, packet } = makeBench(10_000, marking);
    const { packets, simulation } = parts;
    const arrived = marked.map(() => {
      const taken = packet(NODE);
      simulation.after(0, port.arrivalHandler, taken);
      simulation.run();
      return taken;
    });
    expect(arrived.map((taken) => (packets.flags[taken] & PacketFlag.ECN_CE) !== 0)).toEqual(marked);
  });

  it('sends to the link, and gives the room back once the last bit has left', () => {
    const { parts, port, log, packet } = makeBench();
    const framed = packet(1);
    const bytes = parts.packets.wireBytes[framed];
    port.transmit(framed);
    expect(log).toEqual([`link ${framed}`]);
    port.onSent(framed);
    port.onSent(framed);
    // An acknowledgement never took room; and no packet gives it back twice.
    expect(log.slice(1)).toEqual([`sent 0 ${bytes} 1`]);
    expect(parts.counters).toMatchObject({ tx_packets_phy: 2, tx_bytes_phy: 2 * bytes });
    expect(port.pausedPs(0)).toBe(42);
  });

  it('turns packets to its own node round inside, as many as its buffer holds', () => {
    const { parts, port, log, packet } = makeBench(2500);
    const [first, second, third] = [packet(NODE), packet(NODE), packet(NODE)];
    const bytes = parts.packets.wireBytes[first];
    for (const each of [first, second, third]) port.transmit(each);
    const inside = () => log.filter((line) => line.startsWith('inside'));
    expect(inside()).toEqual([`inside ${first}`, `inside ${second}`]);
    port.loopbackReleased(bytes);
    expect(inside()).toHaveLength(3);
    expect(parts.counters).toMatchObject({ vport_loopback_packets: 3, vport_loopback_bytes: 3 * bytes });
    expect(parts.counters.tx_packets_phy).toBe(0);
  });

  it('ends a packet that has no destination, and gives its room back', () => {
    const { port, log, packet, parts } = makeBench();
    const framed = packet(-1);
    port.transmit(framed);
    expect(log).toEqual([expect.stringMatching(/^sent 0/), `end ${framed}`]);
    expect(parts.packets.inUse).toBe(0);
  });

  it('takes arrivals into its buffer, and drops what finds no room', () => {
    const { parts, port, log, packet } = makeBench();
    const arrivals = Array.from({ length: 5 }, () => packet(NODE));
    for (const each of arrivals) parts.simulation.at(0, port.arrivalHandler, each);
    parts.run(1);
    expect(log.filter((line) => line.startsWith('arrive'))).toHaveLength(4);
    expect(log.filter((line) => line.startsWith('end'))).toHaveLength(1);
    expect([parts.counters.rx_packets_phy, port.buffer.drops]).toEqual([5, 1]);
  });
});
