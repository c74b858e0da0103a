import { type JsonSchema, publishedSchema } from '../schema/index.js';
import { completeFields, constantTables, type ProfileKind, schemaOf } from './profile.js';

export type { JsonSchema };

/** The published schema of a kind of profile. */
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
    ...publishedSchema(`Kelpie ${kind} profile`, schemaOf(kind)),
    // What extends nothing must give everything.
    anyOf: [{ type: 'object', required: ['extends'] }, complete],
  };
}
