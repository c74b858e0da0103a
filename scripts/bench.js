// Bundles bench/NAME.ts and runs it: `node scripts/bench.js NAME [--json] [arguments]`. What measures the speed of
// compiled code runs on the package as it is built for users; the compiler treats bundled constants differently.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { bundleBench, ON_BUILT_PACKAGE } from './bench-bundle.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const [name, ...rest] = process.argv.slice(2);
const source = `${root}bench/${name}.ts`;
if (!name || !existsSync(source)) {
  const known = readdirSync(`${root}bench`)
    .filter((file) => file.endsWith('.ts'))
    .map((file) => file.slice(0, -3));
  console.error(`kelpie: no benchmark '${name ?? ''}'; there are: ${known.join(', ')}`);
  process.exit(2);
}
if (ON_BUILT_PACKAGE.includes(name)) {
  const built = spawnSync(process.execPath, [`${root}scripts/build.js`], { cwd: root, stdio: 'inherit' });
  if (built.status !== 0) process.exit(built.status ?? 3);
}
const outfile = `${root}build/bench/${name}.mjs`;
await bundleBench(root, name, outfile);
const outcome = spawnSync(process.execPath, ['--expose-gc', outfile, ...rest], {
  cwd: root,
  stdio: 'inherit',
});
process.exit(outcome.status ?? 3);
