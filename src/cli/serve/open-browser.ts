import { spawn } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { escapeHtml } from '../../report/html.js';

const OPENERS: Readonly<Record<string, readonly string[]>> = {
  darwin: ['open'],
  win32: ['cmd', '/c', 'start', ''],
};

/**
 * Opens an address in the user's browser. The address has the token in it, and other users of a machine see the arguments
 * of programs: the browser is given a file that only this user may read, which leads there. Gives how to remove the file.
 */
export function openBrowser(url: string, folder: string, onFault: () => void): () => void {
  const file = join(folder, 'open.html');
  const target = escapeHtml(url);
  writeFileSync(
    file,
    `<!doctype html><meta http-equiv="refresh" content="0;url=${target}"><a href="${target}">kelpie serve</a>\n`,
    {
      mode: 0o600,
    },
  );
  const [program, ...given] = OPENERS[process.platform] ?? ['xdg-open'];
  const child = spawn(program, [...given, pathToFileURL(file).href], { stdio: 'ignore', detached: true });
  child.on('error', onFault);
  // It is there, and found no browser.
  child.on('exit', (code) => {
    if (code !== 0 && code !== null) onFault();
  });
  child.unref();
  return () => rmSync(file, { force: true });
}
