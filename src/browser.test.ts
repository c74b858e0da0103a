import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { Worker } from 'node:worker_threads';
import { build, type Plugin } from 'esbuild';
import { describe, expect, it } from 'vitest';

// Goal: everything below the providers, and the ideal provider, runs where there is no Node.
// Method: bundle the README's example for the browser (the bundler refuses `node:` modules) and run it there.

const expectedLine = 'SUCCESS hello, remote memory';

const kelpieIsThisTree: Plugin = {
  name: 'kelpie-is-this-tree',
  setup: (plugin) => plugin.onResolve({ filter: /^kelpie$/ }, () => ({ path: resolve('src/index.ts') })),
};

async function bundle(contents: string): Promise<string> {
  const result = await build({
    stdin: { contents, resolveDir: resolve('.'), loader: 'ts' },
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    logLevel: 'silent',
    plugins: [kelpieIsThisTree],
  });
  return result.outputFiles[0].text;
}

const example = () => bundle(readFileSync('examples/write.ts', 'utf8'));

function findChromium(): string | undefined {
  const names = ['chromium', 'chromium-browser', 'google-chrome'];
  return (process.env['PATH'] ?? '')
    .split(delimiter)
    .flatMap((folder) => names.map((name) => join(folder, name)))
    .find((path) => existsSync(path));
}
const chromium = findChromium();

describe('in a browser', () => {
  it('the bundler refuses node: modules, so a bundle proves their absence', async () => {
    await expect(bundle("import 'node:fs';")).rejects.toThrow(/node:fs/);
  });

  it('the example runs in a worker with Node out of reach', async () => {
    const hide =
      'for (const name of ["process", "Buffer", "require", "setImmediate"]) delete globalThis[name];';
    const code = `const log = console.log; ${hide}\n${await example()}`;
    const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(code)}`), { stdout: true });
    let printed = '';
    worker.stdout.setEncoding('utf8');
    worker.stdout.on('data', (text: string) => {
      printed += text;
    });
    await new Promise((done, failed) => worker.on('exit', done).on('error', failed));
    expect(printed).toContain(expectedLine);
  });

  it.skipIf(chromium === undefined)(
    'the example runs in headless Chromium (skipped where it is not installed)',
    async () => {
      const folder = mkdtempSync(join(tmpdir(), 'kelpie-browser-'));
      try {
        const show = 'console.log = (...words) => document.body.append(words.join(" "), "\\n");';
        const script = `${show}\n${await example()}`.replaceAll('</script', '<\\/script');
        const page = join(folder, 'page.html');
        writeFileSync(
          page,
          `<!doctype html><meta charset="utf-8"><body><script type="module">${script}</script></body>`,
        );
        const flags = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'];
        const quiet = ['--disable-background-networking', '--disable-component-update', '--disable-sync'];
        const dom = execFileSync(
          chromium!,
          [
            ...flags,
            ...quiet,
            `--user-data-dir=${folder}/profile`,
            '--virtual-time-budget=10000',
            '--dump-dom',
            `file://${page}`,
          ],
          { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] },
        );
        const visible = dom.slice(dom.indexOf('</script>'));
        expect(visible).toContain(expectedLine);
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    },
  );
});
