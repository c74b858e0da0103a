import { expect, it } from 'vitest';
import { counterRate, counterText } from './counter-text.js';

it.each([
  ['engine_stalled_ps', 4.5e11, 'engine_stalled 45.0 % of the time'],
  ['engine_stalled_ps', 5.9e15, 'engine_stalled 5900.0 units at once'],
  ['vport_loopback_bytes', 6.1e9, 'vport_loopback 48.8 Gb/s'],
  ['rx_buffer_high_water_bytes', 1.5e8, 'rx_buffer_high_water_bytes rose'],
  ['tx_prio0_pause_duration', 6.15e5, 'tx_prio0_pause_duration 61.5 % of the time'],
  ['mtt_cache_miss', 5.7e6, 'mtt_cache_miss 5.70 M/s'],
  ['packet_seq_err', 12, 'packet_seq_err 12.0/s'],
])('%s at %d', (name, rate, text) => {
  expect(counterText(name, rate)).toBe(text);
});

it('has one unit for figures that stand side by side', () => {
  expect(counterRate('engine_stalled_ps', 4e10, 4e12)).toBe('0.04 units at once');
  expect(counterRate('engine_stalled_ps', 4e12, 4e12)).toBe('4.0 units at once');
});
