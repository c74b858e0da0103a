/** A fenced block of a page, or an example of a module's documentation. */
export interface CodeBlock {
  /** Where it stands: `docs/software.md:7`. */
  place: string;
  /** `ts`, `sh`, `yaml`, …; empty where the fence names none. */
  language: string;
  /** The file that it is, where the fence names one: ` ```yaml my-nic.yaml`. */
  file: string | null;
  text: string;
}

const FENCE = /^( *)```(.*)$/;

/** Every fenced block of a Markdown page, in order. */
export function codeBlocks(page: string, path: string): CodeBlock[] {
  const blocks: CodeBlock[] = [];
  let open: { indent: string; block: CodeBlock; lines: string[] } | null = null;
  for (const [index, line] of page.split('\n').entries()) {
    const fence = FENCE.exec(line);
    if (open === null && fence !== null) {
      const [language = '', file] = fence[2].trim().split(/\s+/);
      const block = { place: `${path}:${index + 1}`, language, file: file ?? null, text: '' };
      open = { indent: fence[1], block, lines: [] };
    } else if (open !== null && fence !== null && fence[2] === '') {
      open.block.text = `${open.lines.join('\n')}\n`;
      blocks.push(open.block);
      open = null;
    } else if (open !== null) open.lines.push(line.slice(open.indent.length));
  }
  if (open !== null) throw new Error(`${open.block.place}: the block is not closed`);
  return blocks;
}

/** The examples in the comment that documents a module, each up to the next tag. */
export function moduleExamples(source: string, path: string): CodeBlock[] {
  const comment = /^\/\*\*[\s\S]*?\*\//.exec(source)?.[0] ?? '';
  if (!/^ \* @module$/m.test(comment)) return [];
  const lines = comment.split('\n').map((line) => line.replace(/^ \* ?/, ''));
  const blocks: CodeBlock[] = [];
  let open: CodeBlock | null = null;
  for (const [index, line] of lines.entries()) {
    if (line.startsWith('@') || line === '/') open = null;
    if (line.trim() === '@example') {
      open = { place: `${path}:${index + 1}`, language: 'ts', file: null, text: '' };
      blocks.push(open);
    } else if (open !== null) open.text += `${line}\n`;
  }
  return blocks;
}

/** What a program promises to print: the comments behind its calls of `console.log`, in order. */
export function promisedLines(program: string): string[] {
  return [...program.matchAll(/^\s*console\.log\(.*\); \/\/ (.+)$/gm)].map((match) => match[1]);
}
