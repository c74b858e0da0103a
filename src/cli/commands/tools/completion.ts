import { listProfiles } from '../../../profiles/index.js';
import { noSuch } from '../../../schema/index.js';
import { type CommandEntry, defineCommand } from '../../command.js';
import { type CompletionCommand, completionScript, SHELLS } from '../../completion/scripts.js';
import { ExitCode } from '../../exit-code.js';
import { describeOption, type OptionSpec } from '../../option.js';

/** Words that the first argument of a command can be. */
const FIRST_WORDS: Readonly<Record<string, () => readonly string[]>> = {
  bw: () => ['write', 'read', 'send', 'atomic'],
  lat: () => ['write', 'read', 'send', 'atomic'],
  hunt: () => ['show', 'list', 'compare'],
  completion: () => SHELLS,
  show: () => [...listProfiles('subsystem'), ...listProfiles('device')],
  ledger: () => listProfiles('device'),
};

/** Values of flags that are names of shipped profiles, in every command that has them. */
const NAMES_OF_FLAGS: Readonly<Record<string, () => readonly string[]>> = {
  '--subsystem': () => listProfiles('subsystem'),
  '--world': () => listProfiles('world'),
  '--host': () => listProfiles('host'),
  '--device': () => listProfiles('device'),
};

/** `kelpie completion SHELL`: a script that teaches the shell our commands, flags and names. */
export const completion = defineCommand({
  options: [{ flags: '--json', description: 'print the data behind the script as JSON' }],
  examples: ['kelpie completion bash', 'kelpie completion zsh', 'kelpie completion fish'],
  async run({ options, arguments: [given], terminal, commands }) {
    const shell = SHELLS.find((each) => each === given);
    if (shell === undefined) throw noSuch('BAD_ARGUMENT', 'shell', given, SHELLS, { field: 'shell' });
    const known = await Promise.all(commands.map(describeCommand));
    terminal.out(options.json === true ? `${JSON.stringify(known)}\n` : completionScript(shell, known));
    return ExitCode.GOOD;
  },
});

async function describeCommand({ name, summary, load }: CommandEntry): Promise<CompletionCommand> {
  const { options } = await load();
  return {
    name,
    summary,
    words: FIRST_WORDS[name]?.() ?? [],
    flags: options.map(flagOf),
  };
}

function flagOf(spec: OptionSpec): CompletionCommand['flags'][number] {
  const names = spec.flags.match(/(?<![\w<])--?[\w-]+/g) ?? [];
  const takesValue = /[<[]/.test(spec.flags);
  const profiles = names.flatMap((each) => NAMES_OF_FLAGS[each]?.() ?? []);
  return {
    names,
    description: describeOption(spec),
    takesValue,
    values: takesValue ? (spec.choices ?? profiles) : [],
  };
}
