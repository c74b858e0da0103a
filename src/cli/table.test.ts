import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { commands } from './commands/index.js';
import { describeOption } from './option.js';
import { type Outcome, typed } from './testing/typed.js';

// Goal: every command keeps the promises that all commands make: help that names its defaults, JSON, one form of errors,
// and exit codes. Method: a table with a row per command, run in this process.

const root = mkdtempSync(join(tmpdir(), 'kelpie-table-'));
afterAll(() => rmSync(root, { recursive: true }));
const at = (name: string) => join(root, name);

writeFileSync(at('few.yaml'), 'name: few\nqps: 1\nsizes: [512]\niterations: 20\n');
writeFileSync(
  at('star.yaml'),
  'topology: { kind: leaf-spine, leaves: 2, spines: 1, hostsPerLeaf: 3 }\nworkload:\n  - { kind: incast, fanIn: 3, bytes: 20000 }\ncontrol: none\n',
);
writeFileSync(at('rehearsal.yaml'), 'name: quick\njob: rehearsal\ntasks: 2\ndraws: 1\n');
const sets = at('sets.json');
writeFileSync(sets, '{ "format": "kelpie-hunt/1", "subsystem": "collie-f", "anomalies": [] }');
const space = at('space.yaml');
writeFileSync(
  space,
  'transport: RC\nopcode: WRITE\nqps: 1\nmrs: 1\nqueueDepth: 16\nbatch: 1\nsge: 1\nmtu: 4096\nsizes: { min: 4096, max: 4096, length: 1 }\nmemory: memory0\ndirection: uni\nmrBytes: 65536\n',
);
mkdirSync(at('board'));

/** What is typed after the command's name, and what comes of it. */
interface Row {
  normal: readonly string[];
  /** 0 unless set. */
  code?: number;
  /** An argument or a flag with a value that is not taken. */
  badValue: readonly string[];
  /** A file that is not there; undefined where the command reads none. */
  missing?: readonly string[];
  /** The other side, for commands that need one. */
  peer?: readonly string[];
}

let ports = 29_315;
/** A server and a client of the software device, each on an address of its own. */
const pair = (
  words: readonly string[],
  flags: readonly string[],
  port: string,
): Pick<Row, 'normal' | 'peer'> => {
  const both = [...flags, port, String(++ports)];
  return {
    peer: [...words, ...both, '--bind', '127.0.9.11'],
    normal: [...words, '127.0.9.11', ...both, '--bind', '127.0.9.12'],
  };
};

const none = at('none.yaml');
const rows: Readonly<Record<string, Row>> = {
  init: { normal: [at('fresh'), '--force'], badValue: ['devise', root] },
  subsystems: { normal: [], badValue: ['--profile', root], missing: ['--profile', none] },
  devices: { normal: [], badValue: ['--profile', root], missing: ['--profile', none] },
  show: { normal: ['collie-f'], badValue: ['colie-f'], missing: ['collie-f', '--profile', none] },
  hunt: {
    normal: ['--budget', '1', '--space', space, '--workers', '1', '--folder', at('hunts')],
    badValue: ['--budget', 'long'],
    missing: ['--space', none],
  },
  isolate: {
    normal: [
      '--attacker',
      'PU-RNR_UC-RNR',
      '--victim',
      'large_bw_write',
      '--workers',
      '1',
      '--provider',
      'ideal',
    ],
    badValue: ['--guarantee', '0'],
    missing: ['--profile', none],
  },
  ping: {
    normal: ['--host', 'single-rnic', '--repetitions', '1'],
    badValue: ['--repetitions', 'few'],
    missing: ['--profile', none],
  },
  advise: { normal: [at('few.yaml'), '--sets', sets], badValue: [sets, '--sets', sets], missing: [none] },
  run: { normal: [at('few.yaml')], badValue: [at('few.yaml'), '--seed', 'x'], missing: [none] },
  bw: {
    normal: ['write', '-n', '20'],
    badValue: ['write', '-n', 'x'],
    missing: ['write', '--profile', none],
  },
  lat: { normal: ['write', '-n', '20'], badValue: ['writ'], missing: ['write', '--profile', none] },
  pingpong: { ...pair(['rc'], ['-n', '10'], '-p'), badValue: ['tcp'] },
  rdmacm: { ...pair(['ucmatose'], [], '-p'), badValue: ['rping'] },
  rping: {
    normal: ['--provider', 'ideal', '-C', '2'],
    badValue: ['--provider', 'ideal', '-C', '0'],
    missing: ['--provider', 'simulated', '-C', '2', '--profile', none],
  },
  qperf: {
    normal: ['127.0.9.11', 'rc_lat', '-t', '1', '-p', '29399', '--bind', '127.0.9.12'],
    peer: ['-p', '29399', '-c', '1', '--bind', '127.0.9.11'],
    badValue: ['127.0.0.1', 'no_such_test'],
  },
  capture: {
    normal: [at('few.yaml'), '-o', at('few.pcapng')],
    badValue: [at('few.yaml'), '-c', '0'],
    missing: [none],
  },
  fabric: { normal: [at('star.yaml')], badValue: [at('few.yaml')], missing: [none] },
  compare: {
    normal: ['--ledger', '--subsystems', 'srnic', '--sweep', 'connections=10', '--workers', '1'],
    badValue: ['--ledger', '--subsystems', 'snric'],
    missing: ['--subsystems', 'srnic', '--workload', none],
  },
  sweep: {
    normal: [at('few.yaml'), '--vary', 'qps=1,2', '--metric', 'goodputGbps', '--workers', '1'],
    badValue: [at('few.yaml'), '--vary', 'qsp=1,2'],
    missing: [none, '--vary', 'qps=1,2'],
  },
  diff: { normal: [sets, sets], badValue: [space, sets], missing: [none, sets] },
  ledger: {
    normal: ['srnic-fpga-100g'],
    badValue: ['srnic-fpga-10g'],
    missing: ['srnic-fpga-100g', '--profile', none],
  },
  headroom: { normal: [], badValue: ['--speed', 'fast'] },
  campaign: {
    normal: ['run', at('rehearsal.yaml'), '--workers', '1', '--folder', at('campaigns')],
    badValue: ['walk'],
    missing: ['run', none],
  },
  // Nobody answers there: nats.test.ts has workers with a server.
  worker: {
    normal: ['--nats', 'nats://127.0.0.1:1', '--idle', '1'],
    code: 3,
    badValue: ['--nats', 'http://127.0.0.1:1'],
    missing: ['--nats', 'nats://127.0.0.1:1', '--creds', none],
  },
  serve: {
    normal: ['--port', '0', '--for', '1s', '--folder', at('lab')],
    badValue: ['--port', 'any'],
    missing: ['--profile', none],
  },
  reproduce: { normal: ['P6', '--workers', '1', '--board', at('board')], badValue: ['P66'] },
  conform: {
    normal: ['--provider', 'ideal', '--only', 'rc goes from'],
    badValue: ['--provider', 'real'],
    missing: ['--profile', none],
  },
  completion: { normal: ['bash'], badValue: ['tcsh'] },
  doctor: { normal: [], badValue: ['now'], missing: ['--host', '--import', none] },
};

it('has a row for every command', () => {
  expect(Object.keys(rows).sort()).toEqual(commands.map(({ name }) => name).sort());
});

/** Flags and arguments that name a file to read, rather than one to write or a folder of our own. */
const READS = /^--(profile|space|sets|import|workload|ns3|context|creds|nkey|tlsca|tlscert|tlskey)\b/;

it('has a missing file for every command that reads one', async () => {
  for (const { name, load, arguments: words = '' } of commands) {
    const { options } = await load();
    const reads =
      options.some(({ flags }) => READS.test(flags)) || /workload|file|fabric|before|after/.test(words);
    expect([name, rows[name].missing !== undefined]).toEqual([name, reads]);
  }
});

/** Runs a row, with its other side where it has one. */
async function run(name: string, argv: readonly string[], row: Row, signal?: AbortSignal): Promise<Outcome> {
  const options = signal === undefined ? {} : { signal };
  if (row.peer === undefined || argv.length === 0) return typed([name, ...argv], options);
  const [outcome] = await Promise.all([typed([name, ...argv], options), typed([name, ...row.peer])]);
  return outcome;
}

/** An error has one form: what is wrong, and a code; as JSON too where that was asked for. */
function expectError({ code, out, err }: Outcome, json = false): void {
  expect(code, err).toBe(2);
  expect(err).toMatch(/^(kelpie: .* \[[A-Z_]+\]\n)+$/);
  expect(err).not.toMatch(/undefined|\[object/);
  if (!json) return;
  const { error, exitCode } = JSON.parse(out) as {
    error: { code: string; message: string };
    exitCode: number;
  };
  expect(exitCode).toBe(2);
  expect(err).toContain(`[${error.code}]`);
}

describe.each(Object.entries(rows))('kelpie %s', (name, row) => {
  it('--help names its flags and their defaults', async () => {
    const { code, out, err } = await typed([name, '--help']);
    expect([code, err]).toEqual([0, '']);
    const { options, examples = [] } = await commands.find((each) => each.name === name)!.load();
    const words = out.replaceAll(/\s+/g, ' ');
    for (const option of options) {
      expect(words).toContain(option.flags);
      expect(words).toContain(describeOption(option).replaceAll(/\s+/g, ' '));
      const takesValue = /[<[]/.test(option.flags);
      if (takesValue) expect(words.slice(words.indexOf(option.flags))).toMatch(/default/);
    }
    for (const example of examples) expect(out).toContain(example);
  });

  it('runs', async () => {
    const { code, out, err } = await run(name, row.normal, row);
    expect(code, err).toBe(row.code ?? 0);
    expect(out.length).toBeGreaterThan(0);
  });

  it('prints JSON', async () => {
    const { code, out, err } = await run(name, [...row.normal, '--json'], row);
    expect(code, err).toBe(row.code ?? 0);
    expect(() => JSON.parse(out)).not.toThrow();
  });

  it('refuses a flag that it has not', async () => {
    expectError(await typed([name, ...row.normal, '--no-such-flag', '--json']), true);
  });

  it('refuses a bad value', async () => {
    expectError(await typed([name, ...row.badValue]));
    expectError(await typed([name, ...row.badValue, '--json']), true);
  });

  if (row.missing !== undefined)
    it('says that a file is missing', async () => {
      const outcome = await typed([name, ...row.missing!]);
      expectError(outcome);
      expect(outcome.err).toContain('there is no such file');
    });

  it('ends with 130 when it is interrupted', async () => {
    const { code, err } = await typed([name, ...row.normal], { signal: AbortSignal.abort() });
    expect(code, err).toBe(130);
    expect(err).toContain('kelpie: interrupted');
  });
});

it.each([
  [['hnut'], 'did you mean hunt?'],
  [['hunt', '--bugdet', '3'], 'did you mean --budget?'],
  [['bw', 'write', '--provider', 'simulatd'], 'did you mean simulated?'],
  [['bw', 'write', '--subsystem', 'colie-f'], 'did you mean collie-f?'],
  [['show', 'conectx-6-100g'], 'did you mean connectx-6-100g?'],
  [['run', at('fwe.yaml')], 'did you mean few.yaml?'],
])('says what was probably meant: %j', async (argv, words) => {
  const { code, err } = await typed(argv);
  expect(code).toBe(2);
  expect(err).toContain(words);
});
