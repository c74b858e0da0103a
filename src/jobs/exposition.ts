/** Names and values that tell samples of a family apart. */
export type Labels = Readonly<Record<string, string>>;

/**
 * Prometheus' text format 0.0.4, family by family; one without samples is left out.
 *
 * @example
 * const text = new Exposition('kelpie');
 * text.family('runs_total', 'counter', 'Runs.');
 * text.sample({ trigger: 'idle' }, 3);
 * text.end();
 */
export class Exposition {
  private readonly prefix: string;
  private readonly lines: string[] = [];
  private heading: string[] = [];
  private name = '';

  /** Every name begins with the prefix. */
  constructor(prefix: string) {
    this.prefix = prefix;
  }

  family(name: string, type: 'gauge' | 'counter', help: string): void {
    this.name = `${this.prefix}_${name}`;
    this.heading = [`# HELP ${this.name} ${help}`, `# TYPE ${this.name} ${type}`];
  }

  sample(labels: Labels, value: number | null): void {
    if (value === null) return;
    this.lines.push(...this.heading);
    this.heading = [];
    const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escapeLabel(text)}"`);
    this.lines.push(`${this.name}${pairs.length === 0 ? '' : `{${pairs.join(',')}}`} ${value}`);
  }

  end(): string {
    return `${this.lines.join('\n')}\n`;
  }
}

function escapeLabel(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}
