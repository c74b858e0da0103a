import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { Script } from 'node:vm';
import { type BuildContext, context, type OnLoadArgs, type Plugin } from 'esbuild';
import { afterAll, describe, expect, it } from 'vitest';
import { type ContractCase, contractCases, type runContract } from '../../verbs/contract/index.js';
import type { Edit, Mutant } from './mutants/mutant.js';
import { MUTANTS } from './mutants/table.js';

/** The suite and the provider, bundled together with a fault in them. */
interface MutantBundle {
  runContract: typeof runContract;
  contractCases: readonly ContractCase[];
  openPair: Parameters<typeof runContract>[0]['open'];
}

const SOURCES = fileURLToPath(new URL('../..', import.meta.url));

/** The module that a bundle is made from. */
const ENTRY = `
  export { contractCases, runContract } from './verbs/contract/index.js';
  export { openPair } from './providers/ideal/mutants/open-pair.js';
`;

/** Builds the suite together with the provider again and again, with one fault at a time, in memory. */
class MutantBuilder {
  private current: Mutant | null = null;
  private readonly applied = new Map<Edit, number>();
  private building: BuildContext | null = null;

  /** The bundle with the fault in it, or as the sources are. A search text that is not there exactly once is an error. */
  async build(mutant: Mutant | null): Promise<MutantBundle> {
    this.current = mutant;
    this.applied.clear();
    this.building ??= await context({
      stdin: { contents: ENTRY, resolveDir: SOURCES, loader: 'ts' },
      bundle: true,
      write: false,
      format: 'iife',
      globalName: 'mutated',
      target: 'es2023',
      logLevel: 'silent',
      plugins: [this.plugin()],
    });
    const { outputFiles } = await this.building.rebuild();
    for (const edit of editsOf(mutant)) {
      const found = this.applied.get(edit) ?? 0;
      if (found !== 1)
        throw new Error(`'${mutant!.what}': the search text occurs ${found} times in ${edit.file}`);
    }
    return new Script(
      `(() => { ${outputFiles![0]!.text}; return mutated; })()`,
    ).runInThisContext() as MutantBundle;
  }

  async close(): Promise<void> {
    await this.building?.dispose();
  }

  private plugin(): Plugin {
    const load = async ({ path }: OnLoadArgs) => {
      let contents = await readFile(path, 'utf8');
      for (const edit of editsOf(this.current)) {
        if (path !== `${SOURCES}${edit.file}`) continue;
        let found = 0;
        contents = contents.replace(loosely(edit.search), () => {
          found++;
          return edit.replace;
        });
        this.applied.set(edit, found);
      }
      return { contents, loader: 'ts' as const };
    };
    // Only what some mutant changes comes this way; the rest esbuild keeps from one build to the next.
    const files = new Set(
      MUTANTS.flatMap((mutant) => editsOf(mutant).map(({ file }) => file.replaceAll('.', '\\.'))),
    );
    const filter = new RegExp(`/src/(${[...files].join('|')})$`);
    return { name: 'mutate', setup: (build) => build.onLoad({ filter }, load) };
  }
}

/** The text however the formatter breaks its lines: any white space between words and signs, any last comma. */
function loosely(text: string): RegExp {
  let pattern = '';
  for (const [token] of text.matchAll(/\w+|[^\s\w]/g)) {
    if (/[)\]}]/.test(token)) pattern += ',?\\s*';
    else if (/\w$/.test(pattern) && /\w/.test(token)) pattern += '\\s+';
    else if (pattern !== '') pattern += '\\s*';
    pattern += /\w/.test(token) ? token : `\\${token}`;
  }
  return new RegExp(pattern, 'g');
}

function editsOf(mutant: Mutant | null): readonly Edit[] {
  return mutant === null ? [] : [mutant, ...(mutant.also ?? [])];
}

/**
 * The suite under test: each row of the table puts one fault into the sources, and the cases that promise the broken
 * behaviour must fail. Time is virtual, so a request that never ends costs milliseconds.
 */
const builder = new MutantBuilder();
afterAll(() => builder.close());

/** Virtual, and longer than any timer that the cases set. */
const PATIENCE_NS = 300e6;

function namesOf(patterns: readonly RegExp[]): string[] {
  return contractCases
    .map(({ name }) => name)
    .filter((name) => patterns.some((pattern) => pattern.test(name)));
}

async function failures(bundle: MutantBundle, names: readonly string[]): Promise<string[]> {
  const cases = bundle.contractCases.filter(({ name }) => names.includes(name));
  const report = await bundle.runContract({
    name: 'mutant',
    open: bundle.openPair,
    patienceNs: PATIENCE_NS,
    cases,
  });
  return report.failed.map(({ name }) => name);
}

describe('every case of the contract can fail', () => {
  it('and none does while nothing is broken', async () => {
    expect(await failures(await builder.build(null), namesOf([/./]))).toEqual([]);
  });

  it.each(MUTANTS.map((mutant) => [mutant.what, mutant] as const))('%s', async (_, mutant) => {
    expect(mutant.breaks).not.toEqual([]);
    for (const pattern of mutant.breaks) expect(namesOf([pattern]), `cases of ${pattern}`).not.toEqual([]);
    const names = namesOf(mutant.breaks);
    expect(await failures(await builder.build(mutant), names)).toEqual(names);
  });

  it('because every case is broken by some mutant', () => {
    const broken = new Set(MUTANTS.flatMap(({ breaks }) => namesOf(breaks)));
    expect(namesOf([/./]).filter((name) => !broken.has(name))).toEqual([]);
  });
});
