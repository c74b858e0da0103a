import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Worker } from 'node:worker_threads';
import { build } from 'esbuild';
import { BrowserProcess } from '../../src/cli/testing/browser-process.js';

/** Bundles a program for a browser from the packages in a folder. The bundler refuses `node:` modules. */
export async function bundleForBrowser(program: string, folder: string): Promise<string> {
  const result = await build({
    stdin: { contents: program, resolveDir: folder, loader: 'ts' },
    absWorkingDir: folder,
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    logLevel: 'silent',
  });
  return result.outputFiles[0].text;
}

/** Runs a bundle in a thread from which Node's own objects were taken away, and returns what it prints. */
export async function runWithoutNode(bundle: string): Promise<string> {
  const hide =
    'for (const name of ["process", "Buffer", "require", "setImmediate"]) delete globalThis[name];';
  const code = `${hide}\n${bundle}`;
  const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(code)}`), { stdout: true });
  let printed = '';
  worker.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed += text;
  });
  await new Promise((done, failed) => worker.on('exit', done).on('error', failed));
  return printed;
}

const PAGE = `<!doctype html><meta charset="utf-8"><script type="module">
const answer = (text) => fetch('/answer', { method: 'POST', body: text });
const worker = new Worker('/worker.js', { type: 'module' });
worker.onmessage = ({ data }) => answer(data);
worker.onerror = ({ message }) => answer('failed: ' + message);
</script>`;

/** Runs a bundle in a worker of headless Chromium and returns what it prints. */
export async function runInChromium(chromium: string, bundle: string, patienceMs: number): Promise<string> {
  const begin = 'let printed = ""; console.log = (...words) => { printed += words.join(" ") + "\\n"; };';
  const script = `${begin}\n${bundle}\n;postMessage(printed);`;
  const { promise, resolve, reject } = promiseWithResolvers<string>();
  const server = createServer((request, response) => {
    if (request.method === 'POST') {
      let body = '';
      request.setEncoding('utf8').on('data', (text: string) => {
        body += text;
      });
      request.on('end', () => {
        response.end();
        resolve(body);
      });
      return;
    }
    const isScript = request.url === '/worker.js';
    response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html');
    response.end(isScript ? script : PAGE);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  const flags = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'];
  const quiet = ['--disable-background-networking', '--disable-component-update', '--disable-sync'];
  const browser = BrowserProcess.begin(
    chromium,
    (profile) => [...flags, ...quiet, `--user-data-dir=${profile}`, `http://127.0.0.1:${port}/`],
    ['ignore', 'ignore', 'ignore'],
  );
  browser.child.on('error', reject);
  const timer = setTimeout(() => reject(new Error('the browser gave no answer in time')), patienceMs);
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    await browser.end();
    server.closeAllConnections();
    server.close();
  }
}

/** `Promise.withResolvers`, which Node 20 lacks. */
function promiseWithResolvers<Value>() {
  let resolve!: (value: Value) => void;
  let reject!: (reason: Error) => void;
  const promise = new Promise<Value>((done, failed) => {
    resolve = done;
    reject = failed;
  });
  return { promise, resolve, reject };
}
