/** One flag of a command, as data: the parser, the help page, the types and the tests read the same table. */
export interface OptionSpec {
  /** As commander writes it: `--seed <number>`, `--assert <thresholds...>`, `--resume [id]`, `--json`, `--no-settings`. */
  readonly flags: string;
  readonly description: string;
  readonly default?: string | number | boolean;
  /** The only values that are taken. */
  readonly choices?: readonly string[];
  /** The flag may be given several times, one value each; its value is all of them. */
  readonly repeats?: true;
}

/** The long name in a flag's declaration: `tx-depth` of `-t, --tx-depth <number>`. */
type LongName<Flags extends string> = Flags extends `${string}--${infer Rest}`
  ? Rest extends `${infer Name} ${string}`
    ? Name
    : Rest
  : never;

type Camel<Name extends string> = Name extends `${infer Word}-${infer Rest}`
  ? `${Word}${Capitalize<Camel<Rest>>}`
  : Name;

/** The name under which a flag's value is found: `txDepth` of `-t, --tx-depth <number>`, `settings` of `--no-settings`. */
export type KeyOf<Flags extends string> =
  LongName<Flags> extends `no-${infer Name}` ? Camel<Name> : Camel<LongName<Flags>>;

/** The same while the program runs. */
export function keyOf<Flags extends string>(flags: Flags): KeyOf<Flags> {
  const [, name = ''] = /--(?:no-)?(\S+)/.exec(flags) ?? [];
  return name.replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase()) as KeyOf<Flags>;
}

type ValueOf<Spec extends OptionSpec> = Spec extends { readonly repeats: true }
  ? readonly string[]
  : Spec['flags'] extends `${string}<${string}...>`
    ? readonly string[]
    : Spec['flags'] extends `${string}<${string}>`
      ? Spec extends { readonly choices: readonly (infer Choice)[] }
        ? Choice
        : string
      : Spec['flags'] extends `${string}[${string}]`
        ? string | true
        : boolean;

/** Specs whose flag always has a value. */
type Given = { readonly default: unknown } | { readonly flags: `${string}--no-${string}` };

/** The parsed flags of a command, by name; one without a default may be missing. */
export type OptionsOf<Specs extends readonly OptionSpec[]> = {
  readonly [Spec in Specs[number] as Spec extends Given ? KeyOf<Spec['flags']> : never]: ValueOf<Spec>;
} & {
  readonly [Spec in Specs[number] as Spec extends Given ? never : KeyOf<Spec['flags']>]?: ValueOf<Spec>;
};

/** What a flag does, with what holds where it is not given: the parser adds a default that the table names. */
export function describeOption({ flags, description, default: usual }: OptionSpec): string {
  const takesValue = /[<[]/.test(flags);
  if (!takesValue || usual !== undefined || /default/.test(description)) return description;
  return `${description} (default: none)`;
}
