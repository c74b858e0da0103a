import { Composer, type CST, type Document, LineCounter, type Node, Parser } from 'yaml';

/** Larger than any sensible description; limits on what a hostile file can cost. */
const MAX_CHARACTERS = 1_000_000;
const MAX_DEPTH = 64;
/** More aliases make a document that grows without bound when it is unfolded. */
const MAX_ALIASES = 200;
const MAX_DOCUMENTS = 1000;

/** A text that was parsed. */
export interface YamlSource {
  value: unknown;
  root: Node | null;
  /** Where it begins in the text. */
  beginsAt: number;
  /** The line and the column, from 1, of a position in the text. */
  placeAt(offset: number): { line: number; column: number };
}

/** Why a text was not parsed. */
export interface SyntaxFault {
  line: number;
  column: number;
  problem: string;
  given?: unknown;
  allowed?: string;
}

/** Parses one YAML document within limits of size and depth. */
export function parseYaml(text: string): YamlSource | { errors: SyntaxFault[] } {
  const outcome = parseYamlStream(text);
  if ('errors' in outcome) return outcome;
  const [first, second] = outcome.documents;
  if (second === undefined) return first;
  const problem = 'a second document begins here';
  return { errors: [{ ...second.placeAt(second.beginsAt), problem, allowed: 'one document per file' }] };
}

/** The values of the documents in a text; null where it is not well formed. */
export function parseDocuments(text: string): unknown[] | null {
  const outcome = parseYamlStream(text);
  return 'errors' in outcome ? null : outcome.documents.map(({ value }) => value);
}

/** Parses a file of one or more YAML documents, within the same limits; empty ones among several are left out. */
export function parseYamlStream(text: string): { documents: YamlSource[] } | { errors: SyntaxFault[] } {
  if (text.length > MAX_CHARACTERS) {
    const given = `${text.length} characters`;
    const allowed = `up to ${MAX_CHARACTERS} characters`;
    return { errors: [{ line: 1, column: 1, problem: 'the file is too large', given, allowed }] };
  }
  const lines = new LineCounter();
  const placeAt = (offset: number) => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(1, line), column: Math.max(1, col) };
  };
  const tokens = [...new Parser(lines.addNewLine).parse(text)];
  // The composer recurses where the parser does not: nesting is measured before it could exhaust the stack.
  const deep = tooDeep(tokens);
  if (deep !== null) {
    const problem = 'nested too deeply';
    return { errors: [{ ...placeAt(deep), problem, allowed: `up to ${MAX_DEPTH} levels` }] };
  }
  const composer = new Composer({
    lineCounter: lines,
    prettyErrors: false,
    logLevel: 'error',
    stringKeys: true,
  });
  const documents = [...composer.compose(tokens, true, text.length)];
  const errors = documents.flatMap((document) => syntaxFaults(document, placeAt));
  if (documents.length > MAX_DOCUMENTS) {
    const place = placeAt(documents[MAX_DOCUMENTS].range?.[0] ?? 0);
    errors.push({ ...place, problem: 'too many documents', allowed: `up to ${MAX_DOCUMENTS} in a file` });
  }
  if (errors.length > 0) return { errors };
  try {
    const sources = documents.map((document) => ({
      value: document.toJS({ maxAliasCount: MAX_ALIASES }) as unknown,
      root: document.contents as Node | null,
      beginsAt: document.range?.[0] ?? 0,
      placeAt,
    }));
    const filled = sources.filter(({ value }) => value !== null);
    return { documents: filled.length > 0 ? filled : sources.slice(0, 1) };
  } catch (error) {
    return { errors: [{ line: 1, column: 1, problem: (error as Error).message }] };
  }
}

function syntaxFaults(
  document: Document.Parsed | Document,
  placeAt: (offset: number) => { line: number; column: number },
): SyntaxFault[] {
  return document.errors.map((error) => ({
    ...placeAt(error.pos[0]),
    problem: error.message.replaceAll(/\s+/g, ' ').trim(),
  }));
}

/** Where a document goes deeper than allowed; null where it does not. */
function tooDeep(tokens: readonly CST.Token[]): number | null {
  const pending = tokens.map((token): [token: CST.Token, depth: number] => [token, 0]);
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const [token, depth] = next;
    const inner: (CST.Token | null | undefined)[] = [];
    let deeper = depth;
    if (token.type === 'document') inner.push(token.value);
    else if ('items' in token) {
      deeper++;
      if (deeper > MAX_DEPTH) return token.offset;
      for (const item of token.items) inner.push(item.key, item.value);
    }
    for (const each of inner) if (each != null) pending.push([each, deeper]);
  }
  return null;
}
