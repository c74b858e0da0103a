import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { transformSync } from 'esbuild';
import { type CodeBlock, codeBlocks, moduleExamples } from './code-blocks.js';
import type { InstalledPackage, Outcome } from './installed-package.js';

/** What a name in the package's `exports` leads to. */
export interface Face {
  /** As users import it: `kelpie/engine`. */
  name: string;
  /** The module that it is made from: `src/engine/index.ts`. */
  source: string;
}

/** A program of a page, of a face or of examples/, and where it runs. */
export interface Program {
  /** `docs/software.md:7`, `src/engine/index.ts:5`, `examples/incast.ts`. */
  place: string;
  text: string;
  /** The folder that it shares with the other programs and files of its page, below the installed package. */
  room: string;
  /** Its file without the ending. */
  name: string;
}

/** Every face of the package. */
export function faces(): Face[] {
  const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as {
    exports: Record<string, { default: string } | string>;
  };
  return Object.entries(manifest.exports).flatMap(([name, target]) =>
    typeof target === 'string'
      ? []
      : [
          {
            name: name.replace(/^\./, 'kelpie'),
            source: target.default.replace('./dist/', 'src/').replace(/\.js$/, '.ts'),
          },
        ],
  );
}

/** The pages that the package ships. */
export function pages(): string[] {
  return ['README.md', ...filesOf('docs', '.md')];
}

/** The blocks of a page, by its path. */
export function blocksOf(page: string): CodeBlock[] {
  return codeBlocks(readFileSync(page, 'utf8'), page);
}

/** The programs of the face's own documentation. */
export function programsOfFace({ source }: Face): Program[] {
  return moduleExamples(readFileSync(source, 'utf8'), source).map(toProgram);
}

/** The programs among the blocks of a page. */
export function programsOfPage(page: string): Program[] {
  return blocksOf(page)
    .filter(({ language }) => language === 'ts' || language === 'js')
    .map(toProgram);
}

/** The programs of examples/. */
export function examplePrograms(): Program[] {
  return filesOf('examples', '.ts').map((path) => ({
    place: path,
    text: readFileSync(path, 'utf8'),
    room: 'rooms/examples',
    name: path.slice('examples/'.length, -'.ts'.length),
  }));
}

/** The folder of a page or a module. */
export function roomOf(path: string): string {
  return `rooms/${path.replaceAll(/\W+/g, '-')}`;
}

function toProgram({ place, text }: CodeBlock): Program {
  const [path, line] = place.split(':');
  return { place, text, room: roomOf(path), name: `line-${line}` };
}

function filesOf(folder: string, ending: string): string[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith(ending))
    .map((name) => `${folder}/${name}`);
}

const STRICT = {
  target: 'ES2023',
  module: 'NodeNext',
  strict: true,
  noUncheckedIndexedAccess: true,
  noImplicitReturns: true,
  noFallthroughCasesInSwitch: true,
  // The types of the package itself are checked as well.
  skipLibCheck: false,
};

/** Compiles programs as a strict user would and returns the compiler's complaints. */
export async function compilePrograms(
  installed: InstalledPackage,
  programs: readonly Program[],
): Promise<string[]> {
  for (const name of ['@types/node', 'undici-types']) installed.lend(name);
  for (const { room, name, text } of programs) installed.write(`${room}/${name}.ts`, text);
  const options = { ...STRICT, types: ['node'], rootDir: 'rooms', outDir: 'built' };
  return compile(installed, 'rooms', options);
}

/** Compiles imports of faces without Node's types, as a page in a browser would, and returns the complaints. */
export async function compilePortable(
  installed: InstalledPackage,
  names: readonly string[],
): Promise<string[]> {
  const imports = names.map((name, index) => `export * as face${index} from '${name}';\n`);
  installed.write('portable/faces.ts', imports.join(''));
  // Types that hold in the strictest of projects too.
  const options = { ...STRICT, exactOptionalPropertyTypes: true, noPropertyAccessFromIndexSignature: true };
  return compile(installed, 'portable', {
    ...options,
    types: [],
    lib: ['ES2023', 'WebWorker'],
    noEmit: true,
  });
}

async function compile(
  installed: InstalledPackage,
  include: string,
  compilerOptions: object,
): Promise<string[]> {
  installed.write(`tsconfig.${include}.json`, JSON.stringify({ compilerOptions, include: [include] }));
  const compiler = join(process.cwd(), 'node_modules/typescript/bin/tsc');
  const { out } = await installed.node([compiler, '-p', `tsconfig.${include}.json`, '--pretty', 'false']);
  return out.split('\n').filter((line) => line !== '');
}

/** Runs a program: as it stands where it is JavaScript, else as the compiler made it. */
export function runProgram(installed: InstalledPackage, { room, name, text }: Program): Promise<Outcome> {
  const file = isJavaScript(text)
    ? installed.write(`${room}/${name}.mjs`, text)
    : join(installed.folder, room.replace('rooms', 'built'), `${name}.js`);
  return installed.node([file], room);
}

function isJavaScript(text: string): boolean {
  try {
    transformSync(text, { loader: 'js', format: 'esm', logLevel: 'silent' });
    return true;
  } catch {
    return false;
  }
}
