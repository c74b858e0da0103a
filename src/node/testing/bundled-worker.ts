import { mkdtempSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';

/** The script of a thread, bundled as a build would compile it; `remove` deletes it. */
export async function bundledWorker(name: string): Promise<{ url: URL; remove(): void }> {
  // Below node_modules, so that it finds the packages that it imports.
  const folder = mkdtempSync(join(resolve('node_modules'), '.kelpie-worker-'));
  const outfile = join(folder, 'worker.mjs');
  await build({
    entryPoints: [resolve('src/node', `${name}.ts`)],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    logLevel: 'silent',
  });
  return { url: pathToFileURL(outfile), remove: () => rmSync(folder, { recursive: true }) };
}
