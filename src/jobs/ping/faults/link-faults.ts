import { type PcieTraining, pcieLinkGbps } from '../../../profiles/index.js';
import { type FaultKind, SHARE } from './fault-kind.js';

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

/** Faults of PCIe links and of the link between sockets. */
export const linkFaults: readonly FaultKind[] = [
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
  {
    id: 'root-port',
    title: 'root port of the processor is slow, and its link looks right',
    admittedBy: null,
    setting: null,
    causeClass: 'failure',
    places: ['root-port'],
    severities: [0.6, 0.4, 0.2],
    meaning: SHARE,
    advice:
      'Width, speed and counters of the link are right: update the firmware of board and processor, move the switch to another root port, then replace the processor.',
    inject: (at, rate) => ({ at, rate }),
  },
];
