/** What a shell needs to know of a command. */
export interface CompletionCommand {
  readonly name: string;
  readonly summary: string;
  readonly flags: readonly CompletionFlag[];
  /** Words that its first argument can be. */
  readonly words: readonly string[];
}

/** What a shell needs to know of a flag. */
export interface CompletionFlag {
  /** `--seed`, `-s`. */
  readonly names: readonly string[];
  readonly description: string;
  readonly takesValue: boolean;
  /** The only values that are taken; empty where there are others, such as files. */
  readonly values: readonly string[];
}

/** The shells that can be completed for. */
export const SHELLS = ['bash', 'zsh', 'fish'] as const;

/** The script that teaches a shell the commands and flags. */
export function completionScript(
  shell: (typeof SHELLS)[number],
  commands: readonly CompletionCommand[],
): string {
  return { bash, zsh, fish }[shell](commands);
}

/** Words and descriptions are our own, but quotes in them would end a shell's. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function bash(commands: readonly CompletionCommand[]): string {
  const cases = commands.map(({ name, flags, words }) => {
    const values = flags
      .filter(({ values: allowed }) => allowed.length > 0)
      .map((flag) => `      ${flag.names.join('|')}) words=${quoted(flag.values.join(' '))} ;;\n`);
    const free = flags.filter(({ takesValue, values: allowed }) => takesValue && allowed.length === 0);
    const files =
      free.length === 0 ? '' : `      ${free.flatMap(({ names }) => names).join('|')}) words= ;;\n`;
    const all = [...words, ...flags.flatMap(({ names }) => names), '--help'];
    return `    ${name}) case "$previous" in\n${values.join('')}${files}      *) words=${quoted(all.join(' '))} ;;\n    esac ;;\n`;
  });
  return `# kelpie completion bash: source it, or put it into bash-completion's folder.
_kelpie() {
  local word="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" words=
  if [ "$COMP_CWORD" -eq 1 ]; then
    words=${quoted(`${commands.map(({ name }) => name).join(' ')} --help --version`)}
  else case "\${COMP_WORDS[1]}" in
${cases.join('')}  esac; fi
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -o default -F _kelpie kelpie
`;
}

function zsh(commands: readonly CompletionCommand[]): string {
  const described = (name: string, text: string) => quoted(`${name}:${text.replaceAll(':', '\\:')}`);
  const cases = commands.map(({ name, flags, words }) => {
    const specs = flags.flatMap((flag) =>
      flag.names.map((each) => {
        const text = flag.description.replaceAll(/[[\]:]/g, ' ');
        const value = flag.values.length > 0 ? `(${flag.values.join(' ')})` : '_files';
        return quoted(`${each}[${text}]${flag.takesValue ? `:value:${value}` : ''}`);
      }),
    );
    const first = words.length > 0 ? [quoted(`1:word:(${words.join(' ')})`)] : [];
    return `    ${name}) _arguments ${[...specs, ...first, quoted('*:file:_files')].join(' ')} ;;\n`;
  });
  return `#compdef kelpie
# kelpie completion zsh: put it into a folder of $fpath as _kelpie.
_kelpie() {
  if (( CURRENT == 2 )); then
    local -a names=(${commands.map(({ name, summary }) => described(name, summary)).join(' ')})
    _describe command names
    return
  fi
  local command=$words[2]
  shift words; (( CURRENT-- ))
  case $command in
${cases.join('')}  esac
}
compdef _kelpie kelpie
`;
}

function fish(commands: readonly CompletionCommand[]): string {
  const lines = commands.flatMap(({ name, summary, flags, words }) => {
    const here = `complete -c kelpie -n ${quoted(`__fish_seen_subcommand_from ${name}`)}`;
    return [
      `complete -c kelpie -n __fish_use_subcommand -f -a ${name} -d ${quoted(summary)}`,
      ...(words.length > 0 ? [`${here} -a ${quoted(words.join(' '))}`] : []),
      ...flags.map((flag) => {
        const names = flag.names.map((each) =>
          each.startsWith('--') ? `-l ${each.slice(2)}` : `-s ${each.slice(1)}`,
        );
        const value = flag.takesValue ? ' -r' : '';
        const values = flag.values.length > 0 ? ` -f -a ${quoted(flag.values.join(' '))}` : '';
        return `${here} ${names.join(' ')}${value}${values} -d ${quoted(flag.description)}`;
      }),
    ];
  });
  return `# kelpie completion fish: put it into ~/.config/fish/completions/kelpie.fish.\n${lines.join('\n')}\n`;
}
