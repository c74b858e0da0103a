import { build } from 'esbuild';

/** Benchmarks that measure the speed of compiled code: they run on the package as it is built for users. */
export const ON_BUILT_PACKAGE = ['engine', 'sim', 'fabric', 'idle', 'campaign'];

/** Bundles `bench/NAME.ts` of a tree, whose root ends in a slash, into one module. */
export async function bundleBench(root, name, outfile) {
  const plugins = [];
  if (ON_BUILT_PACKAGE.includes(name))
    plugins.push({
      name: 'built package',
      setup: ({ onResolve }) =>
        onResolve({ filter: /^\.\.\/src\// }, ({ path }) => ({
          path: path.replace('../src/', `${root}dist/`),
          external: true,
        })),
    });
  await build({
    entryPoints: [`${root}bench/${name}.ts`],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    packages: 'external',
    logLevel: 'warning',
    plugins,
  });
}
