import { Document, isMap, isScalar, isSeq, LineCounter, type Node, parseDocument } from 'yaml';
import { ProfileError, type ProfileFault, type ProfileFaultCode } from './fault.js';

/** Larger than any sensible profile; a limit on what a hostile file can cost. */
const maxTextLength = 1_000_000;

/** What a fault says beside its place. */
export type FaultDetail = Pick<ProfileFault, 'problem' | 'given' | 'allowed'>;

/** A parsed file that knows where each of its nodes stands, and collects what is wrong with it. */
export class SourceText {
  readonly file: string;
  readonly faults: ProfileFault[] = [];
  readonly #source: string | (() => string);
  readonly #lines = new LineCounter();
  #root: Node | null | undefined;

  /** Takes YAML, of which JSON is a part, or what makes it; it is parsed when it is first looked at. */
  constructor(source: string | (() => string), file: string) {
    this.file = file;
    this.#source = source;
  }

  /** A value that a program made, as if it had been read from a file. */
  static ofValue(value: unknown, file: string): SourceText {
    const source = new SourceText('', file);
    source.#root = new Document(withoutUndefined(value), { aliasDuplicateObjects: false })
      .contents as Node | null;
    return source;
  }

  /** The whole document; throws a ProfileError when the text is not well formed. */
  get root(): Node | null {
    if (this.#root === undefined) {
      this.#root = this.#parse(typeof this.#source === 'string' ? this.#source : this.#source());
      this.throwFaults();
    }
    return this.#root;
  }

  /** Records a fault at a node, or at the start of the file. */
  fault(code: ProfileFaultCode, node: Node | null | undefined, field: string, detail: FaultDetail): void {
    this.#faultAt(code, node?.range?.[0] ?? 0, field, detail);
  }

  /** Records a fault at the value of a path such as `constants.xoffBytes.value`, or at its nearest parent. */
  faultAtPath(code: ProfileFaultCode, field: string, detail: FaultDetail): void {
    this.fault(code, this.#nodeAt(field), field, detail);
  }

  /** Throws everything recorded so far, if anything was. */
  throwFaults(): void {
    if (this.faults.length > 0) throw new ProfileError(this.faults);
  }

  #parse(source: string): Node | null {
    if (source.length > maxTextLength) {
      this.#faultAt('PROFILE_SYNTAX', 0, '', {
        problem: 'the file is too large for a profile',
        given: `${source.length} characters`,
        allowed: `${maxTextLength} characters`,
      });
      return null;
    }
    try {
      const document = parseDocument(source, {
        lineCounter: this.#lines,
        prettyErrors: false,
        logLevel: 'error',
      });
      for (const error of document.errors) {
        this.#faultAt('PROFILE_SYNTAX', error.pos[0], '', { problem: error.message.replaceAll('\n', ' ') });
      }
      return document.contents;
    } catch {
      // The parser recurses, so a file of brackets exhausts the stack.
      this.#faultAt('PROFILE_SYNTAX', 0, '', { problem: 'the file is nested too deeply to be read' });
      return null;
    }
  }

  #faultAt(code: ProfileFaultCode, offset: number, field: string, detail: FaultDetail): void {
    const { line, col } = this.#lines.linePos(offset);
    this.faults.push({
      code,
      file: this.file,
      line: Math.max(1, line),
      column: Math.max(1, col),
      field,
      ...detail,
    });
  }

  #nodeAt(field: string): Node | null {
    let node = this.root;
    for (const step of field.split(/[.[\]]+/).filter((part) => part !== '')) {
      const next: unknown =
        isMap(node) || isSeq(node) ? node.get(isSeq(node) ? Number(step) : step, true) : undefined;
      if (!isMap(next) && !isSeq(next) && !isScalar(next)) break;
      node = next;
    }
    return node;
  }
}

/** Fields that are set to undefined were left out. */
function withoutUndefined(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutUndefined);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, inner]) => inner !== undefined)
      .map(([key, inner]) => [key, withoutUndefined(inner)]),
  );
}
