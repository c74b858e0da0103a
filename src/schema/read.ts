import { z } from 'zod';
import type { SourceDocument } from './document.js';
import { nearest } from './nearest.js';
import { type Path, valueAt } from './path.js';
import { allowedBy, bare } from './words.js';

/** Longer lists of fields are not repeated in a message. */
const MAX_LISTED = 12;

/**
 * Compares a document with a schema and returns what the schema makes of it; throws a DescriptionError that lists
 * everything that is wrong. A field `$schema`, by which editors find the published schema, is taken and left out.
 *
 * @example
 * const { qps } = readWith(SourceDocument.ofText(text, 'w.yaml', WORKLOAD), z.strictObject({ qps: z.int().min(1) }));
 */
export function readWith<Schema extends z.ZodType>(
  document: SourceDocument,
  schema: Schema,
): z.output<Schema> {
  const value = requireMapping(document);
  const outcome = schema.safeParse(value);
  if (outcome.success) return outcome.data;
  new Reporter(document, value, schema).report(outcome.error.issues, []);
  document.throwFaults();
  throw new Error('unreachable: the schema found something and the reporter did not');
}

/**
 * As `readWith`, but what is wrong with some fields does not keep others from being looked at: faults stay with the
 * document, and the fields without any come back.
 */
export function readSound<Schema extends z.ZodObject>(
  document: SourceDocument,
  schema: Schema,
): Partial<z.output<Schema>> {
  const value = requireMapping(document);
  const outcome = schema.safeParse(value);
  if (outcome.success) return outcome.data;
  const { issues } = outcome.error;
  new Reporter(document, value, schema).report(issues, []);
  const faulty = new Set(
    issues.flatMap((issue) =>
      issue.path.length > 0 ? [String(issue.path[0])] : issue.code === 'unrecognized_keys' ? issue.keys : [],
    ),
  );
  const sound = Object.fromEntries(Object.entries(value).filter(([name]) => !faulty.has(name)));
  const rest = schema.partial().safeParse(sound);
  return rest.success ? (rest.data as Partial<z.output<Schema>>) : {};
}

/** What is sound of a document, and the ways to what is not. */
export interface SoundRest<Output> {
  readonly rest: Output;
  readonly faulty: readonly Path[];
}

/**
 * As `readWith`, but faults stay with the document, and what the schema makes of it without the faulty fields comes back,
 * so that what no schema can say is looked at too. Throws where too little is left.
 */
export function readRest<Schema extends z.ZodType>(
  document: SourceDocument,
  schema: Schema,
): SoundRest<z.output<Schema>> {
  const value = requireMapping(document);
  const outcome = schema.safeParse(value);
  if (outcome.success) return { rest: outcome.data, faulty: [] };
  const { issues } = outcome.error;
  new Reporter(document, value, schema).report(issues, []);
  const faulty = issues.flatMap((issue) => {
    const path = issue.path as (string | number)[];
    return issue.code === 'unrecognized_keys' ? issue.keys.map((key) => [...path, key]) : [path];
  });
  const rest = schema.safeParse(faulty.reduce<unknown>(without, value));
  if (!rest.success) document.throwFaults();
  return { rest: rest.data as z.output<Schema>, faulty };
}

/** A value without the field that a path leads into; a list is left out as a whole. */
function without(value: unknown, path: Path): unknown {
  const [step, ...rest] = path;
  if (typeof value !== 'object' || value === null || step === undefined) return value;
  if (Array.isArray(value))
    return value.map((each, index) => (index === Number(step) ? without(each, rest) : each));
  const { [step]: inside, ...others } = value as Record<string, unknown>;
  const isInside = rest.some((each) => typeof each === 'string');
  return isInside && inside !== undefined ? { ...value, [step]: without(inside, rest) } : others;
}

/** The mapping that every document is, without its `$schema`. */
export function requireMapping(document: SourceDocument): Readonly<Record<string, unknown>> {
  const { value, kind } = document;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    const problem = `${kind.noun} is a mapping of fields`;
    document.report(kind.codes.badType, [], {
      problem,
      given: value ?? null,
      allowed: `see ${kind.reference}`,
    });
    document.throwFaults();
  }
  if (!Object.hasOwn(value as object, '$schema')) return value as Record<string, unknown>;
  const { $schema, ...fields } = value as Record<string, unknown>;
  if (typeof $schema !== 'string')
    document.report(kind.codes.badType, ['$schema'], {
      problem: 'wrong type',
      given: $schema,
      allowed: 'text',
    });
  return fields;
}

type Issue = z.core.$ZodIssue;

/** Turns what a schema found into faults of a document. */
class Reporter {
  private readonly document: SourceDocument;
  private readonly value: unknown;
  private readonly schema: z.core.$ZodType;
  private readonly told = new Set<string>();

  constructor(document: SourceDocument, value: unknown, schema: z.core.$ZodType) {
    this.document = document;
    this.value = value;
    this.schema = schema;
  }

  report(issues: readonly Issue[], base: Path): void {
    for (const issue of issues) this.one(issue, [...base, ...(issue.path as (string | number)[])]);
  }

  private one(issue: Issue, path: Path): void {
    if (issue.code === 'unrecognized_keys') {
      for (const key of issue.keys) this.unknownField(path, key);
      return;
    }
    if (issue.code === 'invalid_union') {
      this.union(issue, path);
      return;
    }
    // Several checks may refuse one value: the first says enough.
    const key = JSON.stringify(path);
    if (this.told.has(key)) return;
    this.told.add(key);
    if (issue.code === 'invalid_key') this.badKey(path);
    else this.badValue(issue, path);
  }

  private unknownField(path: Path, key: string): void {
    const { codes, reference } = this.document.kind;
    const known = fieldsOf(this.schemaAt(path));
    const allowed = known.length > MAX_LISTED ? `see ${reference}` : known.join(', ');
    const detail = { problem: 'there is no such field', allowed, meant: nearest(key, known) };
    this.document.report(codes.unknownField, [...path, key], detail, true);
  }

  private badKey(path: Path): void {
    const around = path.slice(0, -1);
    const record = meantBy(this.schemaAt(around), valueAt(this.value, around));
    const allowed = record instanceof z.ZodRecord ? allowedBy(record.keyType) : undefined;
    const detail = { problem: 'this cannot be a name here', given: path[path.length - 1], allowed };
    this.document.report(this.document.kind.codes.unknownField, path, detail, true);
  }

  private badValue(issue: Issue, path: Path): void {
    const { codes } = this.document.kind;
    const given = valueAt(this.value, path);
    const schema = this.schemaAt(path);
    const allowed = allowedBy(schema);
    if (given === undefined) {
      this.document.report(codes.missingField, path, { problem: 'the field is missing', allowed });
      return;
    }
    // A number that is none of the right ones is out of range, not of another type.
    const wrongNumber =
      issue.code === 'invalid_type' && /^(int|number)$/.test(issue.expected) && typeof given === 'number';
    if (issue.code === 'invalid_type' && !wrongNumber) {
      const meant = asList(schema, given);
      this.document.report(codes.badType, path, {
        problem: 'wrong type',
        given: given ?? null,
        allowed,
        meant,
      });
      return;
    }
    const meant = typeof given === 'string' ? nearest(given, wordsOf(schema)) : undefined;
    this.document.report(codes.outOfRange, path, { problem: problemOf(issue), given, allowed, meant });
  }

  /** The alternative that the value was meant to be decides what is wrong with it. */
  private union(issue: z.core.$ZodIssueInvalidUnion, path: Path): void {
    const given = valueAt(this.value, path);
    const schema = bare(this.schemaAt(path));
    const options = schema instanceof z.ZodUnion ? schema.options : [];
    const alike = options.flatMap((option, index) => (kindOf(option) === kindOfValue(given) ? [index] : []));
    if (alike.length === 1) {
      this.report(issue.errors[alike[0]], path);
      return;
    }
    const { codes } = this.document.kind;
    const allowed = allowedBy(schema);
    const detail = {
      problem: alike.length === 0 ? 'wrong type' : 'not one of its values',
      given: given ?? null,
      allowed,
    };
    this.document.report(alike.length === 0 ? codes.badType : codes.outOfRange, path, detail);
  }

  /** The part of the schema that a path leads to. */
  private schemaAt(path: Path): z.core.$ZodType {
    let schema = this.schema;
    let value: unknown = this.value;
    for (const step of path) {
      schema = partOf(schema, step, value);
      value = valueAt(value, [step]);
    }
    return schema;
  }
}

/** What was probably meant by one value where a list of such values is expected. */
function asList(schema: z.core.$ZodType, given: unknown): string | undefined {
  const fits = /^(number|string)$/.test(typeof given) && z.safeParse(schema, [given]).success;
  return fits ? `[${given}]` : undefined;
}

/** The alternative of a union that a value was meant to be. */
function meantBy(schema: z.core.$ZodType, value: unknown): z.core.$ZodType {
  const inner = bare(schema);
  if (!(inner instanceof z.ZodUnion)) return inner;
  const meant = inner.options.find((option) => kindOf(option) === kindOfValue(value));
  return meant === undefined ? inner : meantBy(meant, value);
}

function partOf(schema: z.core.$ZodType, step: string | number, value: unknown): z.core.$ZodType {
  const inner = meantBy(schema, value);
  if (inner instanceof z.ZodObject) return (inner.shape as Record<string, z.core.$ZodType>)[step] ?? inner;
  if (inner instanceof z.ZodArray) return inner.element;
  if (inner instanceof z.ZodRecord) return inner.valueType;
  return inner;
}

function fieldsOf(schema: z.core.$ZodType): string[] {
  const inner = bare(schema);
  if (inner instanceof z.ZodObject) return Object.keys(inner.shape);
  return inner instanceof z.ZodUnion ? inner.options.flatMap(fieldsOf) : [];
}

/** The words that a value must be one of. */
function wordsOf(schema: z.core.$ZodType): string[] {
  const inner = bare(schema);
  if (inner instanceof z.ZodEnum) return inner.options.map(String);
  if (inner instanceof z.ZodLiteral) return [...inner.values].filter((value) => typeof value === 'string');
  return inner instanceof z.ZodUnion ? inner.options.flatMap(wordsOf) : [];
}

function kindOf(schema: z.core.$ZodType): string {
  const inner = bare(schema);
  if (inner instanceof z.ZodEnum || inner instanceof z.ZodString) return 'string';
  if (inner instanceof z.ZodLiteral) return typeof [...inner.values][0];
  if (inner instanceof z.ZodNumber) return 'number';
  if (inner instanceof z.ZodArray) return 'list';
  return inner instanceof z.ZodBoolean ? 'boolean' : 'mapping';
}

function kindOfValue(value: unknown): string {
  if (Array.isArray(value)) return 'list';
  return typeof value === 'object' && value !== null ? 'mapping' : typeof value;
}

function problemOf(issue: Issue): string {
  switch (issue.code) {
    case 'too_small':
      return issue.origin === 'array'
        ? 'too few items'
        : issue.origin === 'string'
          ? 'too short'
          : 'too small';
    case 'too_big':
      return issue.origin === 'array'
        ? 'too many items'
        : issue.origin === 'string'
          ? 'too long'
          : 'too large';
    case 'invalid_type':
      return issue.expected === 'int' ? 'not a whole number' : 'out of range';
    case 'invalid_value':
      return 'not one of its values';
    case 'not_multiple_of':
      return `not a multiple of ${issue.divisor}`;
    case 'custom':
      return issue.message;
    default:
      return 'not of this form';
  }
}
