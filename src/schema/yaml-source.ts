import { Composer, type CST, type Document, LineCounter, type Node, Parser } from 'yaml';

/** Larger than any sensible description; limits on what a hostile file can cost. */
const MAX_CHARACTERS = 1_000_000;
const MAX_DEPTH = 64;
/** More aliases make a document that grows without bound when it is unfolded. */
const MAX_ALIASES = 200;

/** A text that was parsed. */
export interface YamlSource {
  value: unknown;
  root: Node | null;
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
  if (documents.length > 1) {
    const second = documents[1].range?.[0] ?? 0;
    errors.push({
      ...placeAt(second),
      problem: 'a second document begins here',
      allowed: 'one document per file',
    });
  }
  if (errors.length > 0) return { errors };
  const [document] = documents;
  try {
    const value: unknown = document.toJS({ maxAliasCount: MAX_ALIASES });
    return { value, root: document.contents as Node | null, placeAt };
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
