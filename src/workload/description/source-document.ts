import { type Document, LineCounter, parseDocument } from 'yaml';
import { KelpieError } from '../../error.js';

/** The way to a value inside a document: keys and positions. */
export type SourcePath = readonly (string | number)[];

/** Larger than any sensible description; a limit on what a hostile file can cost. */
const MAX_TEXT_LENGTH = 1_000_000;

/**
 * A YAML or JSON text (JSON is YAML) that remembers where each value stands, so that an error can name file and line.
 *
 * @example
 * const document = new SourceDocument('qps: many', 'w.yaml');
 * throw document.error('WORKLOAD_FIELD', 'not a number', ['qps'], 'an integer from 1');
 */
export class SourceDocument {
  readonly fileName: string;
  /** The plain value of the whole document. */
  readonly value: unknown;
  private readonly document: Document.Parsed;
  private readonly lines = new LineCounter();

  constructor(text: string, fileName: string) {
    this.fileName = fileName;
    this.document = this.parse(text);
    const [fault] = this.document.errors;
    if (fault !== undefined) {
      const { line, col } = this.lines.linePos(fault.pos[0]);
      throw new KelpieError('YAML_SYNTAX', `${fileName}:${line}:${col}: ${fault.message}`);
    }
    try {
      // A few hundred aliases are plenty; more is a document that grows without bound when it is unfolded.
      this.value = this.document.toJS({ maxAliasCount: 200 });
    } catch (cause) {
      throw new KelpieError('YAML_SYNTAX', `${fileName}:1: ${(cause as Error).message}`, { cause });
    }
  }

  /** The line of a value, from 1; of the nearest enclosing value where the path leads nowhere. */
  lineOf(path: SourcePath): number {
    for (let depth = path.length; depth > 0; depth--) {
      const keyLine = this.keyLine(path.slice(0, depth));
      if (keyLine !== undefined) return keyLine;
    }
    return this.offsetLine(rangeStart(this.document.contents) ?? 0);
  }

  /** The value at a path; undefined where there is none. */
  at(path: SourcePath): unknown {
    let value: unknown = this.value;
    for (const step of path) {
      if (typeof value !== 'object' || value === null) return undefined;
      value = (value as Record<string | number, unknown>)[step];
    }
    return value;
  }

  /** An error that names file, line, field, the value that stands there and what is allowed. */
  error(code: string, summary: string, path: SourcePath, allowed?: string): KelpieError {
    return new KelpieError(code, `${this.fileName}:${this.lineOf(path)}: ${summary}`, {
      field: formatPath(path),
      given: this.at(path),
      allowed,
    });
  }

  private parse(text: string): Document.Parsed {
    if (text.length > MAX_TEXT_LENGTH) {
      throw new KelpieError('YAML_SYNTAX', `${this.fileName}:1: the file is too large`, {
        given: text.length,
        allowed: `${MAX_TEXT_LENGTH} characters`,
      });
    }
    try {
      return parseDocument(text, { lineCounter: this.lines, prettyErrors: false, stringKeys: true });
    } catch (cause) {
      // The parser recurses, so a file of brackets exhausts the stack.
      throw new KelpieError('YAML_SYNTAX', `${this.fileName}:1: the file is nested too deeply to be read`, {
        cause,
      });
    }
  }

  private keyLine(path: SourcePath): number | undefined {
    const node = this.document.getIn(path, true);
    const start = rangeStart(node);
    return start === undefined ? undefined : this.offsetLine(start);
  }

  private offsetLine(offset: number): number {
    return this.lines.linePos(offset).line;
  }
}

/** A path as people write it: `tenants[1].qps`. */
export function formatPath(path: SourcePath): string {
  return path
    .map((step, index) => (typeof step === 'number' ? `[${step}]` : index === 0 ? step : `.${step}`))
    .join('');
}

function rangeStart(node: unknown): number | undefined {
  const range = (node as { range?: [number, number, number] | null } | null | undefined)?.range;
  return range?.[0];
}
