import type { EvaluatedFault, Evaluation } from '../../jobs/ping/index.js';
import { formatTable } from '../terminal.js';

/** How much of a group of faults was found. */
export interface MatrixRow {
  readonly name: string;
  readonly cases: number;
  /** Cases in which no path changed significantly, and how many of them a setting gave away. */
  readonly invisible: number;
  readonly bySetting: number;
  /** Of those that are visible. */
  readonly visible: number;
  readonly found: number;
  readonly link: number;
  readonly cause: number;
  readonly causeInSet: number;
  /** Visible cases that slow a link, and in how many each localiser names it alone. */
  readonly slowed: number;
  readonly binary: number;
  readonly capacity: number;
}

/** An evaluation for people and programs. */
export interface MatrixSummary {
  readonly total: MatrixRow;
  readonly byFault: readonly MatrixRow[];
  readonly byHost: readonly MatrixRow[];
  /** On idle servers and, where those were asked for, on busy ones. */
  readonly byUse: readonly MatrixRow[];
  /** Why cases are invisible to probes, with how many. */
  readonly invisible: Readonly<Record<string, number>>;
}

/** Counts an evaluation by fault and by host. */
export function summarise({ faults }: Evaluation): MatrixSummary {
  const groups = (key: (each: EvaluatedFault) => string) =>
    [...new Set(faults.map(key))].map((name) =>
      rowOf(
        name,
        faults.filter((each) => key(each) === name),
      ),
    );
  const invisible: Record<string, number> = {};
  for (const { invisibleBecause } of faults)
    if (invisibleBecause !== undefined) invisible[invisibleBecause] = (invisible[invisibleBecause] ?? 0) + 1;
  return {
    total: rowOf('all', faults),
    byFault: groups(({ fault }) => fault),
    byHost: groups(({ host }) => host),
    byUse: groups(({ busyRnic }) => (busyRnic === null ? 'idle' : 'busy')),
    invisible,
  };
}

function rowOf(name: string, faults: readonly EvaluatedFault[]): MatrixRow {
  const visible = faults.filter((each) => each.visible);
  const slowed = visible.filter(({ binary }) => binary !== null);
  const hidden = faults.filter((each) => !each.visible);
  const count = (of: readonly EvaluatedFault[], key: 'found' | 'link' | 'cause' | 'causeInSet') =>
    of.filter((each) => each[key]).length;
  return {
    name,
    cases: faults.length,
    invisible: hidden.length,
    bySetting: count(hidden, 'found'),
    visible: visible.length,
    found: count(visible, 'found'),
    link: count(visible, 'link'),
    cause: count(visible, 'cause'),
    causeInSet: count(visible, 'causeInSet'),
    slowed: slowed.length,
    binary: slowed.filter(({ binary }) => binary).length,
    capacity: slowed.filter(({ capacity }) => capacity).length,
  };
}

/** The matrix as tables. */
export function formatMatrix(evaluation: Evaluation): string {
  const { total, byFault, byHost, byUse, invisible } = summarise(evaluation);
  const { seed, healthy, partial, faults } = evaluation;
  const wrong = faults.filter(({ visible, link }) => visible && !link);
  const swept = (title: string, isBusy: boolean) => {
    const some = healthy.filter(({ busyRnic }) => (busyRnic !== null) === isBusy);
    const sweeps = some.reduce((sum, each) => sum + each.sweeps, 0);
    const alarms = some.reduce((sum, each) => sum + each.alarms, 0);
    return some.length === 0 ? '' : `${sweeps} ${title} sweeps with jitter: ${alarms} false alarms\n`;
  };
  return [
    `${total.cases} faults, one at a time, seed ${seed}${partial ? ' (stopped early: partial)' : ''}\n\n`,
    table([...byFault, ...byHost, ...byUse, total]),
    '\nlink: the one finding names it, or links that no probe tells from it. cause: by name; in set: among those named.\n',
    'binary, capacity: the localiser alone names the link, of the faults that slow one.\n',
    ...Object.entries(invisible).map(([why, count]) => `invisible to probes: ${count}, ${why}\n`),
    ...wrong
      .slice(0, 20)
      .map(
        ({ host, fault, place, severity, busyRnic, said }) =>
          `not named: ${host}${busyRnic === null ? '' : ' busy'} ${fault}@${place}:${severity}, said: ${said ?? 'nothing'}\n`,
      ),
    ...(wrong.length > 20 ? [`not named: ${wrong.length - 20} more\n`] : []),
    swept('healthy', false),
    swept('healthy busy', true),
  ].join('');
}

function table(rows: readonly MatrixRow[]): string {
  const share = (count: number, of: number) => (of === 0 ? '-' : `${((100 * count) / of).toFixed(1)} %`);
  const measured = ['cases', 'invisible', 'by setting', 'visible', 'found', 'link', 'cause', 'in set'];
  const head = ['', ...measured, 'binary', 'capacity'];
  return formatTable(
    [
      head,
      ...rows.map((row) => [
        row.name,
        String(row.cases),
        String(row.invisible),
        String(row.bySetting),
        String(row.visible),
        ...[row.found, row.link, row.cause, row.causeInSet].map((count) => share(count, row.visible)),
        ...[row.binary, row.capacity].map((count) => share(count, row.slowed)),
      ]),
    ],
    head.slice(1).map((_, place) => place + 1),
  );
}
