// Compares two trees on one machine: `npm run bench:paired -- --base DIR [--bench sim] [--pairs 9] [--json] [-- arguments]`.
// DIR is another clone with its dependencies installed. Each tree's own benchmark runs on its own build, one after the
// other in turn, so that what else the machine does strikes both alike; the benchmarks measure processor time. A figure is
// the median over the pairs of the ratio of this tree to the base within a pair, turned so that more than 1 is better.
import { spawnSync } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { bundleBench, ON_BUILT_PACKAGE } from './bench-bundle.js';

const USAGE = 'usage: npm run bench:paired -- --base DIR [--bench sim] [--pairs 9] [--json] [-- arguments]';
const root = fileURLToPath(new URL('..', import.meta.url));
const { values, positionals } = readArguments();
const pairs = Number(values.pairs);
const name = values.bench;
if (values.base === undefined || !existsSync(`${values.base}/bench/${name}.ts`) || !(pairs >= 1)) refuse();
const trees = [
  { label: 'base', root: `${realpathSync(values.base)}/` },
  { label: 'this', root },
];

for (const tree of trees) {
  if (ON_BUILT_PACKAGE.includes(name)) run(tree, [`${tree.root}scripts/build.js`, '--if-stale'], 'inherit');
  tree.bundle = `${root}build/paired/${name}-${tree.label}.mjs`;
  await bundleBench(tree.root, name, tree.bundle);
}

/** By row, the figures of both trees in each pair. */
const measured = new Map();
for (let pair = 0; pair < pairs; pair++) {
  // Who goes first takes turns, too.
  const order = pair % 2 === 0 ? trees : [...trees].reverse();
  for (const tree of order) {
    const { stdout } = run(tree, ['--expose-gc', tree.bundle, '--json', ...positionals], 'pipe');
    for (const row of JSON.parse(stdout)) {
      if (!measured.has(row.name)) measured.set(row.name, { unit: row.unit, base: [], this: [] });
      measured.get(row.name)[tree.label][pair] = row.value;
    }
  }
  console.error(`pair ${pair + 1} of ${pairs}`);
}
print([...measured].filter(([, row]) => row.base.length > 0 && row.this.length > 0).map(compare));

function compare([row, { unit, base, this: own }]) {
  const isRate = unit.endsWith('/s');
  const ratios = own.map((value, pair) => (isRate ? value / base[pair] : base[pair] / value));
  return {
    name: row,
    unit,
    base: median(base),
    this: median(own),
    ratio: median(ratios),
    least: Math.min(...ratios),
    most: Math.max(...ratios),
  };
}

function print(rows) {
  if (values.json) {
    console.log(JSON.stringify(rows, null, 2));
    return;
  }
  for (const row of rows) {
    const figures = `${row.base.toPrecision(4)} -> ${row.this.toPrecision(4)} ${row.unit}`;
    const spread = `${row.least.toFixed(2)} to ${row.most.toFixed(2)}`;
    console.log(`${row.name}: ${figures}, ${row.ratio.toFixed(3)} times as good (${spread})`);
  }
}

function median(list) {
  const sorted = [...list].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

function run(tree, args, stdout) {
  const outcome = spawnSync(process.execPath, args, {
    cwd: tree.root,
    stdio: ['ignore', stdout, 'inherit'],
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  });
  if (outcome.status === 0) return outcome;
  console.error(`kelpie: the benchmark of ${tree.root} could not be run`);
  process.exit(3);
}

function readArguments() {
  try {
    return parseArgs({
      options: {
        base: { type: 'string' },
        bench: { type: 'string', default: 'sim' },
        pairs: { type: 'string', default: '9' },
        json: { type: 'boolean', default: false },
      },
      allowPositionals: true,
    });
  } catch {
    return refuse();
  }
}

function refuse() {
  console.error(USAGE);
  process.exit(2);
}
