// Bundles bench/NAME.ts and runs it: `node scripts/bench.js NAME [--json] [arguments]`.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

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
const outfile = `${root}build/bench/${name}.mjs`;
await build({
  entryPoints: [source],
  outfile,
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  packages: 'external',
  logLevel: 'warning',
});
const outcome = spawnSync(process.execPath, ['--expose-gc', outfile, ...rest], {
  cwd: root,
  stdio: 'inherit',
});
process.exit(outcome.status ?? 3);
