import { mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/**
 * Makes a folder and those above it. Node's own recursive way never ends where a file system answers ENOENT to making a
 * folder, as /proc does; here every folder is made once, and what the system says is thrown.
 */
export function makeFolder(path: string): void {
  const missing: string[] = [];
  let at = resolve(path);
  while (!exists(at)) {
    missing.unshift(at);
    const above = dirname(at);
    if (above === at) break;
    at = above;
  }
  for (const folder of missing) {
    try {
      mkdirSync(folder);
    } catch (error) {
      // Somebody else made it meanwhile.
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || !exists(folder)) throw error;
    }
  }
}

function exists(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined;
}
