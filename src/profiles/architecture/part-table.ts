import type { ConstantTable } from '../constant.js';

/** The parts that NIC architectures differ in; each can be replaced alone. */
export const nicSlots = [
  'bus',
  'contexts',
  'translations',
  'sends',
  'receives',
  'wire',
  'recovery',
  'congestion',
] as const;

/** One of the parts that architectures differ in. */
export type NicSlot = (typeof nicSlots)[number];

/** What a profile must know of a part: its name, and the constants that a device with it has besides those of all. */
export interface PartTable<Table extends ConstantTable = ConstantTable> {
  readonly name: string;
  readonly constants: Table;
  /** Of a loss recovery: it puts what comes out of order in its place at once, so that programs see bytes in any order. */
  readonly placesEarly?: boolean;
}

/** What a profile must know of an architecture. */
export interface ArchitectureTable {
  readonly name: string;
  /** Constants of every device that its profiles do not give, since it has no such mechanism; the values say so. */
  readonly without: Readonly<Record<string, number>>;
  readonly parts: Readonly<Record<NicSlot, PartTable>>;
  /** Parts that it brings along for those who replace one: of this and of other architectures. */
  readonly others?: Readonly<Partial<Record<NicSlot, readonly PartTable[]>>>;
}

/** Which architecture a device has, and the parts that it has in place of that one's own, by their names. */
export interface ArchitectureChoice {
  readonly base: string;
  readonly parts: Readonly<Partial<Record<NicSlot, string>>>;
}
