import { describe, expect, it } from 'vitest';
import { KelpieError } from '../../error.js';
import { routesOf } from './description.js';
import { parseWorkload, resolveWorkload, workloadJsonSchema } from './load.js';

/** The error that a text is refused with. */
function refusal(text: string): KelpieError {
  try {
    parseWorkload(text, 'w.yaml');
  } catch (error) {
    if (error instanceof KelpieError) return error;
    throw error;
  }
  throw new Error('it was taken');
}

/** Collie's concrete triggers (appendix A), in this vocabulary: the most demanding rows, one line each. */
const collie = [
  '{ name: C1, transport: UD, opcode: SEND, qps: 1, mrBytes: 65536, sendQueueDepth: 256, mtu: 2048, batch: 64, sizes: [2048] }',
  '{ name: C2, transport: UD, opcode: SEND, qps: 16, sendQueueDepth: 1024, mtu: 1024, batch: 4, sizes: [1024] }',
  '{ name: C3, opcode: READ, qps: 8, mrBytes: 4194304, mtu: 1024, sizes: [4194304] }',
  '{ name: C4, opcode: READ, qps: 80, direction: bi, batch: 128, sge: 4, sizes: [128] }',
  '{ name: C5, opcode: SEND, sendQueueDepth: 1024, mtu: 1024, batch: 64, sge: 2, sizes: [2048] }',
  '{ name: C6, opcode: SEND, qps: 32, sendQueueDepth: 1024, mtu: 1024, batch: 8, sge: 2, sizes: [1024] }',
  '{ name: C7, qps: 480, sendQueueDepth: 16, mtu: 1024, sizes: [512] }',
  '{ name: C8, qps: 24, mrs: 1024, mtu: 1024, sizes: [512] }',
  '{ name: C9, qps: 8, direction: bi, mrBytes: 4194304, batch: 8, sge: 3, sizes: [[128, 65536, 1024]], settings: { ordering: relaxed } }',
  '{ name: C10, qps: 320, direction: bi, mtu: 1024, batch: 64, sizes: [65536, 128, 128, 128] }',
  '{ name: C11, direction: bi, mrs: 32, mrBytes: 4194304, batch: 16, sizes: [262144], memory: { a: socket0, b: socket1 } }',
  '{ name: C12, qps: 8, direction: bi, mrBytes: 4194304, batch: 8, sge: 3, sizes: [[128, 65536, 1024]], memory: gpu0, settings: { acs: redirect } }',
  '{ name: C13, direction: nToOne, qps: 16, senders: { sameHost: 8, otherHost: 8 }, mrs: 32, mrBytes: 4194304, batch: 16, sizes: [262144] }',
  '{ name: C14, qps: 1024, direction: bi, mrs: 82, mrBytes: 262144, sge: 4, sizes: [65536] }',
  '{ name: C15, transport: UD, opcode: SEND, qps: 32, mrBytes: 4096, sendQueueDepth: 64, mtu: 2048, sizes: [256, 1024, 64, 1024] }',
  '{ name: C16, opcode: READ, qps: 500, mrBytes: 262144, mtu: 1024, batch: 8, sizes: [65536] }',
  '{ name: C17, opcode: SEND, qps: 80, mrBytes: 1048576, mtu: 1024, sizes: [1024], settings: { registers: fixed } }',
  '{ name: C18, qps: 16, direction: bi, mrBytes: 12288, sendQueueDepth: 64, mtu: 1024, batch: 16, sizes: [65536] }',
];

describe('a workload description', () => {
  it.each(collie)('expresses Collie: %s', (text) => {
    const { name, tenants } = parseWorkload(text, 'collie.yaml');
    expect(text).toContain(name);
    const [tenant] = tenants;
    expect(tenant.receiveQueueDepth).toBe(tenant.sendQueueDepth);
    expect(tenant.receiveBatch).toBe(tenant.batch);
    expect(tenant.signalEvery).toBe(tenant.batch);
    expect(tenant.threads).toBe(Math.min(16, tenant.qps));
  });

  it('names contradictions beside faults of single fields, but none that rests on a faulty one', () => {
    const { message } = refusal(
      [
        'tenants:',
        '  - { name: a, opcode: WRIET, qps: 0, foo: 1 }',
        '  - { name: b, transport: UD, opcode: SEND, mtu: 1000, sizes: [8192] }',
        '  - { name: c, transport: UC, opcode: READ }',
        'measure: { minNs: 200000, maxNs: 100000 }',
      ].join('\n'),
    );
    const fields = message.split('\n').map((line) => /^w\.yaml:\d+:\d+: ([^:]*):/.exec(line)?.[1]);
    expect(fields.sort()).toEqual([
      'measure.maxNs',
      'tenants[0].foo',
      'tenants[0].opcode',
      'tenants[0].qps',
      'tenants[1].mtu',
      'tenants[2].opcode',
    ]);
  });

  it("expresses Husky's suite: tenants side by side, backwards and in loops, control verbs, no receives", () => {
    const text = `
name: husky
tenants:
  - { name: victim, qps: 96, threads: 6, sizes: [512], batch: 8, mrs: 75 }
  - { name: cas, from: b, to: a, opcode: COMPARE_SWAP, qps: 64, threads: 8, sizes: [8], batch: 8, sendQueueDepth: 8 }
  - { name: loop, direction: loopback, from: b, qps: 16, sizes: [1048576] }
  - { name: rnr, transport: UC, opcode: SEND, sizes: [4096], receives: none, sendQueueDepth: 1 }
  - { name: control, sizes: [64], control: [{ verb: register, perSecond: 5000, mrBytes: 524288 }, { host: b, verb: deregister, perSecond: 900 }] }
  - { name: pcie, qps: 36, sizes: [257], rateLimit: { gbps: 50 } }
  - { name: pattern, opcode: [{ opcode: WRITE, share: 3 }, { opcode: READ, share: 1 }], sizes: [1, 129], serviceLevel: 3 }
`;
    const { tenants } = parseWorkload(text, 'husky.yaml');
    expect(tenants.flatMap((tenant) => routesOf(tenant).map(({ from, to }) => from + to))).toEqual([
      'ab',
      'ba',
      'bb',
      'ab',
      'ab',
      'ab',
      'ab',
    ]);
    expect(tenants[4].control).toHaveLength(2);
  });

  it('takes JSON, and the same from a program', () => {
    const input = { opcode: 'READ' as const, qps: 8, sizes: [4096] };
    expect(parseWorkload(JSON.stringify(input), 'w.json')).toEqual(resolveWorkload(input));
  });

  it('counts the senders of n to one', () => {
    const [tenant] = parseWorkload(
      '{ direction: nToOne, to: b, senders: { sameHost: 3, otherHost: 2, hosts: 2 } }',
      'w',
    ).tenants;
    expect(tenant.qps).toBe(7);
    expect(routesOf(tenant)).toEqual([
      { from: 'a', to: 'b', qps: 2 },
      { from: 'c', to: 'b', qps: 2 },
      { from: 'b', to: 'b', qps: 3 },
    ]);
  });

  it('takes letters, places, names and devices for hosts', () => {
    const routes = (text: string) =>
      routesOf(parseWorkload(text, 'w').tenants[0]).map(({ from, to }) => `${from}>${to}`);
    expect(routes('{ from: h3, to: h100 }')).toEqual(['h3>h100']);
    expect(routes('{ from: h0/rnic0, to: h0/rnic1 }')).toEqual(['h0/rnic0>h0/rnic1']);
    expect(routes('{ direction: nToOne, to: h1, senders: { hosts: 3 } }')).toEqual([
      'h0>h1',
      'h2>h1',
      'h3>h1',
    ]);
    expect(routes('{ direction: nToOne, to: server, senders: { hosts: 2 } }')).toEqual([
      'h0>server',
      'h1>server',
    ]);
    expect(routes('{ direction: nToOne, senders: { hosts: [x, y/rnic1], otherHost: 2 } }')).toEqual([
      'x>b',
      'y/rnic1>b',
    ]);
    expect(routes('{ direction: nToOne, senders: { hosts: 30 } }').slice(24)).toEqual([
      'z>b',
      'h26>b',
      'h27>b',
      'h28>b',
      'h29>b',
      'h30>b',
    ]);
  });

  it.each([
    ['name: x\nqps: many', 'w.yaml:2', 'qps', "wrong type, given 'many', allowed: a whole number"],
    ['name: x\nqps: -1', 'w.yaml:2', 'qps', 'a whole number from 0 to 1000000'],
    ['name: x\nqps: 0', 'w.yaml:2', 'qps', '1 or more, or control verbs'],
    ['qps: 1\nqsp: 2', 'w.yaml:2', 'qsp', '(did you mean qps?)'],
    ['\n\nopcode: WRIT', 'w.yaml:3', 'opcode', '(did you mean WRITE?)'],
    ['opcode: [{ opcode: WRIET, share: 1 }]', 'w.yaml:1', 'opcode[0].opcode', '(did you mean WRITE?)'],
    ['opcode: [{ opcode: WRITE }]', 'w.yaml:1', 'opcode[0].share', 'the field is missing'],
    ['opcode: 7', 'w.yaml:1', 'opcode', 'or a list of 1 to 16'],
    [
      'mtu: 1500',
      'w.yaml:1',
      'mtu',
      'not one of its values, given 1500, allowed: 256, 512, 1024, 2048, 4096',
    ],
    ['qps: 2.5', 'w.yaml:1', 'qps', 'not a whole number'],
    ['rateLimit: { gbps: 0 }', 'w.yaml:1', 'rateLimit.gbps', 'a number above 0, up to 100000'],
    ['tenants: [{ qsp: 1 }]', 'w.yaml:1', 'tenants[0].qsp', '(did you mean qps?)'],
    ['"$schema": 7', 'w.yaml:1', '$schema', 'text'],
    ['sizes:\n  - 64\n  - -1', 'w.yaml:3', 'sizes[1]', ''],
    ['transport: UD\nopcode: WRITE', 'w.yaml:2', 'opcode', 'SEND'],
    ['transport: UD\nopcode: SEND\nmtu: 1024\nsizes: [2048]', 'w.yaml:4', 'sizes', '1024'],
    ['sendQueueDepth: 8\nbatch: 16', 'w.yaml:2', 'batch', '8'],
    ['outstanding: 4\nbatch: 8', 'w.yaml:1', 'outstanding', '8 to 128'],
    ['signalEvery: 100\noutstanding: 50', 'w.yaml:1', 'signalEvery', '100'],
    ['opcode: FETCH_ADD\nsizes: [16]', 'w.yaml:2', 'sizes', '[8]'],
    ['sge: 2\nsizes: [[1, 2, 3]]', 'w.yaml:2', 'sizes', '2'],
    ['direction: nToOne', 'w.yaml:1', 'senders', 'sameHost'],
    ['to: a', 'w.yaml:1', 'to', 'other than a'],
    ['memory: { c: gpu0 }', 'w.yaml:1', 'memory.c', 'a, b'],
    ['from: b\nto: h1', 'w.yaml:2', 'to', 'other than b'],
    ['to: h4096', 'w.yaml:1', 'to', 'h4095'],
    ['to: a/b/c', 'w.yaml:1', 'to', 'a host (a, h0, or its name), or a device of one (h0/rnic1)'],
    ['memory: { "a b": gpu0 }', 'w.yaml:1', 'memory.a b', 'a host'],
    ['memory: { a: gpu0, "h1/rnic0": gpu1 }', 'w.yaml:1', 'memory.h1/rnic0', 'a, b'],
    [
      'direction: nToOne\nsenders: { hosts: [a, c, h2] }',
      'w.yaml:2',
      'senders.hosts[2]',
      'other than b, each once',
    ],
    ['receives: none', 'w.yaml:1', 'receives', 'SEND'],
    ['rateLimit: {}', 'w.yaml:1', 'rateLimit', 'gbps'],
    ['tenants:\n  - { sizes: [1] }\n  - { batch: 999 }', 'w.yaml:3', 'tenants[1].batch', '128'],
    ['tenants:\n  - { name: x }\n  - { name: x }', 'w.yaml:3', 'tenants[1].name', 'of its own'],
    ['tenants: []', 'w.yaml:1', 'tenants', 'a list of 1 to 1000'],
    ['startNs: 5\nstopNs: 5', 'w.yaml:2', 'stopNs', 'more than'],
    ['measure: { minNs: 10000, maxNs: 5000 }', 'w.yaml:1', 'measure.maxNs', '10000'],
    ['settings: { acs: maybe }', 'w.yaml:1', 'settings.acs', 'direct, redirect'],
    ['mode: pingPong\nbatch: 2', 'w.yaml:2', 'batch', '1'],
  ])('refuses %j at %s, naming %s', (text, place, field, allowed) => {
    const error = refusal(text);
    expect(error.code).toBe('WORKLOAD_INVALID');
    expect(error.field).toBe(field);
    expect(error.message.replace(/:\d+: /, ': ')).toContain(`${place}: ${field}: `);
    expect(error.message).toContain(allowed);
  });

  it('lists everything that is wrong', () => {
    const text = 'qps: -1\nbatch: 4\nqsp: 3\nsizes: [1, x]\ntransport: IWARP';
    expect(refusal(text).message.split('\n')).toEqual([
      'w.yaml:1:6: qps: too small, given -1, allowed: a whole number from 0 to 1000000',
      'w.yaml:3:1: qsp: there is no such field (did you mean qps?), allowed: see docs/workload.md',
      "w.yaml:4:12: sizes[1]: wrong type, given 'x', allowed: a whole number from 0 to 2147483648, or a list of 1 to 256",
      "w.yaml:5:12: transport: not one of its values, given 'IWARP', allowed: RC, UC, UD",
    ]);
    expect(refusal('sizes: 4096').message).toBe(
      'w.yaml:1:8: sizes: wrong type, given 4096 (did you mean [4096]?), allowed: a list of 1 to 1024',
    );
    const contradictions = 'tenants:\n  - { batch: 999 }\n  - { name: tenant0, to: a }';
    expect(refusal(contradictions).message.match(/tenants\[\d\]\.\w+/g)).toEqual([
      'tenants[0].batch',
      'tenants[1].name',
      'tenants[1].to',
    ]);
  });

  it('takes the name of its schema, by which editors find it', () => {
    expect(parseWorkload('{ "$schema": "workload.schema.json", "qps": 2 }', 'w.json').tenants[0].qps).toBe(2);
  });

  it('says of a value of a program which field it is', () => {
    expect(() => resolveWorkload({ qps: 2.5 })).toThrow(
      'qps: not a whole number, given 2.5, allowed: a whole number from 0 to 1000000',
    );
  });

  it.each(['a: [', 'just text', '- 1', '', `${'['.repeat(20000)}`, 'a: *nothing'])(
    'refuses what is no description: %#',
    (text) => {
      expect(['YAML_SYNTAX', 'WORKLOAD_INVALID']).toContain(refusal(text).code);
      expect(refusal(text).message).toContain('w.yaml:1');
    },
  );

  it.each([
    ['flow', `tenants: ${'['.repeat(200)}${']'.repeat(200)}`],
    ['blocks', `tenants:\n  ${'- '.repeat(300)}1`],
    ['far too deep', '['.repeat(200_000)],
  ])('refuses what is nested too deeply: %s', (_, text) => {
    expect(refusal(text).message).toMatch(/nested too deeply.*up to 64 levels/);
  });

  it('has a published schema that is current (vitest -u writes it anew)', async () => {
    await expect(`${JSON.stringify(workloadJsonSchema(), null, 2)}\n`).toMatchFileSnapshot(
      '../../../docs/schema/workload.schema.json',
    );
  });
});
