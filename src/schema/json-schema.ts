import { z } from 'zod';

/** A JSON Schema, draft 2020-12, as plain data. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/**
 * The published schema of a kind of document: what an editor needs to complete and check a file as it is written. It says
 * what each field may be; that the values agree with each other only the reader can tell. `name` is that of its file
 * under docs/schema, without the ending.
 */
export function publishedSchema(name: string, title: string, schema: z.ZodType): JsonSchema {
  const { $schema, ...rest } = z.toJSONSchema(schema, { io: 'input' }) as Record<string, unknown>;
  return { $schema, $id: `urn:kelpie:schema:${name}`, title, ...withSchemaField(rest) };
}

/** Editors find the schema by a field `$schema` in the file, which a schema without further fields must allow. */
function withSchemaField(schema: Record<string, unknown>): Record<string, unknown> {
  const { anyOf, properties } = schema;
  if (Array.isArray(anyOf)) return { ...schema, anyOf: anyOf.map(withSchemaField) };
  if (typeof properties !== 'object') return schema;
  const field = { description: 'The address of this schema, for editors.', type: 'string' };
  return { ...schema, properties: { $schema: field, ...properties } };
}
