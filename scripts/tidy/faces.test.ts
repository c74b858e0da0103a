import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import ts from 'typescript';
import { expect, it } from 'vitest';
import { faces } from '../packed/programs.js';

// Goal: every part that a user may build on can be imported by its name, here and from the package.

/** Faces between our own folders, which users reach through others or not at all. */
const INNER = [
  'src/jobs/pool/index.ts', // exported by kelpie/jobs
  'src/models/fabric/index.ts', // exported by kelpie/fabric
  'src/models/index.ts', // parts of the simulated device: kelpie/simulated opens it
  'src/providers/cm/index.ts', // every provider's connections: Context has them
  'src/providers/ideal/index.ts', // exported by kelpie itself
  'src/schema/index.ts', // kelpie/profiles, /workload and /hunt read with it
];

it('every face of a layer, a provider or a job is exported', () => {
  const files = execFileSync('git', ['ls-files'], { encoding: 'utf8' }).split('\n');
  const outer = files.filter((path) => /^src\/([^/]+|(providers|jobs|models)\/[^/]+)\/index\.ts$/.test(path));
  const exported = faces().map(({ source }) => source);
  const missing = outer.filter((path) => !exported.includes(path) && !INNER.includes(path));
  expect(missing).toEqual([]);
  expect(INNER.filter((path) => !outer.includes(path) || exported.includes(path))).toEqual([]);
});

it('examples compile here against the same faces', () => {
  const { compilerOptions } = JSON.parse(readFileSync('tsconfig.json', 'utf8')) as {
    compilerOptions: { paths: Record<string, [string]> };
  };
  const paths = Object.entries(compilerOptions.paths).map(([name, [path]]) => `${name} ${path.slice(2)}`);
  expect(paths.sort()).toEqual(
    faces()
      .map(({ name, source }) => `${name} ${source}`)
      .sort(),
  );
});

it('a name that faces export stands for one thing', () => {
  const { options } = ts.parseJsonConfigFileContent(
    ts.readConfigFile('tsconfig.json', ts.sys.readFile).config,
    ts.sys,
    '.',
  );
  const sources = faces().map(({ source }) => source);
  const program = ts.createProgram(sources, { ...options, incremental: false, tsBuildInfoFile: undefined });
  const checker = program.getTypeChecker();
  const meanings = new Map<string, Set<string>>();
  for (const source of sources) {
    const face = checker.getSymbolAtLocation(program.getSourceFile(source)!)!;
    for (const each of checker.getExportsOfModule(face)) {
      const isAlias = (each.flags & ts.SymbolFlags.Alias) !== 0;
      const { declarations = [] } = isAlias ? checker.getAliasedSymbol(each) : each;
      const places = new Set(declarations.map((declaration) => declaration.getSourceFile().fileName));
      const meaning = [...places].join(' and ');
      meanings.set(each.name, (meanings.get(each.name) ?? new Set()).add(meaning));
    }
  }
  expect(meanings.size).toBeGreaterThan(1000);
  const ambiguous = [...meanings].filter(([, places]) => places.size > 1);
  expect(ambiguous.map(([name, places]) => `${name}: ${[...places].join(', ')}`)).toEqual([]);
}, 120_000);
