import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkLayers, staleLayers } from './layers.js';

// Goal: the linter's rule can fail. Method: a small tree with one fault at a time, checked by the real rule.
describe('layers', () => {
  let root: string;

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'kelpie-layers-'));
    symlinkSync(resolve('node_modules'), join(root, 'node_modules'));
    file('tsconfig.json', '{ "compilerOptions": { "module": "NodeNext", "target": "ES2023" } }');
    file('src/engine/queue.ts', 'export const queue = 1;');
    file('src/transport/qp.ts', "import { queue } from '../engine/queue.js';\nexport const qp = queue;");
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  function file(path: string, text: string): void {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  const broken = async () => (await checkLayers(root)).violations.map((violation) => violation.rule.name);

  it('accepts imports that point down and counts the modules', async () => {
    const found = await checkLayers(root);
    expect(found).toMatchObject({ ok: true, modules: 2, files: 2, violations: [] });
    expect(found.counts).toEqual(new Map([['transport', new Map([['engine', 1]])]]));
  });

  it('refuses an import that points up', async () => {
    file('src/engine/up.ts', "import { qp } from '../transport/qp.js';\nexport const up = qp;");
    expect(await broken()).toContain('engine-imports-down');
  });

  it('refuses an import of a type that points up', async () => {
    file('src/engine/up.ts', "import type { qp } from '../transport/qp.js';\nexport type Up = typeof qp;");
    expect(await broken()).toContain('engine-imports-down');
  });

  it('refuses a node: module below the providers', async () => {
    file(
      'src/transport/file.ts',
      "import { readFileSync } from 'node:fs';\nexport const read = readFileSync;",
    );
    expect(await broken()).toContain('no-node-below-the-edges');
  });

  it('refuses a provider that imports another', async () => {
    file('src/providers/ideal/index.ts', 'export const ideal = 1;');
    file(
      'src/providers/software/index.ts',
      "import { ideal } from '../ideal/index.js';\nexport const software = ideal;",
    );
    expect(await broken()).toContain('providers-do-not-know-each-other');
  });

  it('refuses a cycle', async () => {
    file('src/wire/a.ts', "import { b } from './b.js';\nexport const a = () => b;");
    file('src/wire/b.ts', "import { a } from './a.js';\nexport const b = () => a;");
    expect(await broken()).toContain('no-cycles');
  });

  it('refuses a cycle of types inside the models, and there alone', async () => {
    const cycle = (folder: string) => {
      file(`${folder}/a.ts`, "import type { B } from './b.js';\nexport interface A { b: B }");
      file(`${folder}/b.ts`, "import type { A } from './a.js';\nexport interface B { a: A }");
    };
    cycle('src/wire');
    expect(await broken()).toEqual([]);
    cycle('src/models/nic');
    expect(new Set(await broken())).toEqual(new Set(['no-type-cycles-in-models']));
  });

  it('refuses a unit test of a model that needs a provider', async () => {
    file('src/providers/ideal/index.ts', 'export const ideal = 1;');
    file(
      'src/models/nic.test.ts',
      "import { ideal } from '../providers/ideal/index.js';\nexport default ideal;",
    );
    expect(await broken()).toEqual(['models-are-tested-by-themselves']);
  });

  it('sees a page that says something else than is so', () => {
    const counts = new Map([
      ['wire', new Map([['engine', 2]])],
      ['link', new Map(Object.entries({ wire: 1, engine: 3 }))],
    ]);
    const page = (link: string) =>
      `| layer | imports |\n| --- | --- |\n| \`link\` | ${link} |\n| \`wire\` | engine |\n| \`engine\` | nothing |\n\n`;
    expect(staleLayers(page('engine, wire'), counts)).toEqual([]);
    expect(staleLayers(page('wire'), counts)).toEqual(['link: engine, wire']);
    expect(staleLayers('', counts)).toEqual(['wire: engine', 'link: engine, wire']);
  });

  it('sees that it saw nothing', async () => {
    rmSync(join(root, 'src'), { recursive: true });
    mkdirSync(join(root, 'src'));
    file('elsewhere/other.ts', 'export const other = 1;');
    expect(await checkLayers(root)).toMatchObject({ ok: false, modules: 0 });
  });
});
