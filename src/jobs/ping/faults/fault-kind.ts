import type { PartSettings } from '../../../models/index.js';
import type { FaultDescription, PcieTraining } from '../../../profiles/index.js';
import type { LinkPlace } from '../plan.js';

/** What kind of trouble a cause is: who has to act on it. */
export type CauseClass =
  | 'failure'
  | 'configuration'
  | 'contention'
  | 'flapping'
  | 'device-setting'
  | 'software'
  | 'outside';

/** Where a fault can sit: a kind of link, an RNIC, a GPU, a PCIe switch, a memory, or the host as a whole. */
export type FaultPlaceKind =
  | LinkPlace
  | 'rnic-device'
  | 'gpu-device'
  | 'pcie-switch'
  | 'memory-node'
  | 'host';

/** A fault that can be injected: a mechanism of the simulator at a place, with a severity. */
export interface FaultKind {
  readonly id: string;
  readonly title: string;
  readonly causeClass: CauseClass;
  readonly places: readonly FaultPlaceKind[];
  /** Only on a host with several sockets, or with GPUs. */
  readonly needs?: 'sockets' | 'gpus';
  /** From slight to severe; what the number means is `meaning`. Empty where a fault is there or not. */
  readonly severities: readonly number[];
  readonly meaning: string;
  /** Where the host itself shows it when asked; null for a fault that only probes find. */
  readonly admittedBy: string | null;
  /** The setting that ping reads for it; null: ping has nothing but its probes. */
  readonly setting: Exclude<keyof PartSettings, 'part'> | null;
  /** What an operator does about it. */
  readonly advice: string;
  /** What it is in the world; `pcie` is what the PCIe link there can do, null for another place. */
  inject(at: string, severity: number, pcie: PcieTraining | null): FaultDescription;
}

/** What a severity means that leaves a share of a rate. */
export const SHARE = 'share of the rate that is left';
