// Points around Collie's Table 2, half of them kept for testing:
// `npm run points -- [--half tune|test] [--only C4,C9/READ] [--seed 1] [--set device.xoffBytes=163840] [--json]`.
// A point agrees when the verdict is as the table says; the symptom, pause or throughput, is printed beside it.
import { parseArgs } from 'node:util';
import { Bench } from '../src/jobs/reproduce/bench.js';
import { openSimulated } from '../src/jobs/reproduce/open.js';
import { summary } from '../src/jobs/reproduce/rows/collie/collie.js';
import { collieWorkload, subsystemOf, withChange } from '../src/jobs/reproduce/rows/collie/workload.js';
import { collieTargets } from '../src/jobs/reproduce/targets/collie.js';
import type { CollieParameter } from '../src/jobs/reproduce/targets/target.js';
import type { Point } from './points/point.js';
import { table2Points } from './points/table2.js';

const { values } = parseArgs({
  options: {
    half: { type: 'string' },
    only: { type: 'string' },
    seed: { type: 'string', default: '1' },
    set: { type: 'string', multiple: true, default: [] },
    ablate: { type: 'string', multiple: true, default: [] },
    setting: { type: 'string', multiple: true, default: [] },
    maxns: { type: 'string' },
    triggers: { type: 'boolean', default: false },
    breaks: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
});
const only = values.only?.split(',');
const changes = Object.fromEntries(
  values.set.map((each) => {
    const [name, value] = each.split('=');
    return [name, Number.isNaN(Number(value)) ? value : Number(value)];
  }),
);
const triggers: Point[] = collieTargets.flatMap((target) => [
  { id: target.id, test: false, target, symptom: target.symptom },
  ...(values.breaks ? Object.entries(target.breaks) : []).map(([name, value]) => ({
    id: `${target.id}/${name} ${JSON.stringify(value)}`,
    test: false,
    target: withChange(target, name as CollieParameter, value),
    symptom: null,
  })),
]);
const points = (values.triggers ? triggers : table2Points).filter(
  ({ id, test }) =>
    (values.half === undefined || (values.half === 'test') === test) &&
    (only === undefined || only.some((each) => id === each || id.startsWith(`${each}/`))),
);
const bench = new Bench({ open: openSimulated, seed: Number(values.seed) });
let agree = 0;
const outcomes: {
  id: string;
  test: boolean;
  expected: string | null;
  found: string | null;
  right: boolean;
  why: string;
}[] = [];
for (const { id, test, target, symptom } of points) {
  const startedMs = performance.now();
  const workload = collieWorkload({ ...target, batch: Math.min(target.batch, target.wq) });
  Object.assign(workload.settings!, Object.fromEntries(values.setting.map((each) => each.split('='))));
  if (values.maxns !== undefined)
    workload.measure = { minNs: Number(values.maxns), maxNs: Number(values.maxns) };
  const measurement = await bench.measure(subsystemOf(target), workload, { changes, ablate: values.ablate });
  const { verdict } = measurement;
  const right = verdict.anomaly === (symptom !== null);
  if (right) agree++;
  const seconds = (performance.now() - startedMs) / 1000;
  outcomes.push({ id, test, expected: symptom, found: verdict.symptom, right, why: verdict.why });
  if (!values.json)
    console.log(
      `${right ? (verdict.symptom === symptom ? 'ok ' : 'ok~') : 'BAD'} ${test ? 'test' : 'tune'} ${id.padEnd(32)} ${(symptom ?? 'clean').padEnd(10)} ${summary(measurement)} [${seconds.toFixed(1)} s]`,
    );
}
if (values.json) console.log(JSON.stringify({ agree, of: points.length, outcomes }, null, 1));
else {
  const of = (test: boolean) => {
    const half = outcomes.filter((each) => each.test === test);
    return `${half.filter(({ right }) => right).length} of ${half.length}`;
  };
  console.log(`${agree} of ${points.length} agree: ${of(false)} to tune on, ${of(true)} to test with`);
}
