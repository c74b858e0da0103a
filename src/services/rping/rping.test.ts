import { expect, it } from 'vitest';
import { SoftwareProvider } from '../../providers/software/index.js';
import { strangersReq } from '../../providers/software/testing/stranger.js';
import { openTestbed } from '../../testbeds/index.js';
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

it('serves several clients at a time, and goes on when one breaks off', async () => {
  const provider = new SoftwareProvider();
  const addresses = ['127.0.8.6', '127.0.8.7', '127.0.8.8'];
  const contexts = await Promise.all(addresses.map((address) => provider.open(address)));
  const managers = contexts.map((context) => context.createConnectionManager());
  const abort = new AbortController();
  const gone: string[] = [];
  let ready = false;
  const serving = rpingServer(contexts[0], managers[0], 7174, {
    sizeBytes: 64,
    persistent: true,
    signal: abort.signal,
    onReady: () => {
      ready = true;
    },
    onClient: (address, pings) => gone.push(`${address} ${pings}`),
  });
  expect(ready).toBe(true);
  const ping = (from: number, count: number) =>
    rpingClient(contexts[from], managers[from], addresses[0], 7174, { sizeBytes: 64, count });
  await Promise.all([ping(1, 3), ping(2, 4)]);
  // One that leaves in the middle.
  const rude = ping(1, 1000);
  rude.catch(() => undefined);
  await contexts[1].clock.sleep(5e6);
  await contexts[1].close();
  expect(await ping(2, 2)).toBe(2);
  while (gone.length < 3) await contexts[0].clock.sleep(1e6);
  abort.abort();
  expect(await serving).toBe(9);
  expect(gone.sort()).toEqual(['127.0.8.7 3', '127.0.8.8 2', '127.0.8.8 4']);
  await Promise.all(contexts.map((context) => context.close()));
});

it.each(['ideal', 'simulated'])('pings on %s, in virtual time', async (provider) => {
  const testbed = await openTestbed({ provider });
  const [client, server] = testbed.hosts.map(({ context }) => context);
  const [asking, answering] = [client, server].map((context) => context.createConnectionManager());
  const serving = rpingServer(server, answering, 7174, { sizeBytes: 4096 });
  const address = server.queryGid(1, 0);
  expect(await rpingClient(client, asking, address, 7174, { sizeBytes: 4096, count: 20 })).toBe(20);
  expect(await serving).toBe(20);
  await testbed.close();
});
