import { isAlias, isMap, isScalar, isSeq, type Node, type YAMLMap, type YAMLSeq } from 'yaml';
import { nearest } from './nearest.js';
import {
  type ListShape,
  type NumberShape,
  type ObjectShape,
  rangeInWords,
  type Shape,
  type TextShape,
} from './shape.js';
import type { SourceText } from './source-text.js';
import { DURATION_IN_WORDS, durationNs } from './world/duration.js';

/**
 * Compares a node with a shape, records every fault in the source and returns the plain value. The value means
 * something only if no fault was recorded.
 */
export function check(source: SourceText, node: Node | null, shape: Shape, field: string): unknown {
  switch (shape.kind) {
    case 'object':
      return isMap(node)
        ? checkObject(source, node, shape, field)
        : wrongType(source, node, field, 'a mapping of fields');
    case 'list':
      return isSeq(node) ? checkList(source, node, shape, field) : wrongType(source, node, field, 'a list');
    case 'number':
      return checkNumber(source, node, shape, field);
    case 'text':
      return checkText(source, node, shape, field);
    case 'duration':
      return checkDuration(source, node, field);
  }
}

function checkObject(
  source: SourceText,
  node: YAMLMap,
  shape: ObjectShape,
  field: string,
): Record<string, unknown> {
  const value: Record<string, unknown> = {};
  const known = Object.keys(shape.fields);
  for (const { key, value: item } of node.items) {
    const given = isScalar(key) ? key.value : undefined;
    const path = join(field, String(given));
    if (typeof given !== 'string' || !Object.hasOwn(shape.fields, given)) {
      const meant = typeof given === 'string' ? nearest(given, known) : undefined;
      source.fault('PROFILE_UNKNOWN_FIELD', key as Node, path, {
        problem: meant === undefined ? 'no such field' : `no such field; did you mean ${meant}?`,
        allowed: known.length > 12 ? 'the names in docs/profiles.md' : known.join(', '),
      });
      continue;
    }
    // `? key` with nothing after it has no node of its own; its place is the key's.
    if (item === null) wrongType(source, key as Node, path, inWords(shape.fields[given]), 'nothing');
    else value[given] = check(source, item as Node, shape.fields[given], path);
  }
  for (const missing of shape.required) {
    if (node.has(missing)) continue;
    source.fault('PROFILE_MISSING_FIELD', node, join(field, missing), {
      problem: 'the field is missing',
      allowed: inWords(shape.fields[missing]),
    });
  }
  return value;
}

function checkList(source: SourceText, node: YAMLSeq, shape: ListShape, field: string): unknown[] {
  if (node.items.length > shape.maxItems) {
    source.fault('PROFILE_OUT_OF_RANGE', node, field, {
      problem: 'too many items',
      given: node.items.length,
      allowed: `at most ${shape.maxItems}`,
    });
  }
  return node.items.map((item, index) => check(source, item as Node, shape.of, `${field}[${index}]`));
}

function checkNumber(source: SourceText, node: Node | null, shape: NumberShape, field: string): unknown {
  const value = isScalar(node) ? node.value : undefined;
  if (typeof value !== 'number') return wrongType(source, node, field, `a number, ${rangeInWords(shape)}`);
  const fits = value >= shape.min && value <= shape.max && (!shape.integer || Number.isInteger(value));
  if (!fits) {
    source.fault('PROFILE_OUT_OF_RANGE', node, field, {
      problem: shape.integer && !Number.isInteger(value) ? 'not a whole number' : 'out of range',
      given: value,
      allowed: rangeInWords(shape),
    });
  }
  return value;
}

function checkText(source: SourceText, node: Node | null, shape: TextShape, field: string): unknown {
  const value = isScalar(node) ? node.value : undefined;
  if (typeof value !== 'string') return wrongType(source, node, field, inWords(shape));
  const { values, pattern, maxLength } = shape;
  if (values !== undefined && !values.includes(value)) {
    const meant = nearest(value, values);
    source.fault('PROFILE_OUT_OF_RANGE', node, field, {
      problem: meant === undefined ? 'not one of its words' : `not one of its words; did you mean ${meant}?`,
      given: value,
      allowed: inWords(shape),
    });
  } else if (
    value.trim() === '' ||
    value.length > maxLength ||
    (pattern !== undefined && !pattern.expression.test(value))
  ) {
    source.fault('PROFILE_OUT_OF_RANGE', node, field, {
      problem: 'not a text of this kind',
      given: value,
      allowed: inWords(shape),
    });
  }
  return value;
}

function checkDuration(source: SourceText, node: Node | null, field: string): unknown {
  const value = isScalar(node) ? node.value : undefined;
  if (typeof value !== 'number' && typeof value !== 'string')
    return wrongType(source, node, field, DURATION_IN_WORDS);
  if (durationNs(value) === undefined)
    source.fault('PROFILE_OUT_OF_RANGE', node, field, {
      problem: 'not a length of time',
      given: value,
      allowed: DURATION_IN_WORDS,
    });
  return value;
}

function wrongType(
  source: SourceText,
  node: Node | null,
  field: string,
  allowed: string,
  given = typeInWords(node),
): undefined {
  source.fault('PROFILE_BAD_TYPE', node, field, {
    problem: isAlias(node) ? 'anchors and aliases have no place in a profile' : 'wrong type',
    given,
    allowed,
  });
}

function typeInWords(node: Node | null): string {
  if (isMap(node)) return 'a mapping';
  if (isSeq(node)) return 'a list';
  if (isAlias(node)) return 'an alias';
  if (!isScalar(node) || node.value === null) return 'nothing';
  return `${typeof node.value === 'object' ? 'a value' : `a ${typeof node.value}`}, ${String(node.value)}`;
}

function inWords(shape: Shape): string {
  if (shape.kind === 'number') return rangeInWords(shape);
  if (shape.kind === 'duration') return DURATION_IN_WORDS;
  if (shape.kind === 'text')
    return shape.values?.join(', ') ?? shape.pattern?.words ?? `text of 1 to ${shape.maxLength} characters`;
  return shape.meaning;
}

function join(parent: string, child: string): string {
  return parent === '' ? child : `${parent}.${child}`;
}
