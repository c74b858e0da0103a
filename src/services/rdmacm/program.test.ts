import { expect, it } from 'vitest';
import { IdealProvider } from '../../providers/ideal/index.js';
import { CM_PROGRAMS, type CmProgramName, runCmProgram, runUdaddy } from './index.js';

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
