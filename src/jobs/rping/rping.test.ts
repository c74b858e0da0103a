import { expect, it } from 'vitest';
import { SoftwareProvider } from '../../providers/software/index.js';
import { rpingClient, rpingServer } from './rping.js';

it('pings between two software devices', async () => {
  const provider = new SoftwareProvider();
  const contexts = await Promise.all(['127.0.8.1', '127.0.8.2'].map((address) => provider.open(address)));
  const managers = contexts.map((context) => context.createConnectionManager());
  const texts: string[] = [];
  const serving = rpingServer(contexts[1], managers[1], 7174, { sizeBytes: 64 });
  const pings = await rpingClient(contexts[0], managers[0], '127.0.8.2', 7174, {
    sizeBytes: 64,
    count: 5,
    onPing: (text) => texts.push(text),
  });
  expect([pings, await serving]).toEqual([5, 5]);
  expect(texts[3]).toMatch(/^rdma-ping-3: D/);
  expect(texts[3]).toHaveLength(63);
  for (const manager of managers) manager.close();
  await Promise.all(contexts.map((context) => context.close()));
});
