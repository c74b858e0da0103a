import { expect, it } from 'vitest';
import { connectOnce } from '../../cm/testing/connect-once.js';
import { SimulatedProvider } from '../provider.js';

async function story(seed: number) {
  const provider = new SimulatedProvider({ seed });
  const contexts = [await provider.open('sim0'), await provider.open('sim1')] as const;
  const told = await connectOnce(...contexts);
  return { ...told, counters: contexts.map((context) => context.counters()) };
}

it('carries management datagrams over the fabric, the same way with the same seed', async () => {
  const first = await story(7);
  expect(first.events).toEqual(['ESTABLISHED', 'DISCONNECTED']);
  // REQ and REP cross the fabric as datagrams of 256 bytes: twice the way of any packet, and not for nothing.
  expect(first.connectedNs).toBeGreaterThan(2000);
  expect(first.connectedNs).toBeLessThan(50_000);
  expect(await story(7)).toEqual(first);
  expect((await story(8)).port).not.toBe(first.port);
});
