import type { Context } from '../../context.js';
import type { Capabilities, Capability } from '../../device.js';
import type { QpType } from '../../queue-pair.js';
import type { SendOpcode } from '../../work-request.js';
import type { ContractBench } from './bench.js';

/**
 * What a case cannot do without: a transport (`UC`), an operation of a transport (`RC:RDMA_READ`), a feature by its
 * name in {@link Capabilities}, or `lossless`: two devices between which no packet is lost.
 */
export type Need = QpType | `${QpType}:${SendOpcode}` | Capability | 'lossless';

/** One promise of the verbs, and the program that finds out whether a provider keeps it. */
export interface ContractCase {
  /** Unique and readable: what is done and what must come of it. */
  readonly name: string;
  /** The part of the verbs that it belongs to. */
  readonly group: string;
  readonly needs: readonly Need[];
  /** Throws CONTRACT_BROKEN when the promise is not kept. */
  run(bench: ContractBench): Promise<void>;
}

/** A maker of cases for one group; the group's name leads the case's. */
export type CaseMaker = (
  name: string,
  needs: readonly Need[],
  run: (bench: ContractBench) => Promise<void>,
) => ContractCase;

/**
 * Makes the maker of a group's cases.
 *
 * @example
 * const test = casesOf('clock');
 * export const clockCases = [test('never goes back', [], async (bench) => { … })];
 */
export function casesOf(group: string): CaseMaker {
  return (name, needs, run) => ({ name: `${group}: ${name}`, group, needs, run });
}

/** Why the devices cannot serve the need, or null when they can. */
export function missingNeed(need: Need, contexts: readonly Context[], lossless: boolean): string | null {
  if (need === 'lossless') return lossless ? null : 'packets may be lost between these devices';
  for (const { capabilities, deviceName } of contexts) {
    if (offers(capabilities, need)) continue;
    const key = need.includes(':') ? need.split(':')[1]! : need;
    return `${deviceName} lacks ${need}: ${capabilities.reasons[key] ?? capabilities.reasons[need] ?? 'no reason given'}`;
  }
  return null;
}

function offers(capabilities: Capabilities, need: Exclude<Need, 'lossless'>): boolean {
  if (isTransport(need)) return capabilities.transports.includes(need);
  if (need.includes(':')) {
    const [transport, opcode] = need.split(':') as [QpType, SendOpcode];
    return (
      capabilities.transports.includes(transport) && capabilities.sendOpcodes[transport].includes(opcode)
    );
  }
  return capabilities[need as Capability];
}

function isTransport(need: string): need is QpType {
  return need === 'RC' || need === 'UC' || need === 'UD';
}
