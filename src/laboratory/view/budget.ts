import type { LinkSeries, Measurement, QueueSeries } from '../../workload/index.js';
import { mean } from './picture.js';

/** What a link carried while the run was steady. */
export interface ByteRow {
  readonly title: string;
  /** With all headers. */
  readonly gbps: number;
  readonly roomGbps: number;
  readonly busy: number;
  /** Bytes that it carried for each byte of payload that was delivered. */
  readonly perByte: number;
}

/** Where a request spent its time. */
export interface TimeRow {
  readonly title: string;
  readonly ns: number;
  /** `rest` is what no queue explains. */
  readonly kind: 'queue' | 'rest';
}

/** Where each byte and each nanosecond of a run went. */
export interface RunBudget {
  readonly bytes: readonly ByteRow[];
  /** In the order in which a message passes them; empty where it cannot be told. */
  readonly times: readonly TimeRow[];
  /** Post to completion, on average; null where nothing completed. */
  readonly totalNs: number | null;
  /** Whether that was measured request by request, or follows from what was in flight by Little's law. */
  readonly isMeasured: boolean;
}

/** Links that carry a smaller share of the payload are not worth a line. */
const LEAST_SHARE = 0.01;

/** Works out where bytes and time went; null where no levels were kept. */
export function budgetOf(measurement: Measurement): RunBudget | null {
  const { series, steadyState, total, tenants } = measurement;
  const { levels } = series;
  if (levels === undefined) return null;
  const [fromNs, toNs] = [steadyState.warmupNs, steadyState.warmupNs + steadyState.measuredNs];
  const slices = [...series.timeNs.keys()].filter(
    (slice) => series.timeNs[slice] > fromNs && series.timeNs[slice] <= toNs,
  );
  const spanNs = slices.reduce(
    (sum, slice) => sum + series.timeNs[slice] - (series.timeNs[slice - 1] ?? 0),
    0,
  );
  const within = (values: readonly number[]) => slices.map((slice) => values[slice]);
  const rateOf = ({ bytes }: LinkSeries) =>
    (8 * within(bytes).reduce((sum, each) => sum + each, 0)) / Math.max(1, spanNs);
  const bytes = levels.links
    .map((link): ByteRow => {
      const gbps = rateOf(link);
      return {
        ...{ title: titleOf(link), gbps, roomGbps: link.gbps, busy: mean(within(link.busy)) },
        perByte: gbps / Math.max(1e-9, total.goodputGbps),
      };
    })
    .filter(({ perByte }) => perByte >= LEAST_SHARE);
  const latency = tenants.length === 1 ? tenants[0].latencyNs : null;
  const totalNs = latency?.mean ?? latency?.little ?? null;
  const levelOf = ({ levels: all }: QueueSeries) => mean(within(all));
  return {
    ...{ bytes, totalNs, isMeasured: latency?.mean != null },
    times: totalNs === null ? [] : timesOf(measurement, totalNs, levelOf, rateOf),
  };
}

/** What waits in a queue divided by what passes it is how long one waits in it (Little). */
function timesOf(
  { workload, series }: Measurement,
  totalNs: number,
  levelOf: (queue: QueueSeries) => number,
  rateOf: (link: LinkSeries) => number,
): TimeRow[] {
  const [{ from, to, opcode, direction }] = workload.tenants;
  if (direction !== 'uni' && direction !== 'bi') return [];
  // Data of a READ goes the other way.
  const [sender, receiver] = opcode === 'READ' ? [to, from] : [from, to];
  const { queues, links } = series.levels!;
  const queue = (kind: QueueSeries['kind'], host: string) =>
    queues.find((each) => each.kind === kind && each.name.startsWith(`${host}/`));
  const outPort = links.find(
    ({ kind, name, towards }) =>
      kind === 'cable' && name.includes(`${sender}/`) && !towards.startsWith(`${sender}/`),
  );
  const inPort = links.find(({ kind, towards }) => kind === 'cable' && towards.startsWith(`${receiver}/`));
  const place = Object.keys(series.hosts).indexOf(receiver);
  const stations: readonly [string, QueueSeries | undefined, LinkSeries | undefined][] = [
    [`in the port of NIC ${sender}`, queue('egress queue', sender), outPort],
    [
      `in the switch, towards ${receiver}`,
      queues.find(({ name }) => name === `switch0/port${place}`),
      inPort,
    ],
    [`in the receive buffer of NIC ${receiver}`, queue('receive buffer', receiver), inPort],
  ];
  const rows = stations.flatMap(([title, level, link]): TimeRow[] => {
    if (level === undefined || link === undefined) return [];
    const gbps = rateOf(link);
    return gbps <= 0 ? [] : [{ title, kind: 'queue', ns: (8 * levelOf(level)) / gbps }];
  });
  const rest = totalNs - rows.reduce((sum, { ns }) => sum + ns, 0);
  return [
    ...rows,
    {
      title: 'elsewhere: send queue, PCIe, processing, cables, acknowledgement',
      kind: 'rest',
      ns: Math.max(0, rest),
    },
  ];
}

function titleOf({ name, kind, towards }: LinkSeries): string {
  const [host, ...rest] = name.split('/');
  if (kind === 'cable') return `cable, ${endOf(name.replace(towards, ''))} to ${endOf(towards)}`;
  return towards === 'both' ? `${host}: ${rest.join('/')}` : `${host}: ${rest.join('/')}, towards ${towards}`;
}

/** An end of a cable: `a/rnic0` or `switch0`. */
function endOf(text: string): string {
  const end = text.replace(/^-|-$/g, '');
  return end.includes('/') ? `NIC ${end.split('/')[0]}` : 'switch';
}
