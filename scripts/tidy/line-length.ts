import ts from 'typescript';

/** The formatter breaks code at 110 columns; comments and what it cannot break may take a few more. */
const LONGEST = 125;

/** The lines of a file that are too long although nothing in them keeps them from being broken, as `path:line`. */
export function longLines(text: string, path: string): string[] {
  const lines = text.split('\n');
  const long = lines.flatMap((line, index) => (line.length > LONGEST ? [index] : []));
  if (long.length === 0) return [];
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const unbreakable = new Map<number, number>();
  const visit = (node: ts.Node): void => {
    if (
      ts.isStringLiteralLike(node) ||
      ts.isTemplateExpression(node) ||
      ts.isRegularExpressionLiteral(node)
    ) {
      const first = file.getLineAndCharacterOfPosition(node.getStart()).line;
      const last = file.getLineAndCharacterOfPosition(node.end).line;
      for (let line = first; line <= last; line++) {
        const from = Math.max(node.getStart(), file.getPositionOfLineAndCharacter(line, 0));
        const to = line === last ? node.end : file.getPositionOfLineAndCharacter(line + 1, 0) - 1;
        unbreakable.set(line, (unbreakable.get(line) ?? 0) + to - from);
      }
      return;
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return long
    .filter(
      (index) => lines[index].length - (unbreakable.get(index) ?? 0) > LONGEST || !unbreakable.has(index),
    )
    .map((index) => `${path}:${index + 1}`);
}
