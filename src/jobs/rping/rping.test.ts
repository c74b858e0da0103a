import { expect, it } from 'vitest';
import { SoftwareProvider } from '../../providers/software/index.js';
import { strangersReq } from '../../providers/software/testing/stranger.js';
import { parseGid } from '../../wire/index.js';
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

it('serves a client although strangers asked first and never went on', async () => {
  const provider = new SoftwareProvider();
  const addresses = ['127.0.8.3', '127.0.8.4', '127.0.8.5'];
  const contexts = await Promise.all(addresses.map((address) => provider.open(address)));
  const [client, server, stranger] = contexts;
  const managers = [client, server].map((context) => context.createConnectionManager());
  const serving = rpingServer(server, managers[1], 7174, { sizeBytes: 64 });
  const to = parseGid('::ffff:127.0.8.4');
  for (let id = 1; id <= 3; id++)
    stranger.software.sendManagement(
      strangersReq(parseGid('::ffff:127.0.8.5'), to, 7174, id, { localCmResponseTimeout: 31 }),
      to,
      0,
    );
  while (server.connections.agent.halfOpenCount < 3) await server.clock.sleep(1e6);
  const options = { sizeBytes: 64, count: 2 };
  expect(await rpingClient(client, managers[0], '127.0.8.4', 7174, options)).toBe(2);
  expect(await serving).toBe(2);
  for (const manager of managers) manager.close();
  await Promise.all(contexts.map((context) => context.close()));
}, 10_000);
