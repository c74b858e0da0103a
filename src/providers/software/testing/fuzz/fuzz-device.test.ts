import { expect, it } from 'vitest';
import { fuzzDevice } from './fuzz-device.js';

it('eight thousand hostile datagrams come to nothing, and the honest transfer is intact', async () => {
  const report = await fuzzDevice({ seed: 1, packets: 8_000 });
  expect(report.failures).toEqual([]);
  expect(report.packets).toBe(8_000);
  expect(report.honestMessages).toBe(80);
  // Each way of attack was tried, and each defence was needed.
  for (const count of Object.values(report.byAttack)) expect(count).toBeGreaterThan(500);
  for (const counter of ['rx_malformed', 'rx_stranger', 'rx_bad_icrc', 'rx_unknown_qp', 'duplicate_request'])
    expect(report.counters[counter], counter).toBeGreaterThan(0);
  // Requests reached the table of connections; how many are in it at once depends on how fast the machine is.
  expect(report.mostConnections).toBeGreaterThan(0);
}, 60_000);

it('notices an attacker that gets at the memory of the honest peer', async () => {
  // Keys come from the system's random numbers, so that no seed hits them for certain.
  let seen = '';
  for (let seed = 1; seed <= 8 && seen === ''; seed++)
    seen = (await fuzzDevice({ seed, packets: 8_000, sharedDomain: true })).failures.join(' ');
  expect(seen).toMatch(/read bytes|intact/);
}, 60_000);
