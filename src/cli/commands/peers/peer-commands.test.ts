import { describe, expect, it } from 'vitest';
import { typed } from '../../testing/typed.js';

// Goal: each command is a peer of itself, over TCP and the software device, as it is of the stock programs.

let port = 28515;

/** Runs a server and a client, each on an address of the loopback of its own. */
async function both(argv: readonly string[]) {
  const own = [...argv, '-p', String(++port)];
  const [server, client] = await Promise.all([
    typed([...own, '--bind', '127.0.9.1']),
    typed([argv[0], argv[1], '127.0.9.1', ...own.slice(2), '--bind', '127.0.9.2']),
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

  it.each(['dcqcn', 'dcqcn-paper', 'timely', 'swift'])('with the congestion control %s', async (name) => {
    const { client } = await both(['bw', 'write', ...software, '-s', '4096', '--congestion', name]);
    expect(client).toMatch(/^ 4096 +50 +\d/m);
  });

  it.each(['irn', 'srnic', 'melo'])(
    'with the loss recovery %s, agreed on by RDMA-CM or by the flag',
    async (name) => {
      for (const more of [[], ['-R']]) {
        const flags = [...software, '-s', '4096', '--recovery', name, ...more];
        const { client } = await both(['bw', 'write', ...flags]);
        expect(client).toMatch(/^ 4096 +50 +\d/m);
      }
    },
  );

  it.each([
    ['bw', 'write', []],
    ['bw', 'read', ['-q', '2']],
    ['bw', 'send', ['-b']],
    ['lat', 'send', []],
    ['lat', 'write', []],
  ])('connect by RDMA-CM: %s %s', async (kind, verb, more) => {
    const { client } = await both([kind, verb, ...software, '-s', '64', '-R', ...more]);
    expect(client).toMatch(/^ 64 +\d+ +\d/m);
  });

  it.each([
    ['bw', 'write', []],
    ['bw', 'send', []],
    ['bw', 'send', ['-b']],
    ['lat', 'send', []],
    ['lat', 'read', []],
  ])('measure for a time: %s %s', async (kind, verb, more) => {
    const flags = ['--provider', 'software', '-s', '4K', '-D', '0.3', '-N', '-i', '1', ...more];
    const { client } = await both([kind, verb, ...flags]);
    const messages = Number(/^ 4096 +(\d+)/m.exec(client)?.[1]);
    expect(messages).toBeGreaterThan(0);
  });

  it('go on until one side is ended, and the other ends too', async () => {
    const own = ['--provider', 'software', '--run_infinitely', '-p', String(++port)];
    const serving = typed(['bw', 'write', ...own, '--bind', '127.0.9.1']);
    const signal = AbortSignal.timeout(1500);
    const client = await typed(['bw', 'write', '127.0.9.1', ...own, '--bind', '127.0.9.2'], { signal });
    expect(client.out).toContain('PARTIAL: interrupted');
    expect(await serving).toMatchObject({ code: 0 });
  });

  it('print every latency where asked to', async () => {
    const { client } = await both(['lat', 'read', ...software, '-s', '8', '-H']);
    const all = [...client.matchAll(/^\d+, (\d+\.\d+)$/gm)].map(([, us]) => Number(us));
    expect(all).toHaveLength(50);
    expect(all).toEqual(all.toSorted((one, other) => one - other));
  });

  it('refuse what they cannot do, by name', async () => {
    const refused = async (...argv: string[]) => {
      const { code, err } = await typed(argv);
      expect(code).toBe(2);
      return err;
    };
    const peer = ['--provider', 'software'];
    expect(await refused('bw', 'write', '192.0.2.1', '--provider', 'ideal')).toMatch(/server/);
    expect(await refused('bw', 'write', '-R')).toMatch(/--rdma_cm/);
    expect(await refused('bw', 'write', '-x', '3')).toMatch(
      /--gid-index is '3', allowed: --provider software/,
    );
    expect(await refused('bw', 'send', ...peer, '-R', '-c', 'UD')).toMatch(/--rdma_cm is 'UD', allowed: RC/);
    expect(await refused('bw', 'write', ...peer, '-R')).toMatch(/--bind/);
    expect(await refused('bw', 'write', ...peer, '-d', 'rxe0')).toMatch(
      /--ib-dev is 'rxe0', allowed: --bind/,
    );
    expect(await refused('lat', 'write', ...peer, '--run_infinitely')).toMatch(/--run_infinitely/);
    expect(await refused('bw', 'write', ...peer, '-a', '-D', '1')).toMatch(/--all/);
    expect(await refused('bw', 'write', ...peer, '--cpu_util')).toMatch(/--cpu_util/);
    expect(await refused('bw', 'write', ...peer, '-e')).toMatch(/--events/);
    expect(await refused('bw', 'write', ...peer, '--flows', '2')).toMatch(/--flows/);
    expect(await refused('bw', 'write', ...peer, '-s', '4Q')).toMatch(/--size/);
  });

  it.each([
    [['-R'], [], /^a client came over TCP and was turned away: -R is needed on both sides/m],
    [[], ['-R'], /^a client came by RDMA-CM and was rejected: -R is needed on both sides/m],
  ])('turn away at once who meets another way, and name -R: %j, %j', async (own, theirs, said) => {
    const at = ['-p', String(++port), ...software];
    const stop = new AbortController();
    const { signal } = stop;
    const serving = typed(['bw', 'write', ...own, ...at, '--bind', '127.0.9.1'], { signal });
    const client = await typed(['bw', 'write', '127.0.9.1', ...theirs, ...at, '--bind', '127.0.9.2']);
    expect(client.code).toBe(3);
    if (theirs.length > 0) expect(client.err).toMatch(/RDMA_CM_EVENT_REJECTED, error: 28.*-R on both sides/);
    else expect(client.err).toMatch(/hung up in the middle/);
    stop.abort();
    expect((await serving).err).toMatch(said);
  });

  it('say that seconds of a simulated clock take long', async () => {
    const stop = AbortSignal.timeout(200);
    const { err } = await typed(['bw', 'write', '-D', '10'], { signal: stop });
    expect(err).toContain('note: 10 s of simulated time will take many times as long');
  });
});

describe('kelpie pingpong', () => {
  it.each(['rc', 'uc', 'ud', 'srq'])('plays on %s', async (transport) => {
    const { client, server } = await both(['pingpong', transport, '-n', '20', '-s', '500']);
    for (const out of [client, server]) expect(out).toContain('20 iters in');
  });
});

it.each([
  ['ucmatose', 'ucmatose', '1 connections'],
  ['rdma_server', 'rdma_client', '1 connections'],
  ['rdma_xserver', 'rdma_xclient', '1 connections'],
  ['cmtime', 'cmtime', '5 connections'],
  ['udaddy', 'udaddy', '10 datagrams'],
])('kelpie rdmacm %s and %s', async (server, client, says) => {
  let ready = () => {};
  const listening = new Promise<void>((resolve) => {
    ready = resolve;
  });
  const connections = server === 'cmtime' ? ['-c', '5'] : [];
  const serving = typed(['rdmacm', server, '--bind', '127.0.9.5', ...connections], { onErr: ready });
  await listening;
  const asked = await typed(['rdmacm', client, '127.0.9.5', '--bind', '127.0.9.6', ...connections]);
  expect(asked).toMatchObject({ code: 0, out: `${client}: ${says}\n` });
  expect(await serving).toMatchObject({ code: 0, out: `${server}: ${says}\n` });
});

it.each([
  [['rdmacm', 'ucmatoes'], /did you mean ucmatose\?/],
  [['rdmacm', 'mckey'], /no multicast here.*program is 'mckey', allowed: ucmatose/],
  [['rdmacm', 'rstream'], /no rsockets here.*program is 'rstream', allowed: ucmatose/],
  [['pingpong', 'xsrq'], /XRC is not supported.*transport is 'xsrq', allowed: rc/],
])('%j says why there is no such program', async (argv, says) => {
  const { code, err } = await typed(argv);
  expect(code).toBe(2);
  expect(err).toMatch(says);
});

it('kelpie rping pings', async () => {
  let ready = () => {};
  const listening = new Promise<void>((resolve) => {
    ready = resolve;
  });
  const serving = typed(['rping', '--bind', '127.0.9.3'], { onErr: ready });
  await listening;
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

describe('kelpie qperf, two programs', () => {
  it('measures each test that is named, and serves one after the other', async () => {
    const own = ['-p', String(++port), '--bind'];
    const tests = ['rc_bw', 'rc_lat', 'ver_rc_fetch_add'];
    const [server, client] = await Promise.all([
      typed(['qperf', ...own, '127.0.9.1', '--clients', '3']),
      typed(['qperf', '127.0.9.1', ...tests, ...own, '127.0.9.2', '-t', '1']),
    ]);
    expect([server.code, client.code], server.err + client.err).toEqual([0, 0]);
    expect(client.out).toMatch(
      /^rc_bw:\n {4}bw {2}= {2}[\d.]+ MB\/sec\nrc_lat:\n {4}latency {2}= {2}[\d.]+ us\n/,
    );
    expect(client.out).toMatch(/ver_rc_fetch_add:\n {4}msg_rate {2}= {2}[\d.]+ K\/sec\n$/);
    expect(server.err).toMatch(/qperf: rc_bw\nqperf: rc_lat\nqperf: ver_rc_fetch_add\n$/);
  });

  it.each([
    [['127.0.9.1', 'uc_bw'], 'uc_bw'],
    [['127.0.9.1'], 'nothing'],
    [[], '--bind'],
  ])('refuses what it cannot do: %j', async (given, word) => {
    const { code, err } = await typed(['qperf', ...given]);
    expect(code).toBe(2);
    expect(err).toContain(word);
  });
});

it('kelpie pingpong fi sends and gets messages over RDMA-CM', async () => {
  const { client, server } = await both(['pingpong', 'fi', '-n', '20', '-s', '1000']);
  expect(client).toMatch(/^40000 bytes in .*\n20 iters in /);
  // And the last word.
  expect(server).toBe('21 messages\n');
});
