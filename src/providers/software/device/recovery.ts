import {
  goBackN,
  goBackZero,
  type InOrderRecovery,
  irn,
  type LossRecovery,
  melo,
  type SelectiveOptions,
  srnic,
} from '../../../transport/index.js';
import { VerbsError } from '../../../verbs/index.js';

/** How lost packets are sent again, by name. */
export type RecoveryName = keyof typeof IN_ORDER | keyof typeof SELECTIVE;

const MS_PS = 1e9;

/**
 * A program's own work holds up the event loop for milliseconds: a shorter timeout would send again what has arrived. It
 * costs one packet, and matters only where the last of a burst is lost.
 */
const TIMEOUT_LOW_PS = 8 * MS_PS;
const TIMEOUT_HIGH_PS = 24 * MS_PS;
/** IRN's N (SIGCOMM 2018, §3.1). */
const FEW_PACKETS = 3;

/** Every RoCEv2 device answers these: they ask for nothing that is not in its packets. */
const IN_ORDER = { 'go-back-n': goBackN, 'go-back-0': goBackZero };

/** They differ in where bits are kept, not in what they send: each understands the others. */
const SELECTIVE = {
  irn: (options: SelectiveOptions) => irn(options),
  srnic: (options: SelectiveOptions) => srnic(options),
  melo: (options: SelectiveOptions) => melo(options),
};

/** The names of all. */
export const softwareRecoveries: readonly RecoveryName[] = [
  ...(Object.keys(IN_ORDER) as (keyof typeof IN_ORDER)[]),
  ...(Object.keys(SELECTIVE) as (keyof typeof SELECTIVE)[]),
];

/** The recovery with a peer that has no selective repeat, or with which none was agreed on. */
export function inOrder(recovery: LossRecovery): InOrderRecovery {
  return recovery.selective ? goBackN : recovery;
}

/** The recovery of a name; OUT_OF_RANGE for a name that nobody has. */
export function recoveryOf(name: string = 'go-back-n', windowPackets: number): LossRecovery {
  if (Object.hasOwn(IN_ORDER, name)) return IN_ORDER[name as keyof typeof IN_ORDER];
  if (!Object.hasOwn(SELECTIVE, name))
    throw new VerbsError('OUT_OF_RANGE', 'there is no such loss recovery', {
      field: 'recovery',
      given: name,
      allowed: softwareRecoveries.join(', '),
    });
  return SELECTIVE[name as keyof typeof SELECTIVE]({
    windowPackets,
    timeoutLowPs: TIMEOUT_LOW_PS,
    timeoutHighPs: TIMEOUT_HIGH_PS,
    fewPackets: FEW_PACKETS,
  });
}
