// Writes the reference of every face of the package, as HTML in build/api: `npm run docs:api`. With --check it only looks
// for faults: links to nothing, and types that a face uses and does not document. Warnings are errors.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Application } from 'typedoc';
import { load as documentMissing } from 'typedoc-plugin-missing-exports';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = 'build/api';

/** The sources of the faces that package.json exports. */
function entryPoints() {
  const { exports } = JSON.parse(readFileSync(`${root}package.json`, 'utf8'));
  return Object.values(exports).flatMap((each) =>
    typeof each === 'object' ? [each.types.replace('./dist/', 'src/').replace('.d.ts', '.ts')] : [],
  );
}

process.chdir(root);
const app = await Application.bootstrapWithPlugins({
  entryPoints: entryPoints(),
  tsconfig: 'tsconfig.build.json',
  name: 'Kelpie',
  readme: 'docs/README.md',
  // Links of that page lead to other pages of docs, which are not copied.
  validation: { notExported: true, invalidLink: true, rewrittenLink: true, notDocumented: false },
  treatWarningsAsErrors: true,
  // What a face uses and does not export itself is documented as internal.
  plugin: [documentMissing],
  placeInternalsInOwningModule: true,
  includeDocCommentReferences: true,
  excludePrivate: true,
  excludeExternals: true,
  disableSources: true,
});
const project = await app.convert();
if (project !== undefined) {
  app.validate(project);
  if (!process.argv.includes('--check') && !app.logger.hasErrors()) await app.generateDocs(project, folder);
}
process.exitCode = project === undefined || app.logger.hasErrors() || app.logger.hasWarnings() ? 1 : 0;
if (process.exitCode === 0)
  console.log(process.argv.includes('--check') ? 'no warning' : `${folder}/index.html`);
