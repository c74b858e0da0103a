// Compiles src/ into dist/, with the laboratory as static files in dist/web: `node scripts/build.js [--if-stale]`. npm runs
// it with --if-stale on `npm install`, on `npm pack` and on the first `npx kelpie` in a clone; only the first of these finds
// anything to do.
import { createHash } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const stampPath = `${root}build/dist.stamp`;
const main = `${root}dist/cli/main.js`;

/** A hash of all that goes into dist/, and of the compiler's version. */
function fingerprint() {
  const hash = createHash('sha256');
  const sources = readdirSync(`${root}src`, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(tsx?|css|html|svg)$/.test(entry.name))
    .filter(({ name }) => !name.endsWith('.test.ts'))
    .map((entry) => `${entry.parentPath}/${entry.name}`)
    .sort();
  const others = [
    ...['tsconfig.json', 'tsconfig.build.json', 'node_modules/typescript/package.json'],
    ...['scripts/compile.js', 'scripts/inline-constants.js'],
    // The page has what it was built with, and what the board said then.
    ...['scripts/build-web.js', 'node_modules/esbuild/package.json', 'docs/fidelity.json'],
  ];
  for (const path of [...sources, ...others.map((name) => `${root}${name}`)])
    hash
      .update(`${path.slice(root.length)}\n`)
      .update(readFileSync(path))
      .update('\n');
  return hash.digest('hex');
}

function isCurrent(stamp) {
  return existsSync(main) && existsSync(stampPath) && readFileSync(stampPath, 'utf8') === stamp;
}

async function build() {
  const compiler = `${root}node_modules/typescript/lib/typescript.js`;
  if (!existsSync(compiler)) {
    console.error(
      'kelpie: the compiler is not installed; run `npm install` with development dependencies first',
    );
    return 3;
  }
  const stamp = fingerprint();
  if (process.argv.includes('--if-stale') && isCurrent(stamp)) return 0;
  rmSync(stampPath, { force: true });
  rmSync(`${root}dist`, { recursive: true, force: true });
  const { compile } = await import('./compile.js');
  if (!compile(`${root}tsconfig.build.json`)) return 2;
  chmodSync(main, 0o755);
  const { buildWeb } = await import('./build-web.js');
  await buildWeb(`${root}dist/web`);
  mkdirSync(`${root}build`, { recursive: true });
  writeFileSync(stampPath, stamp);
  return 0;
}

process.exitCode = await build();
