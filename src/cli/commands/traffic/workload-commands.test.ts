import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { Measurement } from '../../../workload/index.js';
import { typed } from '../../testing/typed.js';

// Goal: what a person types comes out as documented: results on out, complaints on err, and the exit code.

const folder = mkdtempSync(join(tmpdir(), 'kelpie-workload-'));
afterAll(() => rmSync(folder, { recursive: true }));

const kelpie = (argv: readonly string[], signal?: AbortSignal) =>
  typed(argv.includes('--provider') ? argv : [...argv, '--provider', 'ideal'], { signal });

function file(text: string): string {
  const path = join(folder, `w${Math.abs(hash(text))}.yaml`);
  writeFileSync(path, text);
  return path;
}

function hash(text: string): number {
  return [...text].reduce((sum, letter) => (Math.imul(sum, 31) + letter.charCodeAt(0)) | 0, 0);
}

/** A signal that is given when it is looked at for this time: an event of the run, whatever the machine's speed. */
function abortedAtLook(looks: number): AbortSignal {
  const interrupt = new AbortController();
  let seen = 0;
  return Object.defineProperty(interrupt.signal, 'aborted', {
    get: () => {
      if (++seen === looks) interrupt.abort();
      return seen >= looks;
    },
  });
}

const measure = 'measure: { sliceNs: 5000, minNs: 100000, maxNs: 200000 }';
const workload = file(`name: two ways\ndirection: bi\nsendQueueDepth: 8\nsizes: [4096]\n${measure}\n`);

describe('kelpie run', () => {
  it('prints a report with rates each way, hosts, verdict and notes', async () => {
    const { code, out, err } = await kelpie(['run', workload]);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    for (const words of [
      'two ways on ideal, seed 1',
      'steady:',
      'a to b',
      'b to a',
      'host b',
      'verdict: no anomaly',
      'note: ideal devices',
    ])
      expect(out).toContain(words);
  });

  it('prints the Measurement as JSON, the same twice but for the wall time', async () => {
    const runs = [
      await kelpie(['run', workload, '--json', '--seed', '7']),
      await kelpie(['run', workload, '--json', '--seed', '7']),
    ];
    const [one, other] = runs.map(({ out }) => JSON.parse(out) as Measurement);
    expect(one.wallSeconds).toBeGreaterThan(0);
    expect({ ...one, wallSeconds: 0 }).toEqual({ ...other, wallSeconds: 0 });
    expect(one).toMatchObject({
      format: 'kelpie-measurement/1',
      seed: 7,
      partial: false,
      provider: 'ideal',
      workload: { name: 'two ways' },
    });
  });

  it('fails on a threshold that does not hold, and only then', async () => {
    expect(
      (await kelpie(['run', workload, '--assert', 'goodputGbps>=1', '--assert', 'dropped==0'])).code,
    ).toBe(0);
    const missed = await kelpie([
      'run',
      workload,
      '--assert',
      'tenant.two ways.latencyNs.p99 < 1',
      'goodputGbps>=1',
      'host.a.counters.out_of_buffer>0',
    ]);
    expect(missed.code).toBe(1);
    expect(missed.err).toContain('tenant.two ways.latencyNs.p99 < 1 does not hold');
    expect(missed.err).toContain('out_of_buffer>0 does not hold: 0');
    expect(missed.err).not.toContain('goodputGbps');
    const silent = await kelpie(['run', workload, '--assert', 'pauseRatio<=0.001']);
    expect(silent.code).toBe(1);
    expect(silent.err).toContain('the provider does not say');
  });

  it('refuses to hold a threshold against a percentile that the samples cannot carry', async () => {
    const few = file('sizes: [64]\nmode: pingPong\nopcode: SEND\niterations: 20\n');
    const { code, out, err } = await kelpie([
      'run',
      few,
      '--assert',
      'latencyNs.p99<1e9',
      'latencyNs.p50<1e9',
    ]);
    expect(code).toBe(1);
    expect(err).toBe(
      'kelpie: latencyNs.p99<1e9 does not hold: 20 samples are too few for it; it takes 100 [ASSERTION]\n',
    );
    expect(out).toMatch(/tenant workload .* - +- +20\n/);
  });

  it.each([
    ['a missing file', ['run', join(folder, 'none.yaml')], 'WORKLOAD_UNREADABLE'],
    [
      'a bad field',
      ['run', file('qps: -1')],
      ':1:6: qps: too small, given -1, allowed: a whole number from 0 to 1000000 [WORKLOAD_INVALID]\n',
    ],
    ['two bad fields', ['run', file('qps: -1\nqsp: 2')], 'qsp: there is no such field (did you mean qps?)'],
    [
      'more than the device has',
      ['run', file('tenants:\n  - {}\n  - { sge: 200 }'), '--provider', 'simulated'],
      ':3:12: tenants[1].sge: a number is outside what the device allows, given 200, allowed: an integer from 0 to 30 [WORKLOAD_REFUSED]\n',
    ],
    [
      'a memory that the host has not',
      ['run', file('qps: 1\nmemory: gpu9'), '--provider', 'simulated'],
      ":2:9: memory: h0/rnic0 has no such place for memory, given 'gpu9', allowed: memory0, memory1, gpu0 [WORKLOAD_REFUSED]\n",
    ],
    ['a bad seed', ['run', workload, '--seed', 'x'], '--seed'],
    ['a bad provider', ['run', workload, '--provider', 'imaginary'], 'imaginary'],
    ['a profile where there is none', ['run', workload, '--subsystem', 'F'], '--subsystem'],
    ['an unknown metric', ['run', workload, '--assert', 'speed>3'], '--assert'],
    ['a threshold of another tenant', ['run', workload, '--assert', 'tenant.x.goodputGbps>3'], '--assert'],
    ['no threshold', ['run', workload, '--assert', 'goodputGbps'], '--assert'],
    ['no file', ['run'], 'an argument is missing; workload'],
  ])('refuses %s with exit 2 and prints no result', async (_, argv, words) => {
    const { code, out, err } = await kelpie(argv);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain(words);
  });

  it('runs between devices of a world, by their names', async () => {
    const devices = file(`from: h0/rnic2\nto: b/rnic1\nqps: 4\n${measure}\n`);
    const argv = ['run', devices, '--provider', 'simulated', '--world', 'two-servers'];
    const { out, err } = await typed([...argv, '--assert', 'host.h0/rnic2.counters.tx_packets_phy>0']);
    expect(err).not.toContain('kelpie:');
    for (const words of ['(two-servers)', 'h0/rnic2 to b/rnic1', 'device h0/rnic0', 'device b/rnic0'])
      expect(out).toContain(words);
    const missing = await typed(['run', file('to: h1/rnic7'), ...argv.slice(2)]);
    expect(missing).toMatchObject({ code: 3, out: '' });
    expect(missing.err).toContain("host h1 has no device with this name; device is 'h1/rnic7'");
    const both = await typed([...argv, '--subsystem', 'collie-a']);
    expect(both.code).toBe(2);
    expect(both.err).toContain('--subsystem and --world exclude each other');
  });

  it('prints what there is when it is interrupted, marked partial', async () => {
    const long = file('sizes: [64]\nsendQueueDepth: 2\nmeasure: { minNs: 1e9, maxNs: 1e9 }');
    const { code, out } = await kelpie(['run', long, '--json'], abortedAtLook(20));
    const measurement = JSON.parse(out) as Measurement;
    expect(code).toBe(130);
    expect(measurement.partial).toBe(true);
    expect(measurement.simulatedNs).toBeLessThan(1e9);
  });
});

describe('kelpie bw', () => {
  it("prints perftest's header and columns", async () => {
    const { code, out } = await kelpie([
      'bw',
      'write',
      '-s',
      '4096',
      '-q',
      '2',
      '-t',
      '16',
      '-n',
      '500',
      '-m',
      '1024',
    ]);
    expect(code).toBe(0);
    expect(out).toContain('RDMA_Write BW Test');
    expect(out).toMatch(/Number of qps {3}: 2 +Device {9}: ideal0/);
    expect(out).toContain('CQ Moderation   : 16');
    expect(out).toMatch(/#bytes +#iterations +BW peak\[MiB\/sec\] +BW average\[MiB\/sec\] +MsgRate\[Mpps\]/);
    expect(out).toMatch(/^ 4096 +1000 +[\d.]+ +[\d.]+ +[\d.]+$/m);
  });

  it('knows both directions, gigabits and all sizes', async () => {
    const { out } = await kelpie([
      'bw',
      'send',
      '-c',
      'UD',
      '-m',
      '1024',
      '-a',
      '-b',
      '-n',
      '20',
      '-t',
      '4',
      '--report_gbits',
    ]);
    expect(out).toContain('Send Bidirectional BW Test');
    expect(out).toContain('BW average[Gb/sec]');
    expect([...out.matchAll(/^ (\d+) +\d+ /gm)].map(([, size]) => Number(size))).toEqual([
      2, 4, 8, 16, 32, 64, 128, 256, 512, 1024,
    ]);
  });

  it('maps its flags onto the workload', async () => {
    const argv = [
      'bw',
      'atomic',
      '-A',
      'CMP_AND_SWAP',
      '-l',
      '4',
      '-t',
      '32',
      '-r',
      '64',
      '-o',
      '8',
      '-I',
      '16',
      '-S',
      '3',
      '--tos',
      '106',
      '--rate_limit',
      '5',
      '-D',
      '0.0001',
      '--json',
    ];
    const [measurement] = JSON.parse((await kelpie(argv)).out) as Measurement[];
    expect(measurement.workload.tenants[0]).toMatchObject({
      opcode: 'COMPARE_SWAP',
      batch: 4,
      signalEvery: 4,
      sendQueueDepth: 32,
      receiveQueueDepth: 64,
      maxRdAtomic: 8,
      inlineBytes: 16,
      serviceLevel: 3,
      trafficClass: 106,
      rateLimit: { gbps: 5 },
      sizes: [8],
    });
    expect(measurement.simulatedNs).toBe(100_000);
  });

  it.each([
    ['no such test', ['bw', 'paint'], 'write, read, send, atomic'],
    ['a size that is none', ['bw', 'write', '-s', 'big'], '--size'],
    ['two ends', ['bw', 'write', '-n', '5', '-D', '1'], '--iters or --duration'],
    ['an odd MTU', ['bw', 'write', '-m', '1000'], 'mtu'],
    ['UC READ', ['bw', 'read', '-c', 'UC'], 'UC has no READ'],
    ['a flag of the other test', ['lat', 'write', '-b'], '--bidirectional'],
  ])('refuses %s with exit 2', async (_, argv, words) => {
    const { code, out, err } = await kelpie(argv);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain(words);
  });
});

describe('kelpie lat', () => {
  it.each([
    ['write', 'RDMA_Write Latency Test'],
    ['send', 'Send Latency Test'],
    ['read', 'RDMA_Read Latency Test'],
    ['atomic', 'Atomic Latency Test'],
  ])("prints perftest's columns for %s", async (verb, title) => {
    const { code, out } = await kelpie([
      'lat',
      verb,
      '-n',
      '100',
      ...(verb === 'atomic' ? [] : ['-s', '64']),
    ]);
    expect(code).toBe(0);
    expect(out).toContain(title);
    expect(out).toMatch(
      /t_min\[usec\] +t_max\[usec\] +t_typical\[usec\] +t_avg\[usec\] +t_stdev\[usec\] +99% percentile\[usec\] +99.9% percentile\[usec\]/,
    );
    expect(out).toMatch(/^ (64|8) +100 +(\d+\.\d\d +){6}-$/m);
  });
});

describe('what limited a run', () => {
  const simulated = ['--provider', 'simulated'];

  it('is named by run, bw and lat', async () => {
    const slow = file('sizes: [8]\nthreads: 1\nmeasure: { minNs: 100000, maxNs: 100000 }\n');
    const ran = await kelpie(['run', slow, ...simulated]);
    expect(ran.out).toContain('limited by: posting core of host a: the busiest is 100 % busy');
    const rate = await kelpie(['bw', 'write', '-s', '8', ...simulated]);
    expect(rate.out).toMatch(/\nlimited by: posting core of host a/);
    expect(rate.out).not.toContain('note:');
    const long = await kelpie(['bw', 'write', '-s', '2147483648', '-D', '0.0002', ...simulated]);
    expect(long.out).toContain('\nnote: no message of 2147483648 B ended while it was measured;');
    const latency = await kelpie(['lat', 'send', '-s', '8', '-n', '20', ...simulated]);
    expect(latency.out).toMatch(/\nlimited by: the workload, a to b: it sends one message at a time/);
  });

  it('is proved by --explain, as text and as JSON', async () => {
    const argv = ['bw', 'write', '-s', '8', '-D', '0.0002', '--explain', ...simulated];
    const { code, out } = await kelpie(argv);
    expect(code).toBe(0);
    expect(out).toMatch(
      /\nexplained: if the cores are twice as fast, it is 1\.\d+ times as fast; this proves what was named: posting core/,
    );
    const [measurement] = JSON.parse((await kelpie([...argv, '--json'])).out);
    expect(measurement.explanation.cause).toMatchObject({
      name: 'the cores are twice as fast',
      matters: true,
    });
    const refused = await kelpie(['bw', 'write', '--explain']);
    expect(refused).toMatchObject({ code: 2 });
    expect(refused.err).toContain('--explain');
  });
});
