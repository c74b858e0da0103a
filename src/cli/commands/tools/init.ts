import { existsSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { KelpieError } from '../../../error.js';
import { makeFolder } from '../../../node/index.js';
import { noSuch } from '../../../schema/index.js';
import { defineCommand, type InvocationOf } from '../../command.js';
import { ExitCode } from '../../exit-code.js';
import { type Template, templates, WHOLE_LABORATORY } from '../../init/templates.js';
import type { OptionSpec } from '../../option.js';
import { shellWord } from '../../terminal.js';

/** The published schemas, which are shipped beside the program. */
const SCHEMAS = fileURLToPath(new URL('../../../../docs/schema', import.meta.url));

const flags = [
  { flags: '--force', description: 'overwrite existing files' },
  { flags: '--json', description: 'print what was written as JSON' },
] as const satisfies readonly OptionSpec[];

type InitInvocation = InvocationOf<typeof flags>;

/** `kelpie init [kind] [folder]`: files to start from. */
export const init = defineCommand({
  options: flags,
  examples: ['kelpie init my-lab', 'kelpie init workload', 'kelpie init device my-lab'],
  run,
});

async function run({ options, arguments: words, terminal }: InitInvocation): Promise<ExitCode> {
  const { wanted, folder } = request(words);
  const files = wanted.map((template) => ({ template, path: join(folder, template.file) }));
  const there = files.filter(({ path }) => existsSync(path)).map(({ path }) => path);
  if (there.length > 0 && options.force !== true)
    throw new KelpieError('FILE_EXISTS', 'this already exists', {
      field: 'folder',
      given: there.join(', '),
      allowed: 'another folder, or --force to overwrite it',
    });
  try {
    makeFolder(folder);
    for (const { template, path } of files) writeFileSync(path, textOf(template, folder));
  } catch (cause) {
    throw new KelpieError('CANNOT_RUN', `the files cannot be written: ${(cause as Error).message}`, {
      field: 'folder',
      given: folder,
      allowed: 'a folder that can be written to',
      cause,
    });
  }
  const next = nextSteps(wanted, folder);
  if (options.json === true) {
    const written = files.map(({ template: { kind }, path }) => ({ kind, path }));
    terminal.out(`${JSON.stringify({ folder, written, next })}\n`);
  } else {
    for (const { template, path } of files) terminal.out(`wrote ${path}: ${template.summary}\n`);
    if (next.length > 0) terminal.out(`try:\n${next.map((line) => `  ${line}\n`).join('')}`);
  }
  return ExitCode.GOOD;
}

/** What is asked for: `kelpie init device my-lab`, `kelpie init device`, `kelpie init my-lab`, `kelpie init`. */
function request(words: readonly string[]): { wanted: readonly Template[]; folder: string } {
  const [first, second] = words;
  const one = templates.find(({ kind }) => kind === first);
  if (one !== undefined) return { wanted: withNeeds(one), folder: second ?? '.' };
  if (second !== undefined)
    throw noSuch(
      'BAD_ARGUMENT',
      'kind',
      first,
      templates.map(({ kind }) => kind),
      { field: 'kind' },
    );
  return {
    wanted: templates.filter(({ kind }) => WHOLE_LABORATORY.includes(kind)),
    folder: first ?? '.',
  };
}

function withNeeds(template: Template): Template[] {
  const needed = (template.needs ?? []).map((kind) => templates.find((each) => each.kind === kind)!);
  return [...needed, template];
}

/** The text of a file, which tells editors its schema. */
function textOf({ schema, text }: Template, folder: string): string {
  const path = relative(resolve(folder), join(SCHEMAS, `${schema}.schema.json`)).replaceAll('\\', '/');
  return `# yaml-language-server: $schema=${path}\n${text}`;
}

/** Commands that use what was written. */
function nextSteps(wanted: readonly Template[], folder: string): string[] {
  const place = shellWord(folder);
  const own = wanted.some(({ kind }) => kind === 'subsystem') ? ` --profile ${place}` : '';
  const workload = wanted.find(({ kind }) => kind === 'workload');
  const campaign = wanted.find(({ kind }) => kind === 'campaign');
  return [
    ...(campaign === undefined ? [] : [`kelpie campaign run ${shellWord(join(folder, campaign.file))}`]),
    ...(workload === undefined ? [] : [`kelpie run ${shellWord(join(folder, workload.file))}${own}`]),
    ...(own === '' ? [] : [`kelpie show my-nic${own}`, `kelpie hunt${own} --budget 60`]),
  ];
}
