import type { Path, SourceDocument } from '../../schema/index.js';

/** Which fields a kind of thing has beside `kind`. */
export interface KindFields {
  readonly required: readonly string[];
  readonly optional: readonly string[];
}

/** Reports fields that a kind needs and does not have, and those that it has and does not know. */
export function checkFields(
  document: SourceDocument,
  path: Path,
  given: Readonly<Record<string, unknown>>,
  kind: string,
  { required, optional }: KindFields,
): void {
  const { codes } = document.kind;
  for (const field of required)
    if (given[field] === undefined)
      document.report(codes.missingField, [...path, field], {
        problem: `the field is missing: ${kind} needs it`,
        allowed: `${[...required, ...optional].join(', ')}`,
      });
  const known = ['kind', ...required, ...optional];
  for (const field of Object.keys(given))
    if (given[field] !== undefined && !known.includes(field))
      document.report(
        codes.unknownField,
        [...path, field],
        { problem: `${kind} has no such field`, allowed: known.join(', ') },
        true,
      );
}
