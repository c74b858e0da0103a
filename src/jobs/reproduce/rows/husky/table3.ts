import {
  attackers,
  COLUMNS,
  huskyHolds,
  measureMatrix,
  paperRow,
  runExperiment,
  TABLE3_SCHEMES,
  victims,
} from '../../../isolate/index.js';
import type { Bench } from '../../bench.js';
import { conclude, must } from '../../check.js';
import type { RowOutcome, Row } from '../../row.js';

const ON = 'husky';
const ALPHA = 0.25;
const GUARANTEE_GBPS = 50;

/** Husky's Table 3 as one row: the suite against every scheme of the table, column by column. */
export const huskyTable3Row: Row = {
  id: 'T3',
  paper: 'Husky',
  setting: 'Table 3: five schemes against the 52 attackers and 21 victims',
  metric: 'columns that hold',
  unit: 'cells',
  expected: 'each of the 30 cells',
  tolerance: 'exact',
  numeric: false,
  encoded:
    'the cells of SR-IOV beside errors of RC: which queue pairs a hold for want of a receive reaches is said, not found',
  facts: ['alpha 25 %, guarantee 50 Gb/s; a column is left at its first violated pair'],
  run,
};

async function run(bench: Bench): Promise<RowOutcome> {
  const simulated: Record<string, string> = {};
  let same = 0;
  for (const scheme of TABLE3_SCHEMES) {
    const { summary } = await measureMatrix({
      scheme,
      subsystem: ON,
      attackers,
      victims,
      alpha: ALPHA,
      guaranteeGbps: GUARANTEE_GBPS,
      holds: huskyHolds,
      bypass: false,
      seed: bench.seed,
      concurrency: 1,
      untilViolated: true,
      run: (task) =>
        runExperiment(task, {
          open: async ({ hosts, isolation }) => ({
            testbed: await bench.open(ON, hosts, isolation),
            bounds: null,
          }),
        }),
    });
    const paper = paperRow(scheme)!;
    same += COLUMNS.filter((column) => summary[column].holds === paper[column]).length;
    simulated[scheme] = COLUMNS.filter((column) => summary[column].holds).join(', ') || 'no column holds';
  }
  return conclude({ ...simulated, 'as the paper': same }, [
    must(
      same === TABLE3_SCHEMES.length * COLUMNS.length,
      `${same} of ${TABLE3_SCHEMES.length * COLUMNS.length} cells are as in the paper`,
    ),
  ]);
}
