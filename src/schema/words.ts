import { z } from 'zod';

/** What a schema accepts in words of its author, in place of those that would be made from its checks. */
const authored = z.registry<{ allowed: string }>();

/** Gives a schema the words that messages use for what it accepts. */
export function withWords<Schema extends z.ZodType>(schema: Schema, allowed: string): Schema {
  authored.add(schema, { allowed });
  return schema;
}

/** The schema without what makes it optional or gives it a default. */
export function bare(schema: z.core.$ZodType): z.core.$ZodType {
  let inner = schema;
  while (
    inner instanceof z.ZodOptional ||
    inner instanceof z.ZodDefault ||
    inner instanceof z.ZodPrefault ||
    inner instanceof z.ZodNullable
  )
    inner = inner.unwrap();
  return inner;
}

/** What a schema accepts, in words: `a whole number from 1 to 8`, `RC, UC, UD`, `a list`. */
export function allowedBy(schema: z.core.$ZodType): string {
  const inner = bare(schema);
  const words = authored.get(inner as z.ZodType) ?? authored.get(schema as z.ZodType);
  if (words !== undefined) return words.allowed;
  if (inner instanceof z.ZodEnum) return inner.options.join(', ');
  if (inner instanceof z.ZodLiteral) return [...inner.values].join(', ');
  if (inner instanceof z.ZodNumber) return range(inner);
  if (inner instanceof z.ZodString) return lengths(inner);
  if (inner instanceof z.ZodBoolean) return 'true or false';
  if (inner instanceof z.ZodArray) return items(inner);
  if (inner instanceof z.ZodUnion) return alternatives(inner.options);
  return 'a mapping of fields';
}

/** Literals are listed as one: `256, 512, or a list`. */
function alternatives(options: readonly z.core.$ZodType[]): string {
  const literals = options.filter((option) => bare(option) instanceof z.ZodLiteral).map(allowedBy);
  const others = options.filter((option) => !(bare(option) instanceof z.ZodLiteral)).map(allowedBy);
  return [...(literals.length > 0 ? [literals.join(', ')] : []), ...others].join(', or ');
}

function range({ minValue, maxValue, isInt, def }: z.ZodNumber): string {
  const kind = isInt ? 'a whole number' : 'a number';
  const exclusive = def.checks?.some(({ _zod }) => {
    const check = _zod.def as { check: string; inclusive?: boolean };
    return check.check === 'greater_than' && check.inclusive === false;
  });
  const bounded = (value: number | null) => value !== null && Math.abs(value) < Number.MAX_SAFE_INTEGER;
  if (!bounded(minValue)) return bounded(maxValue) ? `${kind} up to ${maxValue}` : kind;
  const from = exclusive === true ? `${kind} above ${minValue}` : `${kind} from ${minValue}`;
  if (!bounded(maxValue)) return exclusive === true ? from : `${from} up`;
  return exclusive === true ? `${from}, up to ${maxValue}` : `${from} to ${maxValue}`;
}

function lengths({ minLength, maxLength }: z.ZodString): string {
  if (maxLength === null) return 'text';
  return `text of ${minLength ?? 0} to ${maxLength} characters`;
}

function items(schema: z.ZodArray): string {
  const checks = (schema.def.checks ?? []).map(
    ({ _zod }) => _zod.def as { minimum?: number; maximum?: number },
  );
  const least = checks.find(({ minimum }) => minimum !== undefined)?.minimum;
  const most = checks.find(({ maximum }) => maximum !== undefined)?.maximum;
  if (most === undefined) return 'a list';
  return least === most ? `a list of ${most}` : `a list of ${least ?? 0} to ${most}`;
}
