import { describe, expect, it } from 'vitest';
import { EgressPort } from '../../../models/index.js';
import { checkDrained } from './conservation.js';
import { StreamBench } from './stream.js';

async function afterTraffic() {
  const bench = new StreamBench({ subsystem: 'husky' });
  await bench.stream({ from: 0, to: 1, messageBytes: 4096 });
  await bench.run(10);
  bench.stop();
  return bench.provider.world;
}

const broken = expect.objectContaining({ code: 'INVARIANT_BROKEN' });

describe('the check of a drained world', () => {
  it('holds after traffic', async () => {
    expect(checkDrained(await afterTraffic())).toBeGreaterThan(30);
  });

  it('notices a packet or a payload that was not freed', async () => {
    const world = await afterTraffic();
    const packet = world.packets.take();
    expect(() => checkDrained(world)).toThrow(broken);
    world.packets.free(packet);
    world.payloads.take();
    expect(() => checkDrained(world)).toThrow(broken);
  });

  it('notices bytes left in a receive buffer', async () => {
    const world = await afterTraffic();
    world.devices[1].nic.port.buffer.admit(64, 0);
    expect(() => checkDrained(world)).toThrow(broken);
  });

  it('notices a pause that was not taken back', async () => {
    const world = await afterTraffic();
    const [port] = world.egressPorts.filter((each) => each instanceof EgressPort);
    port.setPaused(5, true);
    expect(() => checkDrained(world)).toThrow(broken);
  });
});
