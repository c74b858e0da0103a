// Which rows of the board move when a calibrated constant moves by a tenth: writes docs/sensitivity.json and
// docs/sensitivity.md. `npm run sensitivity -- [--workers N] [--minutes 8] [--row-seconds 3] [--rows C3,V5] [--fresh]`.
//
// Runs on the built package (npm run build) and on nothing that only developers have. Cheap rows come first, so that
// what is left out when the time is up is whole rows. What was run is kept in build/ and taken up again, for as long as
// the built package is the same.
import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import * as profiles from 'kelpie/profiles';
import { findRow, rows } from 'kelpie/reproduce';
import { calibratedConstants, ownerOf } from './sensitivity/constants.js';
import { effectOf } from './sensitivity/moved.js';
import { sensitivityPage } from './sensitivity/page.js';

const SEEDS = [1, 2, 3];
const root = fileURLToPath(new URL('..', import.meta.url));
const { values } = parseArgs({
  options: {
    workers: { type: 'string', default: String(availableParallelism()) },
    minutes: { type: 'string', default: '8' },
    'row-seconds': { type: 'string', default: '3' },
    rows: { type: 'string' },
    fresh: { type: 'boolean', default: false },
  },
});
const workers = positive('workers');
const untilMs = Date.now() + positive('minutes') * 60_000;
const rowSeconds = positive('row-seconds');
const kept = keptRuns(`${root}build/sensitivity.jsonl`);

const only = values.rows?.split(',');
for (const id of only ?? []) findRow(id);
const quick = rows
  .filter(({ id, slow }) => (only === undefined ? slow !== true : only.includes(id)))
  .map(({ id }) => id);
const asItIs = (row, seed) => ({ key: `${row} ${seed}`, row, seed });
await runAll(quick.map((row) => asItIs(row, SEEDS[0])));
const first = (row) => kept.get(`${row} ${SEEDS[0]}`);
const measured = quick.filter((row) => first(row) !== undefined);
const based = measured.filter((row) => first(row).used.length > 0);
const affordable = based
  .filter((row) => first(row).seconds <= rowSeconds)
  .sort((a, b) => first(a).seconds - first(b).seconds);
await runAll(affordable.flatMap((row) => SEEDS.slice(1).map((seed) => asItIs(row, seed))));
const baseOf = (row) => SEEDS.flatMap((seed) => kept.get(`${row} ${seed}`) ?? []);

const constants = calibratedConstants(profiles);
const keyOf = ({ kind, profile, name }, value, row) => `${kind} ${profile} ${name} ${value} ${row}`;
const usersOf = (constant) => affordable.filter((row) => first(row).used.some((key) => uses(key, constant)));
const users = new Map(constants.map((constant) => [constant, new Set(usersOf(constant))]));
const tasks = affordable.flatMap((row) =>
  constants
    .filter((constant) => users.get(constant).has(row))
    .flatMap((constant) =>
      constant.moves.map((value) => ({
        key: keyOf(constant, value, row),
        row,
        seed: SEEDS[0],
        constant,
        value,
      })),
    ),
);
await runAll(tasks);
write();

function positive(name) {
  const value = Number(values[name]);
  if (value > 0 && Number.isFinite(value)) return value;
  console.error(`kelpie: --${name} is a number above 0 (given '${values[name]}')`);
  process.exit(2);
}

/** Whether a profile, as a row used it, has this constant from where it is written. */
function uses(key, { kind, profile, name }) {
  const [usedKind, used] = key.split(' ');
  return usedKind === kind && ownerOf(profiles, kind, used, name) === profile;
}

/** What earlier runs of the same package found, by key; `set` keeps more. */
function keptRuns(path) {
  const version = versionOf(`${root}dist`);
  mkdirSync(`${root}build`, { recursive: true });
  const lines = !values.fresh && existsSync(path) ? readFileSync(path, 'utf8').split('\n') : [];
  const same = lines[0] === version;
  if (!same) writeFileSync(path, `${version}\n`);
  const found = new Map();
  // A run that was killed may have left half a line.
  for (const line of same ? lines.slice(1) : [])
    if (line.endsWith('}')) {
      const { key, ...run } = JSON.parse(line);
      found.set(key, run);
    }
  return {
    get: (key) => found.get(key),
    set(key, run) {
      found.set(key, run);
      appendFileSync(path, `${JSON.stringify({ key, ...run })}\n`);
    },
  };
}

function versionOf(folder) {
  const hash = createHash('sha256');
  for (const name of readdirSync(folder, { recursive: true }).map(String).sort())
    if (name.endsWith('.js')) hash.update(name).update(readFileSync(`${folder}/${name}`));
  return hash.digest('hex');
}

/** Runs what is not yet known, each worker one at a time, until the time is up. */
async function runAll(all) {
  const todo = all.filter(({ key }) => kept.get(key) === undefined);
  let next = 0;
  const work = async () => {
    if (next >= todo.length) return;
    const worker = new Worker(new URL('./sensitivity/worker.js', import.meta.url));
    while (next < todo.length && Date.now() < untilMs) {
      const { key, ...task } = todo[next++];
      kept.set(key, await answerOf(worker, task));
      if (process.stderr.isTTY || next % 500 === 0) process.stderr.write(`\r${next} of ${todo.length}`);
    }
    await worker.terminate();
  };
  await Promise.all(Array.from({ length: workers }, work));
  if (todo.length > 0) process.stderr.write('\n');
}

function answerOf(worker, task) {
  return new Promise((resolve, reject) => {
    const onMessage = (run) => {
      worker.off('error', reject);
      resolve(run);
    };
    worker.once('message', onMessage).once('error', reject);
    worker.postMessage(task);
  });
}

function write() {
  const finished = (row) =>
    constants.every(
      (constant) =>
        !users.get(constant).has(row) ||
        constant.moves.every((value) => kept.get(keyOf(constant, value, row)) !== undefined),
    );
  const whole = affordable.filter(finished);
  const inOrder = rows.map(({ id }) => id);
  const found = {
    complete: whole.length === affordable.length && measured.length === quick.length,
    rows: inOrder.filter((id) => whole.includes(id)),
    leftOut: inOrder.filter((id) => !whole.includes(id) && !(measured.includes(id) && !based.includes(id))),
    noProfile: measured.filter((id) => !based.includes(id)),
    constants: constants.map((constant) => {
      const { kind, profile, name, value, moves, source } = constant;
      const run = whole.filter((row) => users.get(constant).has(row));
      const effects = run.map((row) => {
        const each = moves.map((moved) => effectOf(baseOf(row), kept.get(keyOf(constant, moved, row))));
        return { row, effect: ['turns', 'fails', 'moves'].find((effect) => each.includes(effect)) };
      });
      const having = (effect) => effects.flatMap((each) => (each.effect === effect ? [each.row] : []));
      return {
        ...{ kind, profile, name, value, movedTo: moves, source, rows: run.length },
        ...{ turns: having('turns'), moves: having('moves'), fails: having('fails') },
      };
    }),
  };
  writeFileSync(`${root}docs/sensitivity.json`, `${JSON.stringify(found, null, 1)}\n`);
  writeFileSync(`${root}docs/sensitivity.md`, sensitivityPage(found));
  const loose = found.constants.filter(
    ({ turns, moves, fails }) => turns.length + moves.length + fails.length === 0,
  );
  console.log(
    `${found.constants.length} constants, ${loose.length} pinned by none of ${found.rows.length} rows` +
      `${found.complete ? '' : '; the time ran out: run it again to go on'}`,
  );
}
