// Builds the laboratory as static files: `npm run build:web [-- FOLDER]`, dist/web unless set. Any server that hands out
// files serves them; `kelpie serve` does. Needs dist/ as scripts/build.js leaves it: the runs that the page shows before
// its own have ended are made here, by the same code.
import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build, transform } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
const PLACEHOLDER = '__RELEASE__';
/** In the order in which later ones say otherwise. */
const STYLES = ['base', 'cards', 'lab', 'charts', 'pages', 'widths'];

/** zod has its messages in fifty languages; ours are in one. */
const oneLanguage = {
  name: 'one language',
  setup: ({ onLoad }) =>
    onLoad({ filter: /zod\/v4\/locales\/index\.js$/ }, () => ({
      contents: "export { default as en } from './en.js';",
      loader: 'js',
    })),
};

/** Bundles one program of the page; gives its text and the packages that are in it. */
async function bundle(entry, define) {
  const { outputFiles, metafile } = await build({
    entryPoints: [`${root}src/web/${entry}`],
    bundle: true,
    write: false,
    metafile: true,
    minify: true,
    format: 'iife',
    platform: 'browser',
    target: ['chrome123', 'firefox120', 'safari17.5'],
    jsx: 'automatic',
    jsxImportSource: 'preact',
    legalComments: 'none',
    logLevel: 'warning',
    define,
    // zod tries whether it may make functions of text, which the page forbids and browsers complain of: it is told before
    // its first schema is made.
    banner: { js: 'globalThis.__zod_globalConfig = { jitless: true };' },
    plugins: [oneLanguage],
  });
  const packages = Object.keys(metafile.inputs).flatMap((path) => {
    const [, name] = /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path) ?? [];
    return name === undefined ? [] : [name];
  });
  return { text: outputFiles[0].text, packages };
}

/** A module of the compiled program. */
const fromDist = (path) => import(pathToFileURL(`${root}dist/${path}.js`).href);

/** Runs what the page shows first: the first setup, and every point of the curves over its sliders. */
async function makeAhead(from) {
  const { catalogueOf } = await from('laboratory/desk/catalogue');
  const { runWhole } = await from('laboratory/desk/whole-jobs');
  const { FIRST_SETUP, requestOf, keyOf } = await from('laboratory/setup/setup');
  const { curvePoints } = await from('laboratory/setup/curve');
  const { runReadingOf } = await from('laboratory/view/reading');
  const { KelpieError } = await from('error');
  const host = { signal: new AbortController().signal, wallClock: () => 0, onEvent: () => {} };
  const first = await runWhole(requestOf(FIRST_SETUP), host);
  const readings = {};
  for (const { setup } of curvePoints(FIRST_SETUP)) {
    const request = requestOf(setup);
    if (keyOf(request) in readings) continue;
    try {
      readings[keyOf(request)] = runReadingOf((await runWhole(request, host)).measurement);
    } catch (error) {
      // What the subsystem refuses is a gap in a curve.
      if (!(error instanceof KelpieError)) throw error;
      readings[keyOf(request)] = null;
    }
  }
  const { rows } = JSON.parse(readFileSync(`${root}docs/fidelity.json`, 'utf8'));
  const board = Object.fromEntries(rows.map(({ id, ok, simulated }) => [id, { ok, simulated }]));
  return { catalogue: catalogueOf(1), first: first.measurement, readings, board };
}

/** The texts under which the packages in the bundle may be passed on. */
function licences(packages) {
  return [...new Set(packages)]
    .sort()
    .map((name) => {
      const folder = `${root}node_modules/${name}`;
      const { version, license } = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8'));
      const file = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each));
      return `${name} ${version} (${license})\n\n${file === undefined ? '' : readFileSync(`${folder}/${file}`, 'utf8')}`;
    })
    .join('\n----\n\n');
}

/**
 * Writes the laboratory into a folder.
 *
 * @param {string} folder
 * @param {(path: string) => Promise<any>} from Loads a module of the program by its path below src/; compiled unless set.
 */
export async function buildWeb(folder, from = fromDist) {
  const release = { RELEASE: JSON.stringify(PLACEHOLDER) };
  const { TOKENS } = await from('report/tokens');
  const [page, worker, ahead] = await Promise.all([
    bundle('main.tsx', release),
    bundle('backend/worker.ts', {}),
    makeAhead(from),
  ]);
  const sheets = STYLES.map((name) => readFileSync(`${root}src/web/style/${name}.css`, 'utf8'));
  const style = await transform([TOKENS, ...sheets].join('\n'), {
    loader: 'css',
    minify: true,
    target: ['chrome123', 'firefox120', 'safari17.5'],
  });
  const files = new Map([
    ['index.html', readFileSync(`${root}src/web/index.html`, 'utf8')],
    ['lab.js', page.text],
    ['lab.css', style.code],
    // No server takes this ending for a compressed one, so that none opens it on the way.
    ['worker.bin', gzipSync(worker.text, { level: 9 })],
    ['made-ahead.json', JSON.stringify(ahead)],
    ['licences.txt', licences([...page.packages, ...worker.packages])],
  ]);
  const hash = createHash('sha256');
  for (const text of files.values()) hash.update(text);
  const version = hash.digest('hex').slice(0, 12);
  const kept = ['lab.js', 'lab.css', 'worker.bin', 'made-ahead.json'].map((name) => `${name}?v=${version}`);
  const { text: keeper } = await bundle('backend/service-worker.ts', {
    RELEASE: JSON.stringify(version),
    FILES: JSON.stringify(['./', 'icon.svg', ...kept]),
  });
  files.set('lab.js', page.text.replaceAll(PLACEHOLDER, version));
  files.set(
    'index.html',
    files
      .get('index.html')
      .replace(/(href|src)="(lab\.\w+|made-ahead\.json|worker\.bin)"/g, `$1="$2?v=${version}"`),
  );
  files.set('sw.js', keeper);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of files) writeFileSync(`${folder}/${name}`, text);
  copyFileSync(`${root}src/web/icon.svg`, `${folder}/icon.svg`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const folder = resolve(process.argv[2] ?? `${root}dist/web`);
  await buildWeb(folder);
  console.log(folder);
}
