import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { findChromium } from '../../src/cli/testing/chromium.js';
import { bundleForBrowser, runInChromium, runWithoutNode } from './browser.js';
import { type CodeBlock, promisedLines } from './code-blocks.js';
import { exceptions } from './exceptions.js';
import { InstalledPackage, packPackage, type Tarball } from './installed-package.js';
import {
  blocksOf,
  compilePortable,
  compilePrograms,
  examplePrograms,
  faces,
  type Program,
  pages,
  programsOfFace,
  programsOfPage,
  roomOf,
  runProgram,
} from './programs.js';
import { shellCommands } from './shell-commands.js';

vi.setConfig({ testTimeout: 120_000 });

// Goal: what the pages promise is true for somebody who has nothing but the package.
// Method: pack it, install it into an empty folder, and there run every example of every face, every program of
// examples/ and every block of README.md and docs/, in JavaScript and in strict TypeScript.

/** A block ` ```text output` is what the program or the last command before it prints; KELPIE_PASTE=1 renews them all. */
const OUTPUT = 'output';

/** What the machine decides is not compared. */
function withoutTimes(text: string): string {
  return text.trimEnd().replaceAll(/\b\d+(\.\d+)? s\b/g, 'N s');
}

/** Puts what a command printed into the block behind it, by its place among the page's outputs. */
function paste(page: string, place: number, out: string): void {
  const fence = '```text output\n';
  const parts = readFileSync(page, 'utf8').split(fence);
  const rest = parts[place + 1];
  parts[place + 1] = `${out.trimEnd()}\n${rest.slice(rest.indexOf('```'))}`;
  writeFileSync(page, parts.join(fence));
}

const programs = [
  ...faces().flatMap(programsOfFace),
  ...pages().flatMap(programsOfPage),
  ...examplePrograms(),
];

let folder: string;
let tarball: Tarball;
let installed: InstalledPackage;
let complaints: string[];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'kelpie-pack-'));
  tarball = packPackage(folder);
  installed = new InstalledPackage(tarball);
  for (const page of pages()) {
    installed.write(`${roomOf(page)}/package.json`, '{ "type": "module" }\n');
    for (const { file, text } of blocksOf(page))
      if (file !== null && file !== OUTPUT) installed.write(`${roomOf(page)}/${file}`, text);
  }
  complaints = await compilePrograms(installed, programs);
}, 600_000);
afterAll(() => {
  installed?.remove();
  rmSync(folder, { recursive: true, force: true });
}, 60_000);

describe('the tarball', () => {
  it('has every face, with types', () => {
    for (const { source } of faces()) {
      const built = source.replace('src/', 'dist/');
      expect(tarball.files).toContain(built.replace('.ts', '.js'));
      expect(tarball.files).toContain(built.replace('.ts', '.d.ts'));
    }
  });

  it('has no test kit', () => {
    const kit = /(^|\/)(testing|mutants)\/|\.test\.|fuzz|[^/]\.test-data/;
    expect(tarball.files.filter((path) => kit.test(path))).toEqual([]);
  });

  it('has nothing but the built package, its pages and its examples', () => {
    const other = tarball.files.filter(
      (path) => !/^(dist|docs|examples)\/|^(README|CHANGELOG)\.md$|^LICENSE$|^package\.json$/.test(path),
    );
    expect(other).toEqual([]);
  });
});

describe('kelpie serve', () => {
  it('hands out the page of the package, and runs a job on a thread', async () => {
    const server = installed.begin(['serve', '--port', '0', '--workers', '1', '--json']);
    let err = '';
    server.stderr!.on('data', (text) => {
      err += text;
    });
    try {
      const line = await new Promise<string>((done, failed) => {
        server.stdout!.once('data', (text) => done(String(text)));
        server.once('exit', () => failed(new Error(err)));
      });
      const [, url, token] = /^(.*)#token=(.*)$/.exec((JSON.parse(line) as { url: string }).url)!;
      const page = await (await fetch(url)).text();
      const files = [...page.matchAll(/(?:src|href)="([^":]+)"/g)].map(([, name]) => name);
      expect(files).toEqual(expect.arrayContaining([expect.stringMatching(/^lab\.js/)]));
      for (const name of files) expect((await fetch(`${url}${name}`)).status, name).toBe(200);
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
      const request = { job: 'reproduce', row: 'H9', seed: 1 };
      const body = JSON.stringify({ request, manner: 'kept' });
      const began = await fetch(`${url}api/jobs`, { method: 'POST', headers, body });
      const { id } = (await began.json()) as { id: string };
      const events = await (await fetch(`${url}api/jobs/${id}/events`, { headers })).text();
      expect(events).toContain('"kind":"result"');
      const ended = new Promise((done) => server.once('exit', done));
      server.kill('SIGINT');
      expect(await ended, err).toBe(0);
    } finally {
      server.kill('SIGKILL');
    }
  });
});

describe('types', () => {
  it('every program compiles in strict TypeScript with noUncheckedIndexedAccess', () => {
    expect(complaints).toEqual([]);
  });

  it('every face but the software device compiles without the types of Node', async () => {
    const portable = faces().map(({ name }) => name);
    expect(
      await compilePortable(
        installed,
        portable.filter((name) => name !== 'kelpie/software'),
      ),
    ).toEqual([]);
  });
});

/** Runs a program that must succeed. Returns what it prints. */
async function print(program: Program): Promise<string> {
  const outcome = await runProgram(installed, program);
  expect(outcome).toMatchObject({ code: 0, err: '' });
  return outcome.out;
}

/** Holds what a program prints against what it promises. */
function holds(out: string, { text }: Program): void {
  const lines = out.split('\n');
  let from = 0;
  for (const line of promisedLines(text)) {
    const at = lines.indexOf(line, from);
    expect(at, `'${line}' is not printed in its turn:\n${out}`).toBeGreaterThanOrEqual(0);
    from = at + 1;
  }
}

async function check(program: Program): Promise<void> {
  holds(await print(program), program);
}

describe('faces', () => {
  it.each(faces())('$name has an example', (face) => {
    expect(programsOfFace(face).length).toBeGreaterThan(0);
  });

  it.each(faces().flatMap(programsOfFace))('$place runs', check);
});

describe('examples', () => {
  it.each(examplePrograms())('$place runs', check);
});

describe.each(pages())('%s', (page) => {
  const known = ['ts', 'js', 'sh', 'yaml', 'json', 'text'];
  const blocks = blocksOf(page);

  it('names a language for every block', () => {
    expect(blocks.filter(({ language }) => !known.includes(language)).map(({ place }) => place)).toEqual([]);
  });

  it('has well-formed data', () => {
    for (const { place, language, text } of blocks) {
      if (language === 'json') JSON.parse(text);
      if (language === 'yaml')
        for (const document of parseAllDocuments(text))
          expect('errors' in document && document.errors, place).toEqual([]);
    }
  });

  const outputs = blocks.filter(({ file }) => file === OUTPUT);
  /** Holds what a program or a command printed against the block behind it, or writes it there. */
  const compare = (promised: CodeBlock, out: string): void => {
    if (process.env['KELPIE_PASTE'] === '1') paste(page, outputs.indexOf(promised), out);
    else expect(withoutTimes(out)).toBe(withoutTimes(promised.text));
  };

  const programsHere = programsOfPage(page);
  if (programsHere.length > 0)
    it.each(programsHere)('$place runs', async (program) => {
      const out = await print(program);
      holds(out, program);
      const next = blocks[blocks.findIndex(({ place }) => place === program.place) + 1];
      if (next?.file === OUTPUT) compare(next, out);
    });

  // The commands of a page run in the page's order: a later one may need what an earlier one left.
  const commands = blocks.flatMap(({ language, text }, index) => {
    if (language !== 'sh') return [];
    const all = shellCommands(text, exceptions);
    const promised = blocks[index + 1]?.file === OUTPUT ? blocks[index + 1] : null;
    return all.map((each, at) => ({ ...each, promised: at === all.length - 1 ? promised : null }));
  });
  const run = commands.filter(({ argv }) => argv !== null);
  if (run.length > 0)
    it.each(run)('$line', async ({ argv, promised }) => {
      const { code, out, err } = await installed.kelpie(argv!, roomOf(page));
      expect([0, 1], err).toContain(code);
      expect(err).not.toMatch(/bug in Kelpie/);
      if (promised !== null) compare(promised, out);
    });
});

describe('without the client of NATS, which nobody gets unasked', () => {
  it('is not there, and campaigns run on threads', async () => {
    expect(existsSync(join(installed.folder, 'node_modules/@nats-io'))).toBe(false);
    installed.write('quick.yaml', 'name: quick\njob: rehearsal\ntasks: 20\ndraws: 10\n');
    const { code, out } = await installed.kelpie(['campaign', 'run', 'quick.yaml', '--json']);
    expect([code, JSON.parse(out)]).toMatchObject([0, { tasks: 20, measured: 20 }]);
  });

  it.each([['campaign', 'run', 'quick.yaml'], ['worker']])(
    '%s says what to install where a server is named',
    async (...words) => {
      const { code, err } = await installed.kelpie([...words, '--nats', 'nats://127.0.0.1:1']);
      const wanted =
        'npm install @nats-io/transport-node@3 @nats-io/jetstream@3 @nats-io/kv@3 @nats-io/obj@3';
      expect({ code, err }).toMatchObject({ code: 3, err: expect.stringContaining(wanted) });
    },
  );
});

describe('without optional packages', () => {
  let bare: InstalledPackage;
  beforeAll(() => {
    bare = new InstalledPackage(tarball, { omitOptional: true });
  }, 300_000);
  afterAll(() => bare?.remove(), 60_000);

  it('koffi and lmdb are not there, and the simulator runs', async () => {
    for (const name of ['koffi', 'lmdb'])
      expect(existsSync(join(bare.folder, 'node_modules', name)), name).toBe(false);
    expect(await bare.kelpie(['bw', 'write', '-n', '100'])).toMatchObject({ code: 0, err: '' });
  });

  it('the software device runs on sockets of Node, and a link of the C library says what to install', async () => {
    const flags = ['bw', 'write', '-n', '100', '--provider', 'software', '--loopback'];
    const { code, err } = await bare.kelpie(flags);
    // On a busy machine it takes long enough to say how far it is.
    expect([code, err.replaceAll(/^write_bw: .* left\n/gm, '')]).toEqual([0, '']);
    const program = `import { openUdpLink, loopbackAddress } from 'kelpie/software';
      await openUdpLink({ address: loopbackAddress(0) }, 'libc').catch(({ code, message }) => console.log(code, message));`;
    const { out } = await bare.node([bare.write('libc.mjs', program)]);
    expect(out).toMatch(/^LINK_UNAVAILABLE .*npm install koffi/);
  });

  it('a hunt says what to install', async () => {
    const { code, err } = await bare.kelpie(['hunt', '--budget', '1']);
    expect({ code, err }).toMatchObject({ code: 3, err: expect.stringContaining('npm install lmdb') });
  });
});

describe('in a browser', () => {
  const chromium = findChromium();
  const [tenLines] = programsOfPage('README.md');
  const programsOf = (wanted: string) => programsOfFace(faces().find(({ name }) => name === wanted)!);
  const [simulated, workload] = ['kelpie', 'kelpie/workload'].flatMap(programsOf);
  const jobs = ['hunt', 'isolate', 'reproduce', 'jobs', 'ping', 'services', 'fabric'];
  const jobPrograms = jobs.flatMap((name) => programsOf(`kelpie/${name}`));

  it('the bundler refuses node: modules, so a bundle proves their absence', async () => {
    await expect(bundleForBrowser("import 'node:fs';", installed.folder)).rejects.toThrow(/node:fs/);
  });

  it.each([tenLines, simulated, workload, ...jobPrograms])(
    '$place runs with Node out of reach',
    async ({ text }) => {
      const printed = await runWithoutNode(await bundleForBrowser(text, installed.folder));
      expect(printed.split('\n')).toEqual(expect.arrayContaining(promisedLines(text)));
    },
  );

  it.skipIf(chromium === undefined).each([tenLines, simulated, workload])(
    '$place runs in a worker of headless Chromium (skipped where it is not installed)',
    async ({ text }) => {
      const bundle = await bundleForBrowser(text, installed.folder);
      const printed = await runInChromium(chromium!, bundle, 90_000);
      expect(printed.split('\n')).toEqual(expect.arrayContaining(promisedLines(text)));
    },
  );
});

it('no exception outlives its command', () => {
  const lines = pages().flatMap((page) =>
    blocksOf(page)
      .filter(({ language }) => language === 'sh')
      .flatMap(({ text }) => shellCommands(text, exceptions).map(({ line }) => line)),
  );
  expect(exceptions.map(({ line }) => line).filter((line) => !lines.includes(line))).toEqual([]);
});
