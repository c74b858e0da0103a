import { type JsonSchema, publishedSchema } from '../schema/index.js';
import { DEFAULT_ARCHITECTURE, shippedArchitectures } from './architecture/shipped-architectures.js';
import type { ConstantTable } from './constant.js';
import { completeFields, constantTables, type ProfileKind, schemaOf } from './profile.js';

export type { JsonSchema };

/** The published schema of a kind of profile. */
export function jsonSchema(kind: ProfileKind): JsonSchema {
  const complete = kind === 'device' ? completeDevices() : [completeOf(kind, constantTables[kind])];
  return {
    ...publishedSchema(`${kind}-profile`, `Kelpie ${kind} profile`, schemaOf(kind)),
    // What extends nothing must give everything.
    anyOf: [{ type: 'object', required: ['extends'] }, ...complete],
  };
}

function completeOf(kind: ProfileKind, table: ConstantTable | undefined): JsonSchema {
  return {
    type: 'object',
    required: completeFields[kind],
    ...(table === undefined ? {} : { properties: { constants: requiring(table) } }),
  };
}

/** A device of each architecture by itself, and one with parts of several: the loader knows which constants that needs. */
function completeDevices(): readonly JsonSchema[] {
  const required = completeFields['device'];
  const named = shippedArchitectures.names.map((name) => ({
    type: 'object',
    required: name === DEFAULT_ARCHITECTURE ? required : [...required, 'architecture'],
    properties: {
      architecture: { const: name },
      constants: requiring(shippedArchitectures.tableOf({ base: name, parts: {} })),
    },
  }));
  const mixed = { required: [...required, 'architecture'], properties: { architecture: { type: 'object' } } };
  return [...named, { type: 'object', ...mixed }];
}

function requiring(table: ConstantTable): JsonSchema {
  return { type: 'object', required: Object.keys(table) };
}
