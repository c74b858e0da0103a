import { isMap, isPair, isScalar, isSeq, type Node, type Pair } from 'yaml';
import { DescriptionError, type DocumentKind, type Fault, type FaultDetail } from './fault.js';
import { formatPath, type Path, parsePath, valueAt } from './path.js';
import { parseYaml, parseYamlStream, type SyntaxFault, type YamlSource } from './yaml-source.js';

/**
 * A document that is read: YAML or JSON text (JSON is YAML) that knows where each of its values stands, or a value that a
 * program made. Collects what is wrong with it.
 *
 * @example
 * const document = SourceDocument.ofText('qps: many', 'w.yaml', WORKLOAD);
 * document.report('WORKLOAD_INVALID', ['qps'], { problem: 'not a number' });
 * document.throwFaults(); // w.yaml:1:6: qps: not a number
 */
export class SourceDocument {
  readonly file: string;
  readonly kind: DocumentKind;
  private readonly faults: Fault[] = [];
  private readonly text: string | (() => string) | null;
  private readonly given: unknown;
  private source: YamlSource | null = null;

  private constructor(
    file: string,
    kind: DocumentKind,
    text: string | (() => string) | null,
    given: unknown,
  ) {
    this.file = file;
    this.kind = kind;
    this.text = text;
    this.given = given;
  }

  /** Takes text, or what makes it; it is parsed when it is first looked at. */
  static ofText(text: string | (() => string), file: string, kind: DocumentKind): SourceDocument {
    return new SourceDocument(file, kind, text, undefined);
  }

  /** Takes text of one or more documents, each of which knows its own place; throws where it is not well formed. */
  static allOfText(text: string, file: string, kind: DocumentKind): SourceDocument[] {
    const outcome = parseYamlStream(text);
    if ('errors' in outcome) throw syntaxError(outcome.errors, file, kind);
    return outcome.documents.map((source) => {
      const document = new SourceDocument(file, kind, text, undefined);
      document.source = source;
      return document;
    });
  }

  /** Takes a value that a program made; its faults have no lines. */
  static ofValue(value: unknown, file: string, kind: DocumentKind): SourceDocument {
    return new SourceDocument(file, kind, null, value);
  }

  /** The plain value of the whole document; throws a DescriptionError where the text is not well formed. */
  get value(): unknown {
    return this.text === null ? this.given : this.parsed.value;
  }

  /** The value at a path; undefined where there is none. */
  at(path: Path): unknown {
    return valueAt(this.value, path);
  }

  /** Records a fault at a field, or at the nearest value around it; `onKey` points at its name instead of its value. */
  report(code: string, field: Path | string, detail: FaultDetail, onKey = false): void {
    this.faults.push(this.faultAt(code, field, detail, onKey));
  }

  /** An error about one field, for one that turns out to be wrong only later. */
  errorAt(code: string, field: Path | string, detail: FaultDetail): DescriptionError {
    return new DescriptionError([this.faultAt(code, field, detail, false)]);
  }

  private faultAt(code: string, field: Path | string, detail: FaultDetail, onKey: boolean): Fault {
    const path = typeof field === 'string' ? parsePath(field) : field;
    const { line, column } = this.placeOf(path, onKey);
    const name = typeof field === 'string' ? field : formatPath(path);
    return { code, file: this.file, line, column, field: name, ...detail };
  }

  /** Throws everything that was recorded, if anything was. */
  throwFaults(): void {
    if (this.faults.length > 0) throw new DescriptionError(this.faults.splice(0));
  }

  private get parsed(): YamlSource {
    if (this.source === null) {
      const outcome = parseYaml(typeof this.text === 'function' ? this.text() : (this.text ?? ''));
      if ('errors' in outcome) throw syntaxError(outcome.errors, this.file, this.kind);
      this.source = outcome;
    }
    return this.source;
  }

  private placeOf(path: Path, onKey: boolean): { line: number; column: number } {
    if (this.text === null) return { line: 0, column: 0 };
    const { root, placeAt } = this.parsed;
    let offset = startOf(root) ?? 0;
    let node: Node | null = root;
    for (const [index, step] of path.entries()) {
      const item: Pair | Node | undefined = childOf(node, step);
      if (item === undefined) break;
      const last = index === path.length - 1;
      const value = (isPair(item) ? item.value : item) as Node | null;
      // `? key` and `key:` with nothing after it have no value of their own; their place is the key's.
      const empty = isPair(item) && (value === null || (isScalar(value) && value.source === ''));
      const shown = isPair(item) && (empty || (last && onKey)) ? (item.key as Node) : value;
      offset = startOf(shown) ?? offset;
      node = value;
    }
    return placeAt(offset);
  }
}

function syntaxError(errors: readonly SyntaxFault[], file: string, kind: DocumentKind): DescriptionError {
  return new DescriptionError(
    errors.map((error) => ({ code: kind.codes.syntax, file, field: '', ...error })),
  );
}

function childOf(node: Node | null, step: string | number): Pair | Node | undefined {
  if (isMap(node))
    return node.items.find(({ key }) => (isScalar(key) ? String(key.value) : undefined) === String(step));
  if (isSeq(node) && typeof step === 'number') return node.items[step] as Node | undefined;
  return undefined;
}

function startOf(node: Node | null | undefined): number | undefined {
  return node?.range?.[0];
}
