import { KelpieError } from '../../error.js';
import type { WorkloadInput } from '../../workload/index.js';

/** Fields of the workload itself; all others are its tenants'. */
const OWN_FIELDS = ['name', 'description', 'measure', 'settings', 'tenants'];
const MOST_STEPS = 8;

type Value = number | string;

/**
 * A workload with one field changed. A plain field is that of every tenant; `tenants.NAME.FIELD` is one tenant's; `size` is
 * the one size of messages; steps inside of a field go by dots and brackets.
 *
 * @example
 * withField({ qps: 4 }, 'rateLimit.gbps', 10); // { qps: 4, rateLimit: { gbps: 10 } }
 * withField({ tenants: [{ name: 'rpc' }] }, 'tenants.rpc.sizes[0]', 64);
 */
export function withField(workload: WorkloadInput, field: string, value: Value): WorkloadInput {
  const steps = stepsOf(field);
  const [first, which, ...inner] = steps;
  const tenants = 'tenants' in workload ? workload.tenants : undefined;
  if (first === 'tenants' && tenants !== undefined) {
    const at = typeof which === 'number' ? which : tenants.findIndex(({ name }) => name === which);
    if (tenants[at] === undefined || inner.length === 0)
      throw refusal(
        field,
        tenants.map(({ name }, place) => `tenants.${name ?? `[${place}]`}.FIELD`).join(', '),
      );
    return {
      ...workload,
      tenants: tenants.map((tenant, place) => (place === at ? changed(tenant, inner, value) : tenant)),
    } as WorkloadInput;
  }
  if (tenants === undefined || OWN_FIELDS.includes(String(first)))
    return changed(workload, steps, value) as WorkloadInput;
  return { ...workload, tenants: tenants.map((tenant) => changed(tenant, steps, value)) } as WorkloadInput;
}

function stepsOf(field: string): (string | number)[] {
  const parts = field.match(/[^.[\]]+|\[\d+\]/g) ?? [];
  const steps = parts.map((part) => (part.startsWith('[') ? Number(part.slice(1, -1)) : part));
  if (steps.length === 0 || steps.length > MOST_STEPS) throw refusal(field, 'a field of a workload');
  return steps;
}

function changed(record: object, steps: readonly (string | number)[], value: Value): object {
  if (steps.length === 1 && steps[0] === 'size') return { ...record, sizes: [value] };
  return replaced(record, steps, value) as object;
}

/** A copy with the value at a path; what is not there on the way becomes a mapping or a list. */
function replaced(given: unknown, [step, ...rest]: readonly (string | number)[], value: Value): unknown {
  const inner = (old: unknown) => (rest.length === 0 ? value : replaced(old, rest, value));
  if (typeof step === 'number') {
    const list = Array.isArray(given) ? [...(given as unknown[])] : [];
    if (step > list.length) throw refusal(`[${step}]`, `up to [${list.length}]`);
    list[step] = inner(list[step]);
    return list;
  }
  const record = typeof given === 'object' && given !== null ? (given as Record<string, unknown>) : {};
  return { ...record, [step]: inner(Object.hasOwn(record, step) ? record[step] : undefined) };
}

function refusal(given: string, allowed: string): KelpieError {
  return new KelpieError('COMPARE_INVALID', 'there is no such field to vary', {
    field: 'sweep',
    given,
    allowed,
  });
}
