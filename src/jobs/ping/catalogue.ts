import type { PartSettings } from '../../models/index.js';
import { type FaultDescription, type PcieTraining, pcieLinkGbps } from '../../profiles/index.js';
import type { LinkPlace } from './plan.js';

/** What kind of trouble a cause is: who has to act on it. */
export type CauseClass =
  | 'failure'
  | 'configuration'
  | 'contention'
  | 'flapping'
  | 'device-setting'
  | 'software'
  | 'outside';

/** Where a fault can sit: a kind of link, an RNIC, a PCIe switch, a memory, or the host as a whole. */
export type FaultPlaceKind = LinkPlace | 'rnic-device' | 'pcie-switch' | 'host';

/** A fault that can be injected: a mechanism of the simulator at a place, with a severity. */
export interface FaultKind {
  readonly id: string;
  readonly title: string;
  readonly causeClass: CauseClass;
  readonly places: readonly FaultPlaceKind[];
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

const SHARE = 'share of the rate that is left';
const WIDTHS = [1, 2, 4, 8, 16, 32];
const GENERATIONS = [1, 2, 3, 4, 5, 6];
/** What is assumed of a link that says nothing. */
const COMMON: PcieTraining = { generation: 4, lanes: 16 };

/** The training of a link, of those to choose from, whose rate is nearest to a share of what it can do. */
function nearestTraining(
  pcie: PcieTraining,
  share: number,
  choices: readonly Partial<PcieTraining>[],
): Partial<PcieTraining> {
  const gbps = (choice: Partial<PcieTraining>) => {
    const { generation, lanes } = { ...pcie, ...choice };
    return pcieLinkGbps(generation, lanes);
  };
  const wantedGbps = share * gbps({});
  const off = (choice: Partial<PcieTraining>) => Math.abs(gbps(choice) - wantedGbps);
  return choices.reduce((best, choice) => (off(choice) < off(best) ? choice : best));
}

/** The faults that `kelpie ping --fault` knows. */
export const faultKinds: readonly FaultKind[] = [
  {
    id: 'pcie-width',
    title: 'PCIe link trained with fewer lanes',
    admittedBy: 'LnkSta shows fewer lanes than LnkCap',
    setting: 'lanes',
    causeClass: 'failure',
    places: ['rnic', 'gpu', 'root-port', 'switch'],
    severities: [0.5, 0.25, 0.125],
    meaning: `${SHARE}, by the nearest width`,
    advice:
      'Read LnkSta of both ends. Reseat the card or replace the riser or cable, then check that the link trains at full width.',
    inject: (at, share, pcie) => {
      const choices = WIDTHS.map((lanes) => ({ lanes }));
      return { at, ...nearestTraining(pcie ?? COMMON, share, choices) };
    },
  },
  {
    id: 'pcie-speed',
    title: 'PCIe link trained at a lower generation',
    admittedBy: 'LnkSta shows a lower speed than LnkCap',
    setting: 'generation',
    causeClass: 'failure',
    places: ['rnic', 'gpu', 'root-port', 'switch'],
    severities: [0.5, 0.25],
    meaning: `${SHARE}, by the nearest generation`,
    advice:
      'Read LnkSta of both ends and the slot setting in the BIOS. Retrain the link; if it comes back slow, replace card or riser.',
    inject: (at, share, pcie) => {
      const choices = GENERATIONS.map((generation) => ({ generation }));
      return { at, ...nearestTraining(pcie ?? COMMON, share, choices) };
    },
  },
  {
    id: 'pcie-silent',
    title: 'PCIe link that is slow at full width and speed',
    admittedBy: 'AER counts packets that were sent again',
    setting: 'replays',
    causeClass: 'failure',
    places: ['rnic', 'gpu', 'root-port', 'switch'],
    severities: [0.6, 0.4, 0.2],
    meaning: `${SHARE} by packets that are sent again`,
    advice:
      'Width and speed look right: look for replays and correctable errors (AER), then swap cable, riser and card in turn.',
    inject: (at, rate) => ({ at, replay: 1 - rate }),
  },
  {
    id: 'acs',
    title: 'ACS redirects peer traffic to the root complex',
    admittedBy: 'ACSCtl has ReqRedir+',
    setting: 'acs',
    causeClass: 'configuration',
    places: ['pcie-switch'],
    severities: [],
    meaning: '',
    advice:
      'Clear ReqRedir and CmpltRedir of the switch ports (setpci ACSCtl). It comes back at each reboot: put it into the boot sequence.',
    inject: (at) => ({ at, acs: 'redirect' }),
  },
  {
    id: 'ats-off',
    title: 'address translation service is off',
    admittedBy: 'ATSCtl has Enable-',
    setting: 'ats',
    causeClass: 'configuration',
    places: ['rnic-device'],
    severities: [],
    meaning: '',
    advice: "Enable ATS in the RNIC's firmware (ATS_ENABLED) and in the hypervisor, then reboot.",
    inject: (at) => ({ at, ats: 'disabled' }),
  },
  {
    id: 'memory-channel',
    title: 'memory channels of a node are slow or lost',
    admittedBy: null,
    setting: null,
    causeClass: 'failure',
    places: ['memory'],
    severities: [0.12, 0.06, 0.03],
    meaning: SHARE,
    advice:
      'Compare the DIMM list and the memory clock with a healthy host (EDAC, dmidecode); reseat or replace the DIMM.',
    inject: (at, rate) => ({ at, rate }),
  },
  {
    id: 'upi-degraded',
    title: 'link between the sockets is degraded',
    admittedBy: null,
    setting: null,
    causeClass: 'failure',
    places: ['inter-socket'],
    severities: [0.3, 0.2, 0.1],
    meaning: SHARE,
    advice:
      'Read the lane state of the inter-socket link in the BMC log; reseat the processors or replace the board.',
    inject: (at, rate) => ({ at, rate }),
  },
  {
    id: 'mrrs-small',
    title: 'PCIe read requests are too small',
    admittedBy: 'DevCtl has a small MaxReadReq',
    setting: 'maxReadRequestBytes',
    causeClass: 'configuration',
    places: ['rnic-device'],
    severities: [128],
    meaning: 'bytes of a read request',
    advice: 'Set MaxReadReq of the RNIC to 4096 bytes (setpci, or the BIOS setting that lowers it).',
    inject: (at, bytes) => ({ at, maxReadRequestBytes: bytes }),
  },
  {
    id: 'mps-small',
    title: 'PCIe payloads are too small',
    admittedBy: 'DevCtl has a small MaxPayload',
    setting: 'maxPayloadBytes',
    causeClass: 'configuration',
    places: ['rnic-device'],
    severities: [128],
    meaning: 'bytes of a payload',
    advice:
      'Set MaxPayload to what all ports on the way can do (kernel option pci=pcie_bus_perf, or the BIOS).',
    inject: (at, bytes) => ({ at, maxPayloadBytes: bytes }),
  },
  {
    id: 'ordering-strict',
    title: 'relaxed ordering is off',
    admittedBy: 'DevCtl has RlxdOrd-',
    setting: 'ordering',
    causeClass: 'configuration',
    places: ['rnic-device'],
    severities: [],
    meaning: '',
    advice: 'Turn relaxed ordering on for the RNIC (RlxdOrd+, PCI_WR_ORDERING=1).',
    inject: (at) => ({ at, ordering: 'strict' }),
  },
  {
    id: 'link-latency',
    title: 'link with a long way, such as a retimer or an extender gone wrong',
    admittedBy: null,
    setting: null,
    causeClass: 'failure',
    places: ['rnic', 'gpu', 'root-port', 'switch', 'inter-socket'],
    severities: [500, 1000, 2000],
    meaning: 'nanoseconds added, one way',
    advice:
      'Compare the latency of the link with a healthy host; look for a retimer, an extender or a power state that does not end.',
    inject: (at, latencyNs) => ({ at, latencyNs }),
  },
];

/** The fault of an id; undefined for one that there is not. */
export function findFault(id: string): FaultKind | undefined {
  return faultKinds.find((kind) => kind.id === id);
}
