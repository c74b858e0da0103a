import { expect, it } from 'vitest';
import { SoftwareProvider } from '../../providers/software/index.js';
import { channels } from '../testing/channels.js';
import { askFiPingPong, serveFiPingPong } from './index.js';

const ADDRESSES = ['127.0.7.41', '127.0.7.42'] as const;

async function opened() {
  const provider = new SoftwareProvider();
  const [client, server] = await Promise.all(ADDRESSES.map((address) => provider.open(address)));
  return { client, server, close: () => Promise.all([client.close(), server.close()]) };
}

it('sends messages of every size back and forth, and ends as fi_pingpong does', async () => {
  const { client, server, close } = await opened();
  const [asking, answering] = channels();
  const served = serveFiPingPong(server, server.createConnectionManager(), answering, ADDRESSES[1]);
  const options = { address: ADDRESSES[1], sizes: [64, 100_000], iterations: 20 };
  const results = await askFiPingPong(client, client.createConnectionManager(), asking, options);
  expect(results).toMatchObject([
    { bytes: 2 * 20 * 64, iterations: 20 },
    { bytes: 2 * 20 * 100_000, iterations: 20 },
  ]);
  expect(results[0].elapsedNs).toBeGreaterThan(0);
  // 20 of each size, and the last word.
  expect(await served).toBe(41);
  await close();
});

it('ends with the connection where a client ends that before it hangs up', async () => {
  const { client, server, close } = await opened();
  const [asking, answering] = channels();
  const served = serveFiPingPong(server, server.createConnectionManager(), answering, ADDRESSES[1]);
  const options = { address: ADDRESSES[1], sizes: [64], iterations: 2 };
  const silent = { ...asking, close: async () => {} };
  await askFiPingPong(client, client.createConnectionManager(), silent, options);
  expect(await served).toBe(3);
  await close();
});

it('says what is wrong where a client hangs up, or speaks of something else', async () => {
  const { server, close } = await opened();
  for (const [said, words] of [
    [null, /connection is 'none'/],
    ['GET / HTTP/1.1\r\n', /count of messages/],
  ] as const) {
    const [asking, answering] = channels();
    const served = serveFiPingPong(server, server.createConnectionManager(), answering, ADDRESSES[1]);
    // An address of IPv4, 16 bytes of it.
    expect([...(await asking.read(24)).subarray(0, 10)]).toEqual([0, 0, 0, 16, 2, 0, 0, 0, 2, 0]);
    if (said === null) await asking.close();
    else await asking.write(new TextEncoder().encode(said));
    await expect(served).rejects.toThrow(words);
  }
  await close();
});

it('is not kept by a client that connects to its port and says nothing more', async () => {
  const { server, close } = await opened();
  const [, answering] = channels();
  const manager = server.createConnectionManager();
  const served = serveFiPingPong(server, manager, answering, ADDRESSES[1], { silentNs: 1e8 });
  await expect(served).rejects.toMatchObject({ code: 'CANNOT_RUN', given: 'silence for 0.1 s' });
  await close();
});

it('refuses an address that is not of IPv4', async () => {
  const { client, close } = await opened();
  const [asking, answering] = channels();
  await answering.write(Uint8Array.of(0, 0, 0, 28, 3, 0, 0, 0, ...new Uint8Array(16)));
  const options = { address: ADDRESSES[1], sizes: [64], iterations: 1 };
  const asked = askFiPingPong(client, client.createConnectionManager(), asking, options);
  await expect(asked).rejects.toMatchObject({ code: 'CANNOT_RUN', field: 'format of the address', given: 3 });
  await close();
});
