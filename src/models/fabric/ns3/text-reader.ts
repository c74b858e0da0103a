import { type ErrorDetail, KelpieError } from '../../../error.js';

/** What is wrong with a line of a file. */
export function fileError(file: string, line: number, problem: string, detail: ErrorDetail): KelpieError {
  return new KelpieError('FABRIC_FILE', `${file}:${line}: ${problem}`, detail);
}

/**
 * The words of a text file with their lines. ns-3 reads its files word by word and does not care about line ends; an
 * error still says where the word stands.
 */
export class TextReader {
  readonly file: string;
  private readonly words: string[] = [];
  private readonly lines: number[] = [];
  private place = 0;

  constructor(file: string, text: string) {
    this.file = file;
    let line = 1;
    for (const row of text.split('\n')) {
      for (const word of row.split(/[ \t\r\v\f]+/)) {
        if (word === '') continue;
        this.words.push(word);
        this.lines.push(line);
      }
      line++;
    }
  }

  get atEnd(): boolean {
    return this.place >= this.words.length;
  }

  /** The line of the word that was read last. */
  get line(): number {
    if (this.words.length === 0) return 1;
    return this.lines[Math.min(Math.max(this.place - 1, 0), this.lines.length - 1)];
  }

  /** Whether the word that was read last is the first of its line. */
  get beginsLine(): boolean {
    return this.place < 2 || this.lines[this.place - 1] !== this.lines[this.place - 2];
  }

  /** The next word. */
  word(field: string, allowed = 'a value'): string {
    if (this.atEnd)
      throw fileError(this.file, this.line, `the file ends before ${field}`, { field, allowed });
    return this.words[this.place++];
  }

  /** The next word as a number. */
  number(field: string, allowed = 'a number'): number {
    const word = this.word(field, allowed);
    const value = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/.test(word) ? Number(word) : Number.NaN;
    if (!Number.isFinite(value)) this.refuse(field, word, allowed);
    return value;
  }

  /** The next word as a whole number between two bounds. */
  integer(field: string, least: number, most: number): number {
    const allowed = `a whole number from ${least} to ${most}`;
    const value = this.number(field, allowed);
    if (!Number.isInteger(value) || value < least || value > most) this.refuse(field, value, allowed);
    return value;
  }

  /** The word that was read last, or one of an earlier line, is wrong. */
  refuse(field: string, given: unknown, allowed: string, line = this.line): never {
    throw fileError(this.file, line, `this is no ${field}`, { field, given, allowed });
  }
}
