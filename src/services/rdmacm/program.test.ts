import { expect, it } from 'vitest';
import { IdealProvider } from '../../providers/ideal/index.js';
import { SoftwareProvider } from '../../providers/software/index.js';
import { strangersReq } from '../../providers/software/testing/stranger.js';
import { parseGid } from '../../wire/index.js';
import { CM_PROGRAM_PORT, CM_PROGRAMS, type CmProgramName, runCmProgram, runUdaddy } from './index.js';

async function twoDevices() {
  const provider = new IdealProvider({ devices: 2, latencyNs: 100 });
  const devices = await provider.listDevices();
  const [client, server] = await Promise.all(devices.map(({ name }) => provider.open(name)));
  const [asking, answering] = [client, server].map((context) => context.createConnectionManager());
  return { client, server, asking, answering, address: server.queryGid(1, 0) };
}

it.each(Object.keys(CM_PROGRAMS) as CmProgramName[])('both sides of %s come to their end', async (name) => {
  const { client, server, asking, answering, address } = await twoDevices();
  const connections = name === 'cmtime' ? 20 : 1;
  const serving = runCmProgram(server, answering, name, { connections });
  expect(await runCmProgram(client, asking, name, { address, connections })).toBe(connections);
  expect(await serving).toBe(connections);
});

it('both sides of udaddy find each other and send ten datagrams each way', async () => {
  const { client, server, asking, answering, address } = await twoDevices();
  const serving = runUdaddy(server, answering, {});
  expect(await runUdaddy(client, asking, { address })).toBe(10);
  expect(await serving).toBe(10);
});

it('a port without datagrams is refused by name, at once', async () => {
  const { client, asking, answering, address } = await twoDevices();
  answering.listenDatagrams(7, () => null);
  for (const port of [7, 8])
    await expect(asking.resolveDatagrams({ address, port })).rejects.toMatchObject({
      code: 'CM_REJECTED',
      given: 'unsupported',
    });
  expect(client.clock.nowNs).toBeLessThan(1e6);
  expect(() => answering.listenDatagrams(7, () => null)).toThrow(/CM_SERVICE_TAKEN|already/);
});

it('serves a client although a stranger asked first and never went on', async () => {
  const provider = new SoftwareProvider({ connectionLimits: { halfOpenNs: 0.2e9 } });
  const addresses = ['127.0.8.21', '127.0.8.22', '127.0.8.23'];
  const contexts = await Promise.all(addresses.map((address) => provider.open(address)));
  const [client, server, stranger] = contexts;
  const [asking, answering] = [client, server].map((context) => context.createConnectionManager());
  const serving = runCmProgram(server, answering, 'ucmatose', {});
  const [from, to] = [2, 1].map((index) => parseGid(`::ffff:${addresses[index]}`));
  const strike = (id: number) =>
    stranger.software.sendManagement(strangersReq(from, to, CM_PROGRAM_PORT, id), to, 0);
  strike(1);
  while (server.connections.agent.halfOpenCount < 1) await server.clock.sleep(1e6);
  // One is forgotten before the client comes, and one is there when it does.
  while (server.connections.agent.halfOpenCount > 0) await server.clock.sleep(1e6);
  strike(2);
  while (server.connections.agent.halfOpenCount < 1) await server.clock.sleep(1e6);
  expect(await runCmProgram(client, asking, 'ucmatose', { address: addresses[1] })).toBe(1);
  expect(await serving).toBe(1);
  await Promise.all(contexts.map((context) => context.close()));
}, 10_000);

it('a handler of datagrams that answers later is a fault of its program, not the end of it', async () => {
  const provider = new SoftwareProvider();
  const [client, server] = await Promise.all(['127.0.8.24', '127.0.8.25'].map((each) => provider.open(each)));
  const later = async () => {
    throw new Error('too late');
  };
  server.createConnectionManager().listenDatagrams(7, later as unknown as () => null);
  const asked = client.createConnectionManager().resolveDatagrams({ address: '127.0.8.25', port: 7 });
  await expect(asked).rejects.toMatchObject({ code: 'CM_REJECTED' });
  expect(await server.getAsyncEvent()).toMatchObject({ type: 'CM_FAULT', error: { given: 'a promise' } });
  await Promise.all([client.close(), server.close()]);
});
