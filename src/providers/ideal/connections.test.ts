import { expect, it } from 'vitest';
import { connectOnce } from '../cm/testing/connect-once.js';
import { IdealProvider } from './provider.js';

const LATENCY_NS = 700;

async function story() {
  const provider = new IdealProvider({ latencyNs: LATENCY_NS });
  return connectOnce(await provider.open('ideal0'), await provider.open('ideal1'));
}

it('connects in one round trip, ends in one, and both take the same time whenever they are done', async () => {
  const first = await story();
  expect(first.events).toEqual(['ESTABLISHED', 'DISCONNECTED']);
  expect(first.connectedNs).toBe(2 * LATENCY_NS);
  expect(await story()).toEqual(first);
});

it('shares the ports of a device among all who opened it', async () => {
  const provider = new IdealProvider();
  const contexts = [await provider.open('ideal0'), await provider.open('ideal0')];
  const [one, other] = contexts.map((context) => context.createConnectionManager());
  one.listen(7174);
  expect(() => other.listen(7174)).toThrow(/CM_SERVICE_TAKEN|listens at this port/);
  await contexts[0].close();
  expect(other.listen(7174).port).toBe(7174);
});
