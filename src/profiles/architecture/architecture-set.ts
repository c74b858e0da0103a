import { KelpieError } from '../../error.js';
import type { ConstantSpec, ConstantTable } from '../constant.js';
import { deviceConstants } from './device-constants.js';
import { type ArchitectureChoice, type ArchitectureTable, type NicSlot, nicSlots } from './part-table.js';

/**
 * Architectures by name, and the parts that can be taken from them. A name that comes twice stands for the last.
 *
 * @example
 * const set = new ArchitectureSet(shippedArchitectures);
 * const mixed = set.compose({ base: 'srnic', parts: { contexts: 'cached' } });
 */
export class ArchitectureSet<Architecture extends ArchitectureTable> {
  private readonly byName: ReadonlyMap<string, Architecture>;

  constructor(architectures: readonly Architecture[]) {
    this.byName = new Map(architectures.map((architecture) => [architecture.name, architecture]));
    this.constants();
  }

  /** The names of all. */
  get names(): readonly string[] {
    return [...this.byName.keys()];
  }

  get all(): readonly Architecture[] {
    return [...this.byName.values()];
  }

  /** What can stand in a slot. */
  partsOf(slot: NicSlot): readonly Architecture['parts'][NicSlot][] {
    return [...new Map(this.everyPartOf(slot).map((part) => [part.name, part])).values()];
  }

  /** The names of that. */
  partNames(slot: NicSlot): readonly string[] {
    return this.partsOf(slot).map(({ name }) => name);
  }

  /** An architecture with the parts that a choice puts in place of its own; UNKNOWN_ARCHITECTURE, UNKNOWN_PART. */
  compose({ base, parts }: ArchitectureChoice): Architecture {
    const found = this.byName.get(base);
    if (found === undefined) throw unknown('UNKNOWN_ARCHITECTURE', 'architecture', base, this.names);
    const given = Object.entries(parts) as [NicSlot, string][];
    if (given.length === 0) return found;
    const chosen = given.map(([slot, name]) => {
      const part = this.partsOf(slot).find((each) => each.name === name);
      if (part !== undefined) return [slot, part] as const;
      throw unknown('UNKNOWN_PART', `architecture.${slot}`, name, this.partNames(slot));
    });
    return { ...found, parts: { ...found.parts, ...Object.fromEntries(chosen) } };
  }

  /** The constants that a profile of this choice gives, all of them and no others. */
  tableOf(choice: ArchitectureChoice): ConstantTable {
    const { without, parts } = this.compose(choice);
    const given = Object.entries(deviceConstants).filter(([name]) => !Object.hasOwn(without, name));
    const own = nicSlots.flatMap((slot) => Object.entries(parts[slot].constants));
    return Object.fromEntries([...given, ...own]);
  }

  /** Every constant that a profile of any choice may give; ARCHITECTURE_CLASH where two mean different things by one. */
  constants(): ConstantTable {
    const all = new Map<string, ConstantSpec>(Object.entries(deviceConstants));
    for (const slot of nicSlots)
      for (const part of this.everyPartOf(slot))
        for (const [name, spec] of Object.entries(part.constants)) {
          const known = all.get(name) ?? spec;
          if (known.unit !== spec.unit || known.min !== spec.min || known.max !== spec.max)
            throw new KelpieError('ARCHITECTURE_CLASH', 'two parts have a constant with this name', {
              field: `${slot} ${part.name}`,
              given: name,
              allowed: `${known.min} to ${known.max} ${known.unit}, as the other has it`,
            });
          all.set(name, spec);
        }
    return Object.fromEntries(all);
  }

  private everyPartOf(slot: NicSlot): readonly Architecture['parts'][NicSlot][] {
    return this.all.flatMap(({ parts, others }) => [parts[slot], ...(others?.[slot] ?? [])]);
  }
}

function unknown(code: string, field: string, given: string, names: readonly string[]): KelpieError {
  return new KelpieError(code, 'no NIC of the models has it', { field, given, allowed: names.join(', ') });
}
