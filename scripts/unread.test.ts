import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { deviceConstants, fabricConstants, hostConstants, settings } from '../src/profiles/index.js';
import { tenantSchema } from '../src/workload/description/description.js';

// Goal: whatever a profile or a workload may say has an effect. Method: every name that product code reads, as a property
// or by destructuring, parsed and not searched as text, so that comments and tables of names do not count.

const root = fileURLToPath(new URL('../src/', import.meta.url));

/** Names that the code of some files reads. */
function readNames(isReader: (file: string) => boolean): ReadonlySet<string> {
  const names = new Set<string>();
  const files = readdirSync(root, { recursive: true })
    .map(String)
    .filter(
      (file) => file.endsWith('.ts') && !/\.test\.ts$|testing\/|\.generated\./.test(file) && isReader(file),
    );
  for (const file of files) {
    const source = ts.createSourceFile(file, readFileSync(root + file, 'utf8'), ts.ScriptTarget.Latest);
    const visit = (node: ts.Node): void => {
      if (ts.isPropertyAccessExpression(node)) names.add(node.name.text);
      else if (ts.isBindingElement(node)) {
        const name = node.propertyName ?? node.name;
        if (ts.isIdentifier(name)) names.add(name.text);
      } else if (ts.isElementAccessExpression(node) && ts.isStringLiteral(node.argumentExpression))
        names.add(node.argumentExpression.text);
      ts.forEachChild(node, visit);
    };
    visit(source);
  }
  return names;
}

describe('nothing is accepted and then ignored:', () => {
  const ofModels = readNames((file) => !/profiles\/[a-z]+-constants\.ts$/.test(file));

  it.each([
    ['device', deviceConstants],
    ['host', hostConstants],
    ['fabric', fabricConstants],
  ])('every constant of a %s is read', (_, table) => {
    expect(Object.keys(table).length).toBeGreaterThan(5);
    expect(Object.keys(table).filter((name) => !ofModels.has(name))).toEqual([]);
  });

  it('every setting is read', () => {
    expect(Object.keys(settings).filter((name) => !ofModels.has(name))).toEqual([]);
  });

  it('every field of a tenant is read by the program that runs it', () => {
    const ofPrograms = readNames(
      (file) => file.startsWith('workload/') && !file.startsWith('workload/description/'),
    );
    // These are read where a description is completed and checked, and become others there.
    const completed = ['senders', 'to', 'from', 'direction', 'memory', 'sizes'];
    const unread = Object.keys(tenantSchema.shape).filter(
      (name) => !ofPrograms.has(name) && !completed.includes(name),
    );
    expect(unread).toEqual([]);
  });

  it('and a name that nothing reads would be found', () => {
    expect(ofModels.has('coresPerSocket')).toBe(true);
    expect(ofModels.has('aConstantThatNobodyReads')).toBe(false);
  });
});
