import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { runFile } from '../../../models/fabric/testing/runs.js';
import { typed } from '../../testing/typed.js';

const root = mkdtempSync(join(tmpdir(), 'kelpie-fabric-'));
afterAll(() => rmSync(root, { recursive: true }));
cpSync(fileURLToPath(new URL('../../../models/fabric/testing/runs', import.meta.url)), root, {
  recursive: true,
});

/** A configuration beside the reference runs, with lines changed. */
function configuration(name: string, from: string, changes: Record<string, string>): string {
  let text = runFile(`${from}.config.txt`);
  for (const [key, value] of Object.entries(changes))
    text = text.replace(new RegExp(`^${key} .*$`, 'm'), `${key} ${value}`);
  const file = join(root, name);
  writeFileSync(file, text);
  return file;
}

describe('kelpie fabric --ns3', () => {
  it('writes the FCT and PFC files of ns-3 beside the configuration', async () => {
    const file = configuration('pfc.txt', 'g92-timely', {
      BUFFER_SIZE: '2',
      FCT_OUTPUT_FILE: 'got.fct',
      PFC_OUTPUT_FILE: 'got.pfc',
    });
    const { code, out, err } = await typed(['fabric', '--ns3', file, '--json']);
    expect([code, err]).toEqual([0, '']);
    expect(readFileSync(join(root, 'got.fct'), 'utf8')).toBe(runFile('g92-timely-b2.fct'));
    const answer = JSON.parse(out);
    expect(answer).toMatchObject({ flows: 92, finished: 92, partial: false, drops: 0, lost: 0 });
    const pauses = readFileSync(join(root, 'got.pfc'), 'utf8').trim().split('\n');
    expect(pauses.length).toBe(answer.pauseFrames + answer.resumeFrames);
    expect(pauses[0]).toMatch(/^20000\d{5} \d+ [01] \d+ 1$/);
    // 92 flows in groups of ten; the 32 of the incast have one size and stay together.
    expect(answer.bySize.length).toBe(7);
    const ranges = answer.bySize.flatMap((row: { fromBytes: number; toBytes: number }) => [
      row.fromBytes,
      row.toBytes,
    ]);
    expect(ranges).toEqual([...ranges].sort((a: number, b: number) => a - b));
    expect(new Set(ranges.filter((_: number, index: number) => index % 2 === 0)).size).toBe(7);
    expect(answer.slowdown.p99).toBe(null);
    expect(answer.slowdown.p95).toBeGreaterThan(answer.slowdown.p50);
  });

  it('prints a table for people', async () => {
    const file = configuration('table.txt', 'f2-dctcp', { FCT_OUTPUT_FILE: 'table.fct' });
    const { code, out } = await typed(['fabric', '--ns3', file]);
    expect(code).toBe(0);
    expect(out).toContain('2 of 2 flows done');
    expect(out).toMatch(/all +2 +1\.98/);
  });

  it('says what is wrong, and runs nothing', async () => {
    for (const [changes, message] of [
      [
        { TOPOLOGY_FILE: 'nowhere.txt' },
        /wrong.txt:\d+: there is no such file.*TOPOLOGY_FILE.*nowhere.txt.*where ns-3 is started/,
      ],
      [{ PFC_OUTPUT_FILE: 'nowhere/pfc.txt' }, /wrong.txt:\d+: there is no such folder.*PFC_OUTPUT_FILE/],
      [{ TOPOLOGY_FILE: 'f2.txt' }, /f2.txt:2/],
      [{ FLOW_FILE: 'star.txt' }, /star.txt:\d+/],
    ] as [Record<string, string>, RegExp][]) {
      const file = configuration('wrong.txt', 'f2-dctcp', { ...changes, FCT_OUTPUT_FILE: 'never.fct' });
      const { code, out, err } = await typed(['fabric', '--ns3', file]);
      expect([code, out]).toEqual([2, '']);
      expect(err).toMatch(message);
      expect(() => readFileSync(join(root, 'never.fct'))).toThrow();
    }
    const missing = await typed(['fabric', '--ns3', join(root, 'missing.txt')]);
    expect(missing.code).toBe(2);
    const none = await typed(['fabric']);
    expect([none.code, none.err]).toEqual([2, expect.stringContaining('--ns3')]);
    const both = await typed(['fabric', 'a.yaml', '--ns3', 'b.txt']);
    expect([both.code, both.err]).toEqual([2, expect.stringContaining('two things')]);
  });

  it('ends with 1 if a flow does not end before the stop', async () => {
    const file = configuration('stop.txt', 'f2-dctcp', {
      FCT_OUTPUT_FILE: 'stop.fct',
      SIMULATOR_STOP_TIME: '2.001',
    });
    const { code, out } = await typed(['fabric', '--ns3', file, '--json']);
    expect(code).toBe(1);
    expect(JSON.parse(out)).toMatchObject({ finished: 0, flows: 2, slowdown: null });
  });
});

describe('kelpie fabric FILE', () => {
  const good = `topology: { kind: leaf-spine, leaves: 3, spines: 2, hostsPerLeaf: 4, fabric: { gbps: 200 } }
workload:
  - { kind: poisson, sizes: fb-hadoop, load: 0.5, durationNs: 50000 }
  - { kind: incast, fanIn: 8, bytes: 100000, startNs: 5000, times: 2, periodNs: 20000 }
control: dctcp
failures: [{ link: [leaf 0, spine 1], downNs: 10000, upNs: 40000, times: 2, periodNs: 60000 }]
`;
  const file = (name: string, text: string) => {
    const path = join(root, name);
    writeFileSync(path, text);
    return path;
  };

  it('answers alike however the fabric is divided, and twice', async () => {
    const answers = [];
    for (const partitions of [1, 1, 2, 5]) {
      const path = file('good.yaml', `${good}partitions: ${partitions}\n`);
      const { code, out, err } = await typed(['fabric', path, '--json']);
      expect([code, err]).toEqual([1, '']);
      answers.push(out);
    }
    const first = JSON.parse(answers[0]);
    expect(first.finished).toBe(first.flows);
    expect(first.flows).toBeGreaterThan(30);
    expect(first.lost + first.drops).toBeGreaterThan(0);
    expect(new Set(answers).size).toBe(1);
    expect(first.series.length).toBeGreaterThan(50);
    expect(
      Math.max(...first.series.map((sample: { queuedBytes: number }) => sample.queuedBytes)),
    ).toBeGreaterThan(1e5);
    expect(first.links.length).toBe(first.linkDirections);
    expect(first.links[0].utilisation).toBeGreaterThan(0.3);
    expect(first.links[0].utilisation).toBeLessThanOrEqual(1);
  });

  it('writes a page with every link of the topology', async () => {
    const page = join(root, 'page.html');
    const { code, out } = await typed(['fabric', file('page.yaml', good), '--report', page]);
    expect(code).toBe(1);
    expect(out).toContain('busiest links');
    const html = readFileSync(page, 'utf8');
    expect(html.match(/<path class="u\d" [^>]*><title>/g)?.length).toBe(12 + 6);
    expect(html).toContain('leaf 0 to spine 1');
    expect(html).toContain('Slowdown by size');
  });

  it('tells of storms that watchdogs found, of pause trees and of deadlocks', async () => {
    const storm = file(
      'storm.yaml',
      `topology: { kind: leaf-spine, leaves: 2, spines: 1, hostsPerLeaf: 3 }
workload: [{ kind: incast, fanIn: 3, bytes: 500000, target: host 0 }]
control: none
pauses: { quanta: 65535 }
storms: [{ host: host 0, fromNs: 0, untilNs: 8000000 }]
watchdog: { detectNs: 2000000, restoreNs: 2000000, pollNs: 1000000 }
`,
    );
    const { code, out } = await typed(['fabric', storm, '--json']);
    const answer = JSON.parse(out);
    expect([code, answer.finished]).toEqual([1, 3]);
    expect(answer.watchdog[0]).toMatchObject({
      from: 'leaf 0',
      to: 'host 0',
      trafficClass: 3,
      kind: 'storm',
    });
    expect(answer.pauseTrees[0]).toMatchObject({ from: 'leaf 0', to: 'host 0' });
    expect(answer.deadlock).toBe(null);
    const { out: text } = await typed(['fabric', storm]);
    expect(text).toMatch(
      /each port holds those below it\nleaf 0 to host 0, \d+ bytes waiting\n {2}\w+ \d to leaf 0/,
    );
    const nodes = '15 5 15\n10 11 12 13 14\n';
    const ends = Array.from({ length: 10 }, (_, host) => [host, 10 + Math.floor(host / 2)]);
    for (let at = 0; at < 5; at++) ends.push([10 + at, 10 + ((at + 1) % 5)]);
    file('ring.txt', nodes + ends.map(([from, to]) => `${from} ${to} 100Gbps 1000ns 0`).join('\n'));
    const lines = Array.from({ length: 10 }, (_, host) => `${host} ${(host + 4) % 10} 3 100 20000000 0`);
    file('round.txt', `10\n${lines.join('\n')}\n`);
    const ring = file(
      'ring.yaml',
      'topology: { kind: file, file: ring.txt }\nworkload: [{ kind: flows, file: round.txt }]\ncontrol: none\nbuffer: { bytes: 2000000 }\n',
    );
    const stuck = await typed(['fabric', ring]);
    expect(stuck.code).toBe(1);
    expect(stuck.out).toMatch(
      /deadlock at [\d.]+ us: (switch 1\d to switch 1\d, ){4}switch 1\d to switch 1\d/,
    );
  });

  it('takes links that differ, each way by itself', async () => {
    const text = (links: string) =>
      `topology: { kind: star, hosts: 2 }\nworkload: [{ kind: incast, fanIn: 1, target: host 1, bytes: 1000000 }]\ncontrol: none\n${links}`;
    const mean = async (links: string) => {
      const { out } = await typed(['fabric', file('links.yaml', text(links)), '--json']);
      return JSON.parse(out).completionNs.mean;
    };
    const plain = await mean('');
    // 1,000 packets of 1,048 bytes at 10 instead of 100 Gb/s; the way back carries acknowledgements alone.
    const slow = await mean('links: [{ link: [host 0, switch], gbps: 10 }]');
    expect(slow / plain).toBeGreaterThan(8);
    const other = await mean('links: [{ link: [switch, host 0], gbps: 10 }]');
    expect(other / plain).toBeLessThan(1.2);
    expect(other).toBeGreaterThan(plain);
    const far = await mean('links: [{ link: [host 0, switch], delayNs: 501000 }]');
    expect(far - plain).toBe(500_000);
    const lossy = await typed([
      'fabric',
      file('lossy.yaml', text('links: [{ link: [0, 2], lossRate: 0.05 }]')),
      '--json',
    ]);
    expect(JSON.parse(lossy.out)).toMatchObject({ finished: 1 });
    expect(JSON.parse(lossy.out).lost).toBeGreaterThan(10);
    const wrong = await typed(['fabric', file('wrong.yaml', text('links: [{ link: [0, 1] }]'))]);
    expect([wrong.code, wrong.err]).toEqual([
      2,
      expect.stringMatching(/:4:.*links\[0\].link: no link connects/),
    ]);
  });

  it('reads topologies, flows and sizes from files beside it', async () => {
    const path = file(
      'files.yaml',
      'topology: { kind: file, file: star.txt }\nworkload:\n  - { kind: flows, file: f2.txt }\n  - { kind: poisson, sizes: sizes.txt, load: 0.1, durationNs: 10000 }\nstopNs: 2100000000\norder: ns3\n',
    );
    file('sizes.txt', '0 0\n1000 50\n5000 100\n');
    const { code, out, err } = await typed(['fabric', path, '--json']);
    expect([code, err]).toEqual([0, '']);
    expect(JSON.parse(out)).toMatchObject({ partial: false, drops: 0 });
  });

  it('runs full hosts among light ones, and has both in its answer', async () => {
    const example = fileURLToPath(
      new URL('../../../../examples/fabric/c12-in-a-fabric.yaml', import.meta.url),
    );
    // The example is of 320 hosts and 600 us; a pod of it is enough here.
    const text = readFileSync(example, 'utf8')
      .replace('pods: 5', 'pods: 1')
      .replace('[0, 160]', '[0, 63]')
      .replace('{ minNs: 500000, maxNs: 600000 }', '{ minNs: 300000, maxNs: 300000 }');
    const file = join(root, 'full.yaml');
    writeFileSync(file, text);
    const json = await typed(['fabric', file, '--json']);
    expect(json.code).toBe(0);
    const answer = JSON.parse(json.out);
    expect(answer).toMatchObject({ partial: false, drops: 0, full: { verdict: { symptom: 'pause' } } });
    const printed = await typed(['fabric', file, '--report', join(root, 'full.html')]);
    expect(printed.out).toContain('flows done');
    expect(printed.out).toContain('verdict: ANOMALY (pause)');
  });

  it.each([
    [
      'topology: { kind: star, hosts: 4 }\nworkload: []',
      /bad.yaml:2:11: workload: there is nothing to simulate/,
    ],
    [
      'topology: { kind: fat-tree }\nworkload: [{ kind: permutation, bytes: 9 }]',
      /bad.yaml:1:.*topology.ports: the field is missing/,
    ],
    [
      'topology: { kind: star, hosts: 4, ports: 4 }\nworkload: [{ kind: permutation, bytes: 9 }]',
      /topology.ports: star has no such field/,
    ],
    [
      'topology: { kind: fat-tree, ports: 5 }\nworkload: [{ kind: permutation, bytes: 9 }]',
      /topology.ports: not a multiple of 2, given 5, allowed: .*even/,
    ],
    [
      'topology: { kind: rail-pods, pods: 4096, serversPerPod: 4096, rails: 64, spines: 1 }\nworkload: [{ kind: permutation, bytes: 9 }]',
      /1073741824 hosts.*65536/,
    ],
    [
      'topology: { kind: star, hosts: 4 }\nworkload: [{ kind: poisson, bytes: 9 }]',
      /workload\[0\].sizes: the field is missing/,
    ],
    [
      'topology: { kind: star, hosts: 4 }\nworkload: [{ kind: incast, fanIn: 4, bytes: 9 }]',
      /fanIn: more senders.*1 to 3/,
    ],
    [
      'topology: { kind: star, hosts: 4 }\nworkload: [{ kind: poisson, sizes: websearch, load: 1, durationNs: 3600000000000 }]',
      /durationNs: too many flows/,
    ],
    [
      'topology: { kind: star, hosts: 4 }\nworkload: [{ kind: permutation, bytes: 9 }]\nfailures: [{ link: [host 0, host 1], downNs: 5 }]',
      /bad.yaml:3:20: failures\[0\].link: no link connects them/,
    ],
    [
      'topology: { kind: star, hosts: 4 }\nworkload: [{ kind: permutation, bytes: 9 }]\nfailures: [{ link: [0, switch], downNs: 5, upNs: 5 }]',
      /upNs: not after it fails/,
    ],
    [
      'topology: { kind: star, hosts: 4 }\nworkload: [{ kind: permutation, bytes: 9 }]\norder: ns3\npartitions: 2',
      /partitions: only the canonical order/,
    ],
    [
      'topology: { kind: star, hosts: 4 }\nworkload: [{ kind: permutation, bytes: 9 }]\nrecovery: { kind: selective, timeoutNs: 4 }',
      /recovery.timeoutNs: selective has no such field/,
    ],
    [
      'topology: { kind: file, file: nowhere.txt }\nworkload: [{ kind: permutation, bytes: 9 }]',
      /bad.yaml:1:\d+: topology.file: there is no such file, given 'nowhere.txt'/,
    ],
    ['topology: { kind: file, file: f2.txt }\nworkload: [{ kind: permutation, bytes: 9 }]', /f2.txt:2/],
    ['[1', /bad.yaml:1/],
    [
      'topology: { kind: star, hosts: 4 }\nworkload: [{ kind: all-reduce, bytes: 9 }]\norder: ns3',
      /bad.yaml:3:8: order: ns-3's order knows no flows that wait.*canonical/,
    ],
    [
      'topology: { kind: star, hosts: 4 }\nworkload: [{ kind: permutation, bytes: 9 }]\ncontrol: hpcc\ngenerations: { sender: gen1, receiver: gen3 }',
      /bad.yaml:4:14: generations: generations are of DCQCN.*dcqcn-nic/,
    ],
    [
      'topology: { kind: star, hosts: 4 }\nworkload: []\nfull:\n  hosts: [0, 1]\n  workload:\n    opcode: WROTE',
      /bad.yaml:6:13: full.workload.opcode: not one of its values, given 'WROTE'/,
    ],
    [
      'topology: { kind: star, hosts: 4 }\nworkload: []\nfull:\n  hosts: [0, 1]\n  subsystem: collie-ff\n  workload: { opcode: WRITE }',
      /bad.yaml:5:14: full.subsystem: there is no such subsystem, given 'collie-ff' \(did you mean collie-f\?\)/,
    ],
    [
      'topology: { kind: star, hosts: 4 }\nworkload: []\nfull:\n  hosts: [0, 0]\n  workload: { opcode: WRITE }',
      /bad.yaml:4:14: full.hosts\[1\]: a host that is full already/,
    ],
  ])('says what is wrong with %s', async (text, message) => {
    const { code, out, err } = await typed(['fabric', file('bad.yaml', text)]);
    expect([code, out]).toEqual([2, '']);
    expect(err).toMatch(message);
  });
});
