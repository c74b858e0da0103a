import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { KelpieError } from '../../error.js';

/** A file of the page. */
export interface PageFile {
  readonly type: string;
  readonly body: Buffer;
}

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
};

/** What the page may load: what is its own. */
export const PAGE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Where the build leaves the page: beside the compiled program, or where a program of the clone finds that. */
const FOLDERS = ['../../web/', '../../../dist/web/', '../../dist/web/'].map((path) =>
  fileURLToPath(new URL(path, import.meta.url)),
);

/** The page as it was built. */
export const PAGE_FOLDER = FOLDERS.find((folder) => existsSync(join(folder, 'lab.js'))) ?? FOLDERS[0];

/**
 * The files of the page by the path that a browser asks for. They are read once: no path of a request ever reaches the
 * disk. What only the page without a server needs is left out.
 */
export function readPageFiles(folder: string): ReadonlyMap<string, PageFile> {
  if (!existsSync(join(folder, 'lab.js')))
    throw new KelpieError('CANNOT_RUN', 'the page of the laboratory was not built', {
      ...{ field: 'page', given: folder, allowed: 'built: npm run build' },
    });
  const files = new Map<string, PageFile>();
  for (const name of readdirSync(folder)) {
    if (['sw.js', 'worker.bin'].includes(name)) continue;
    const body = readFileSync(join(folder, name));
    const type = TYPES[extname(name)] ?? 'application/octet-stream';
    files.set(`/${name}`, { type, body });
    if (name === 'index.html') files.set('/', { type, body: asServed(body) });
  }
  return files;
}

/** The page of one campaign: the same files without what simulates, as texts by their paths. */
export function readCampaignPage(
  folder: string,
): Readonly<Record<string, { readonly type: string; readonly body: string }>> {
  const files = readPageFiles(folder);
  const take = (path: string) => {
    const { type, body } = files.get(path)!;
    // Who hands them out names the characters.
    return { type: type.replace(/;.*/, ''), body: body.toString('utf8') };
  };
  const page = take('/');
  const body = page.body
    .replace('data-backend="server"', 'data-backend="campaign"')
    .replace(/<link rel="preload"[^>]*>\n?/g, '')
    .replace('<title>Kelpie laboratory</title>', '<title>Kelpie campaign</title>');
  return {
    '/': { type: page.type, body },
    ...Object.fromEntries(['/lab.js', '/lab.css', '/icon.svg'].map((path) => [path, take(path)])),
  };
}

/** The page as it is behind a server: the server runs, so no workers are fetched. */
function asServed(page: Buffer): Buffer {
  const text = page
    .toString('utf8')
    .replace('data-backend="tab"', 'data-backend="server"')
    .replace(/<link rel="preload" href="worker\.bin[^>]*>\n?/, '');
  return Buffer.from(text);
}
