import {
  completeFields,
  constantTables,
  type ProfileKind,
  profileShapes,
  provenanceShapes,
} from './profile.js';
import type { Shape } from './shape.js';

/** A JSON Schema, draft 2020-12, as plain data. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/**
 * The published schema of a kind of profile: what an editor needs to complete and check a file as it is written. It
 * says what each field may be; that the values agree with each other only the loader can tell.
 */
export function jsonSchema(kind: ProfileKind): JsonSchema {
  const table = constantTables[kind];
  const complete = {
    type: 'object',
    required: completeFields[kind],
    ...(table === undefined
      ? {}
      : { properties: { constants: { type: 'object', required: Object.keys(table) } } }),
  };
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: `Kelpie ${kind} profile`,
    ...convert(profileShapes[kind]),
    // What extends nothing must give everything.
    anyOf: [{ type: 'object', required: ['extends'] }, complete],
    ...(table === undefined ? {} : { $defs: definitions }),
  };
}

/** What every constant repeats is defined once. */
const shared = new Map<Shape, string>(Object.entries(provenanceShapes).map(([name, shape]) => [shape, name]));
const definitions = Object.fromEntries(
  Object.entries(provenanceShapes).map(([name, shape]) => [name, describe(shape)]),
);

function convert(shape: Shape): JsonSchema {
  const name = shared.get(shape);
  return name === undefined ? describe(shape) : { $ref: `#/$defs/${name}` };
}

function describe(shape: Shape): JsonSchema {
  const description = shape.meaning;
  switch (shape.kind) {
    case 'number':
      return {
        description,
        type: shape.integer ? 'integer' : 'number',
        minimum: shape.min,
        maximum: shape.max,
      };
    case 'text':
      if (shape.values !== undefined) return { description, enum: shape.values };
      return {
        description,
        type: 'string',
        minLength: 1,
        maxLength: shape.maxLength,
        pattern: shape.pattern?.expression.source ?? '\\S',
      };
    case 'duration':
      return {
        description,
        anyOf: [
          { type: 'number', minimum: 0 },
          { type: 'string', pattern: '^\\d{1,15}(\\.\\d{1,9})? ?(ns|us|ms|s)$' },
        ],
      };
    case 'list':
      return { description, type: 'array', items: convert(shape.of), maxItems: shape.maxItems };
    case 'object': {
      const properties = Object.fromEntries(
        Object.entries(shape.fields).map(([field, inner]) => [field, convert(inner)]),
      );
      const required = shape.required.length === 0 ? {} : { required: shape.required };
      return { description, type: 'object', properties, ...required, additionalProperties: false };
    }
  }
}
