import { describe, expect, it } from 'vitest';
import { checkDrained } from '../testing/conservation.js';
import { StreamBench } from '../testing/stream.js';

/** Acknowledgements that the receiver of small WRITEs sent, and the messages that they acknowledged. */
async function acknowledged(qps: number) {
  const bench = new StreamBench({ subsystem: 'husky' });
  for (let index = 0; index < qps; index++) {
    await bench.stream({ from: 0, to: 1, messageBytes: 64, outstanding: 64 });
  }
  await bench.run(200);
  bench.stop();
  expect(checkDrained(bench.provider.world)).toBeGreaterThan(0);
  const [sender, receiver] = await Promise.all([bench.counters(0), bench.counters(1)]);
  expect(sender['rx_packets_phy']).toBe(receiver['tx_packets_phy']);
  return {
    messages: receiver['rx_goodput_packets'],
    acks: receiver['tx_packets_phy'],
    gapNs: bench.provider.subsystem.device.constants.ackGapNs,
  };
}

describe('acknowledgements', () => {
  it('coalesce by themselves when more messages come than the device acknowledges one by one', async () => {
    const { messages, acks, gapNs } = await acknowledged(8);
    expect(messages).toBeGreaterThan(2 * acks);
    // At most one a gap: 200 us of posting, and a little to drain.
    expect(acks).toBeLessThanOrEqual((210 * 1000) / gapNs);
    expect(acks).toBeGreaterThan(8);
  });

  it('answer each message when there is time', async () => {
    const bench = new StreamBench({ subsystem: 'husky' });
    await bench.stream({ from: 0, to: 1, messageBytes: 64, outstanding: 1 });
    await bench.run(200);
    bench.stop();
    expect(checkDrained(bench.provider.world)).toBeGreaterThan(0);
    const receiver = await bench.counters(1);
    expect(receiver['tx_packets_phy']).toBe(receiver['rx_goodput_packets']);
  });
});
