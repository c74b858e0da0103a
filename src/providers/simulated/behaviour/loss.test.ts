import { describe, expect, it } from 'vitest';
import type { Impairment } from '../taps/impairment.js';
import { StreamBench } from '../testing/stream.js';

/** One QP of ConnectX-6 at 100 Gb/s back to back, WRITEs of 4 KB at MTU 1024 (SRNIC §6.3). */
async function stream(impairments: Record<string, Impairment>, durationUs: number, subsystem = 'srnic') {
  const bench = new StreamBench({ subsystem, seed: 5, impairments });
  await bench.stream({ from: 0, to: 1, messageBytes: 4096, pathMtu: 1024, outstanding: 128, batch: 4 });
  const [gbps] = await bench.measure(durationUs);
  const [sender, receiver] = [await bench.counters(0), await bench.counters(1)];
  bench.stop();
  return { gbps, sender, receiver };
}

describe('go-back-N on a ConnectX-6', () => {
  // SRNIC's specification derives max / (1 + 270 p) from Figure 11; the NAK's time was fitted to the last rate.
  it.each([
    [0.001, 73],
    [0.003, 51],
    [0.01, 25],
  ])('delivers what is left of the wire at a loss of %f', async (loss, wantedGbps) => {
    const { gbps, sender } = await stream({ sim1: { loss } }, 8000);
    expect(Math.abs(gbps / wantedGbps - 1)).toBeLessThan(0.15);
    expect(sender['local_ack_timeout_err']).toBe(0);
  });

  it('goes on within milliseconds where the NAK is lost', async () => {
    const rules = [{ action: 'drop', stream: 'request', psn: 100, transmission: 1 }] as const;
    // The first NAK is the first response with the PSN that is missing.
    const lost = [{ action: 'drop', stream: 'response', psn: [97, 100], transmission: 1 }] as const;
    const { gbps, sender } = await stream({ sim1: { rules }, sim0: { rules: lost } }, 6000);
    expect(sender['roce_adp_retrans']).toBe(1);
    // 4 of 6 ms are the wait.
    expect(gbps).toBeGreaterThan(20);
  });
});

describe('selective repeat', () => {
  // Software that lags must not make its NIC take for lost what has come (SRNIC §4.4.2).
  it('through host software sends again what was lost, once', async () => {
    const { sender, receiver } = await stream({ sim1: { loss: 0.01 } }, 3000, 'srnic-fpga');
    const lost = sender['tx_packets_phy'] - receiver['rx_packets_phy'];
    expect(lost).toBeGreaterThan(200);
    expect(sender['retransmitted_packets']).toBeLessThan(lost * 1.05);
    expect(receiver['duplicate_request']).toBeLessThan(lost * 0.05);
  });
});
