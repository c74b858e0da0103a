import { describe, expect, it } from 'vitest';
import { PacketFlag } from '../../transport/index.js';
import { FabricPackets } from './fabric-packets.js';

describe('the packets of a simulation', () => {
  it('keep their columns when the pool grows, those of the fabric too', () => {
    const packets = new FabricPackets();
    const first = packets.take();
    packets.destination[first] = 7;
    packets.source[first] = -1;
    packets.priority[first] = 5;
    packets.ingress[first] = 3;
    packets.stage[first] = 0x55;
    const more = Array.from({ length: 5000 }, () => packets.take());
    expect(new Set([first, ...more]).size).toBe(5001);
    const { destination, source, priority, ingress, stage } = packets;
    expect([destination[first], source[first], priority[first], ingress[first], stage[first]]).toEqual([
      7, -1, 5, 3, 0x55,
    ]);
    for (const column of [destination, source, priority, ingress, stage])
      expect(column.length).toBeGreaterThan(Math.max(...more));
    for (const packet of [first, ...more]) packets.free(packet);
    expect(packets.inUse).toBe(0);
  });

  it('end in the fabric with their owner told, or are just freed', () => {
    const packets = new FabricPackets();
    packets.drop(packets.take());
    expect(packets.inUse).toBe(0);
    const dropped: number[] = [];
    packets.onDrop = (packet) => {
      dropped.push(packet);
      packets.free(packet);
    };
    const packet = packets.take();
    packets.drop(packet);
    expect([dropped, packets.inUse]).toEqual([[packet], 0]);
  });

  it('are marked beside the flags that they have', () => {
    const packets = new FabricPackets();
    const packet = packets.take();
    packets.flags[packet] = PacketFlag.ACK_REQUEST;
    packets.mark(packet);
    packets.mark(packet);
    expect(packets.flags[packet]).toBe(PacketFlag.ACK_REQUEST | PacketFlag.ECN_CE);
  });
});
