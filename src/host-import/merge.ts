import type { Distance, MachineFacts, NumaFacts, PciFacts } from './pci-facts.js';

/** Two sources that say different things about one part. */
export interface Conflict {
  readonly part: string;
  readonly fact: string;
  readonly said: readonly { readonly source: string; readonly value: string }[];
}

/** All that the sources know of a machine, by PCI address. */
export interface ImportedMachine {
  readonly sources: readonly string[];
  readonly functions: ReadonlyMap<string, PciFacts>;
  readonly numaNodes: readonly NumaFacts[];
  readonly distances: readonly Distance[];
  readonly conflicts: readonly Conflict[];
}

/** Facts that sources word differently, so that a difference means nothing. */
const OWN_WORDS = new Set(['address', 'title', 'names', 'role', 'linkGbps']);

/** Roles that say more than others: a port says more than a bridge, a device more than `other`. */
const VAGUE = new Set(['bridge', 'other']);

/**
 * Joins what several programs print about one machine. The first source that knows a fact decides; where a later one
 * contradicts it, both are reported.
 */
export function mergeFacts(parts: readonly MachineFacts[]): ImportedMachine {
  const functions = new Map<string, PciFacts>();
  const origin = new Map<string, string>();
  const conflicts: Conflict[] = [];
  for (const { source, functions: given } of parts) {
    for (const facts of given) {
      const known = functions.get(facts.address) ?? { address: facts.address };
      functions.set(facts.address, { ...known, ...additions(known, facts, source) });
    }
  }

  function additions(known: PciFacts, facts: PciFacts, source: string): Partial<PciFacts> {
    const added: Record<string, unknown> = {};
    for (const [fact, value] of Object.entries(facts)) {
      if (value === undefined) continue;
      const before = (known as unknown as Record<string, unknown>)[fact];
      const key = `${facts.address} ${fact}`;
      if (before === undefined) {
        added[fact] = value;
        origin.set(key, source);
      } else if (fact === 'role') {
        if (VAGUE.has(String(before)) && !VAGUE.has(String(value))) added[fact] = value;
      } else if (fact === 'names')
        added[fact] = [...new Set([...(before as string[]), ...(value as string[])])];
      else if (!OWN_WORDS.has(fact) && JSON.stringify(before) !== JSON.stringify(value)) {
        const said = [
          { source: origin.get(key) ?? '', value: JSON.stringify(before) },
          { source, value: JSON.stringify(value) },
        ];
        conflicts.push({ part: facts.address, fact, said });
      }
    }
    return added as Partial<PciFacts>;
  }

  const numaNodes = new Map<number, NumaFacts>();
  for (const { numaNodes: given } of parts)
    for (const node of given) numaNodes.set(node.node, { ...node, ...numaNodes.get(node.node) });
  return {
    sources: parts.map(({ source }) => source),
    functions,
    numaNodes: [...numaNodes.values()].sort((a, b) => a.node - b.node),
    distances: parts.flatMap(({ distances }) => distances),
    conflicts,
  };
}
