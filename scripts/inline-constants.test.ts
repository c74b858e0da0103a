import ts from 'typescript';
import { expect, it } from 'vitest';
import { inlineConstants } from './inline-constants.js';

/** What is emitted for `use.ts`, which imports what `codes.ts` declares. */
function emitted(codes: string, use: string): string {
  const sources: Record<string, string> = { '/codes.ts': codes, '/use.ts': use };
  const options = { target: ts.ScriptTarget.ES2023, module: ts.ModuleKind.ESNext, noLib: true };
  const host = ts.createCompilerHost(options);
  const read = host.getSourceFile.bind(host);
  host.getSourceFile = (name, ...rest) =>
    name in sources
      ? ts.createSourceFile(name, sources[name], ts.ScriptTarget.ES2023, true)
      : read(name, ...rest);
  host.fileExists = (name) => name in sources;
  let text = '';
  host.writeFile = (name, content) => {
    if (name.endsWith('use.js')) text = content;
  };
  const program = ts.createProgram(
    ['/use.ts'],
    { ...options, moduleResolution: ts.ModuleResolutionKind.Bundler },
    host,
  );
  program.emit(undefined, undefined, undefined, false, {
    before: [inlineConstants(program.getTypeChecker())],
  });
  return text;
}

const CODES = `
  export const NONE = -1;
  export const SIZE = 2 ** 4;
  export const MASK = SIZE - 1;
  export const Op = { SEND: 0, READ: 5, LATE: MASK } as const;
  export const Checked = { ONE: 1 } as const satisfies { ONE: number };
  export const loose = { ONE: 1 };
  export let moving = 3;
  export const word = 'READ';
`;

it.each([
  ['Op.READ', '5 /* Op.READ */'],
  ['Op.LATE', '15 /* Op.LATE */'],
  ['Checked.ONE', '1 /* Checked.ONE */'],
  ['MASK', '15 /* MASK */'],
  ['NONE', '(-1) /* NONE */'],
  ['Op.READ | SIZE', '21 /* Op.READ | SIZE */'],
  ['NONE.toString()', '(-1) /* NONE */.toString()'],
  ['SIZE.toString()', '(16) /* SIZE */.toString()'],
])('writes the number for %s', (expression, expected) => {
  const text = emitted(
    CODES,
    `import { ${namesIn(expression)} } from './codes';\nexport const it = ${expression};`,
  );
  expect(text).toContain(`it = ${expected};`);
});

it.each(['loose.ONE', 'moving', 'word', 'Op', 'Op[word]'])('leaves %s as it is', (expression) => {
  const text = emitted(
    CODES,
    `import { ${namesIn(expression)} } from './codes';\nexport const it = ${expression};`,
  );
  expect(text).toContain(`it = ${expression};`);
});

it('leaves names and types as they are', () => {
  const text = emitted(
    CODES,
    `import { MASK, Op } from './codes';
    export { MASK };
    type Code = (typeof Op)['READ'];
    export const table = { MASK, [Op.READ]: 'read' };
    export function f(SIZE: Code, { MASK: other }: { MASK: number }) { const MASK = SIZE + other; return MASK; }`,
  );
  expect(text).toContain('export { MASK };');
  expect(text).toContain("{ MASK, [5 /* Op.READ */]: 'read' }");
  expect(text).toContain('const MASK = SIZE + other');
  expect(text).toContain('return MASK;');
});

function namesIn(expression: string): string {
  return [...new Set(expression.match(/\b(?<!\.)(NONE|SIZE|MASK|Op|Checked|loose|moving|word)\b/g))].join(
    ', ',
  );
}
