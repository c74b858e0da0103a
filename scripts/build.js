// Compiles src/ into dist/. Runs on every `npm install` in a clone, so that `npx kelpie` works at once.
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const compiler = `${root}node_modules/typescript/bin/tsc`;
if (!existsSync(compiler)) {
  console.error(
    'kelpie: the compiler is not installed; run `npm install` with development dependencies first',
  );
  process.exit(3);
}
rmSync(`${root}dist`, { recursive: true, force: true });
const outcome = spawnSync(process.execPath, [compiler, '-p', 'tsconfig.build.json'], {
  cwd: root,
  stdio: 'inherit',
});
if (outcome.status !== 0) process.exit(outcome.status ?? 3);
const main = `${root}dist/cli/main.js`;
if (existsSync(main)) chmodSync(main, 0o755);
