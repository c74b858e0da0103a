import { build } from 'esbuild';
import { expect, it } from 'vitest';

/** All that is loaded before `kelpie` has looked at its arguments: what main.ts imports, without `import()`. */
async function loadedAtStart(): Promise<string[]> {
  const { metafile } = await build({
    entryPoints: ['src/cli/main.ts'],
    bundle: true,
    write: false,
    metafile: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    logLevel: 'silent',
  });
  const seen = new Set<string>();
  const visit = (path: string): void => {
    if (seen.has(path)) return;
    seen.add(path);
    for (const imported of metafile.inputs[path]?.imports ?? [])
      if (imported.kind === 'import-statement') visit(imported.path);
  };
  visit('src/cli/main.ts');
  return [...seen];
}

it('a command is loaded when it is typed, so that `kelpie --version` answers at once', async () => {
  const loaded = await loadedAtStart();
  expect(loaded).toContain('src/cli/commands/index.ts');
  const beyond = loaded.filter((path) => !/^src\/(cli\/|error\.ts|version\.ts)/.test(path));
  // The class of faults in a file and the search for the nearest word are small and need no schema.
  expect(beyond.sort()).toEqual(['commander', 'src/schema/fault.ts', 'src/schema/nearest.ts']);
  expect(loaded.filter((path) => /^src\/cli\/commands\/(?!index)/.test(path))).toEqual([]);
});
