import { describe, expect, it } from 'vitest';
import { typed } from '../testing/typed.js';

// Goal: each command is a peer of itself, over TCP and the software device, as it is of the stock programs.

let port = 28515;

/** Runs a server and a client, each on an address of the loopback of its own. */
async function both(argv: readonly string[]) {
  const own = [...argv, '-p', String(++port)];
  const [server, client] = await Promise.all([
    typed([...own, '--bind', '127.0.9.1']),
    typed([argv[0], argv[1], '127.0.0.1', ...own.slice(2), '--bind', '127.0.9.2']),
  ]);
  expect([server.code, client.code], server.err + client.err).toEqual([0, 0]);
  return { server: server.out, client: client.out };
}

const software = ['--provider', 'software', '-n', '50'];

describe('kelpie bw and lat, two programs', () => {
  it.each([
    ['write', '4096'],
    ['read', '4096'],
    ['send', '4096'],
    ['atomic', '8'],
  ])('measure %s', async (verb, size) => {
    const sizes = verb === 'atomic' ? [] : ['-s', size];
    const { client, server } = await both(['bw', verb, ...software, ...sizes]);
    expect(client).toMatch(new RegExp(`^ ${size} +50 +\\d`, 'm'));
    expect(server).toMatch(new RegExp(`^ ${size} +50 +\\d`, 'm'));
    const latency = await both(['lat', verb, ...software]);
    expect(latency.client).toMatch(/^ \d+ +(49|50) +\d/m);
  });

  it('print JSON', async () => {
    const { client } = await both(['bw', 'write', ...software, '-s', '64', '--json']);
    expect(JSON.parse(client)).toMatchObject([{ sizeBytes: 64, iterations: 50 }]);
  });

  it('run in one process where asked to', async () => {
    const { code, out } = await typed([
      'bw',
      'write',
      '--provider',
      'software',
      '--loopback',
      '-n',
      '50',
      '-s',
      '64',
    ]);
    expect(code).toBe(0);
    expect(out).toContain('RDMA_Write BW Test');
  });

  it('refuse a server of a provider that has none, and a duration', async () => {
    expect(await typed(['bw', 'write', '192.0.2.1', '--provider', 'ideal'])).toMatchObject({ code: 2 });
    expect(await typed(['bw', 'write', '--provider', 'software', '-D', '1'])).toMatchObject({ code: 2 });
  });
});

describe('kelpie pingpong', () => {
  it.each(['rc', 'uc', 'ud'])('plays on %s', async (transport) => {
    const { client, server } = await both(['pingpong', transport, '-n', '20', '-s', '500']);
    for (const out of [client, server]) expect(out).toContain('20 iters in');
  });
});

it('kelpie rping pings', async () => {
  const serving = typed(['rping', '--bind', '127.0.9.3']);
  await new Promise((resolve) => setTimeout(resolve, 100));
  const client = await typed(['rping', '127.0.9.3', '--bind', '127.0.9.4', '-C', '3', '-v']);
  expect(client).toMatchObject({ code: 0 });
  expect(client.out).toContain('ping data: rdma-ping-2: ');
  expect(await serving).toMatchObject({ code: 0, out: '3 pings\n' });
});

it.each([
  ['simulated', [/^5 pings in \d+\.\d us of virtual time\n$/]],
  ['ideal', [/^5 pings in \d+\.\d us of virtual time\n$/]],
  ['software', [/^5 pings\n$/]],
])('kelpie rping pings on %s with both ends inside', async (provider, [expected]) => {
  const { code, out } = await typed(['rping', '--provider', provider, '--loopback', '-C', '5']);
  expect(code).toBe(0);
  expect(out).toMatch(expected);
});

it('kelpie rping refuses what makes no sense', async () => {
  for (const bad of [
    ['--provider', 'simulated'],
    ['--provider', 'simulated', '-C', '1', '192.0.2.1'],
    ['--provider', 'ideal', '-C', '1', '-P'],
    ['192.0.2.1', '-C', '1', '-P'],
    ['192.0.2.1'],
  ])
    expect(await typed(['rping', ...bad]), bad.join(' ')).toMatchObject({ code: 2 });
});
