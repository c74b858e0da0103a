// Bundles scripts/interop/main.ts and runs it: `node scripts/interop.js [--only TEXT] [--ip 4|6] [--no-table] [--json]`.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
const outfile = `${root}build/interop/main.mjs`;
await build({
  entryPoints: [`${root}scripts/interop/main.ts`],
  outfile,
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  packages: 'external',
  logLevel: 'warning',
});
const child = spawn(process.execPath, [outfile, root, ...process.argv.slice(2)], {
  cwd: root,
  stdio: 'inherit',
});
// Ctrl-C reaches the whole group: the suite stops its machine and ends, and this waits for it.
process.on('SIGINT', () => {});
child.on('close', (code) => {
  process.exitCode = code ?? 3;
});
