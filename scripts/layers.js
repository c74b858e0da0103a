// The architecture as a rule: imports point down. Reads src/ with dependency-cruiser and fails on an import that
// goes up or sideways, on a `node:` module in a layer that must run in a browser, on a cycle, and when it sees too
// few modules to mean anything (dependency-cruiser says 'no violations' when it could not read TypeScript at all).
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { cruise } from 'dependency-cruiser';
import extractTSConfig from 'dependency-cruiser/config-utl/extract-ts-config';

/** For each layer, the layers that it may import; every layer may import itself, src/error.ts and src/version.ts. */
const lower = {
  engine: [],
  schema: [],
  wire: ['engine'],
  verbs: [],
  transport: ['engine', 'wire', 'verbs'],
  link: ['engine', 'wire'],
  profiles: ['engine', 'schema'],
  'host-import': ['profiles'],
  // Programs on the verbs: what runs beside, or opposite, the programs of others.
  services: ['wire', 'verbs'],
  models: ['engine', 'wire', 'verbs', 'transport', 'profiles'],
  workload: ['engine', 'schema', 'verbs', 'profiles'],
  schemes: ['engine', 'verbs', 'profiles'],
  providers: ['engine', 'wire', 'verbs', 'transport', 'link', 'profiles', 'models'],
  // Puts providers, schemes and workloads together: what a library user, a browser and the command line open.
  testbeds: ['engine', 'schema', 'link', 'profiles', 'models', 'workload', 'schemes', 'providers', 'verbs'],
  // What runs on testbeds; gets pools and stores passed in.
  jobs: [
    'engine',
    'schema',
    'wire',
    'verbs',
    'profiles',
    'models',
    'workload',
    'schemes',
    'services',
    'testbeds',
  ],
  // Results as pages: text in, HTML out; the command line writes them, a browser shows them.
  report: ['workload', 'profiles', 'models', 'jobs'],
};

/** The edges, which may import everything: what jobs and testbeds use of Node, the page, and the command line above. */
export const layers = {
  ...lower,
  node: Object.keys(lower),
  // What the page of the laboratory asks, and what it shows: in a browser, so nothing of Node.
  laboratory: Object.keys(lower),
  // The page itself: it is bundled, and nothing imports it.
  web: [...Object.keys(lower), 'laboratory'],
  cli: [...Object.keys(lower), 'node', 'laboratory'],
};

/** The places that may use Node's own modules: the edges of the system. */
const nodeAllowed = '^src/(cli|node|providers/(software|hardware))/';
const tests = '\\.test\\.ts$|/testing/';

/** dependency-cruiser's rules for a table of layers. */
export function layerRules(table = layers) {
  const rules = Object.entries(table).map(([layer, below]) => ({
    name: `${layer}-imports-down`,
    comment: `src/${layer} may import ${below.length === 0 ? 'nothing but itself' : below.join(', ')}`,
    severity: 'error',
    from: { path: `^src/${layer}/`, pathNot: tests },
    to: { path: '^src/', pathNot: `^src/((error|version)\\.ts$|(${[layer, ...below].join('|')})/)` },
  }));
  return [
    ...rules,
    {
      name: 'no-node-below-the-edges',
      comment: 'this layer runs in a browser: no node: module',
      severity: 'error',
      from: { path: '^src/', pathNot: `${nodeAllowed}|${tests}` },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'providers-do-not-know-each-other',
      comment: 'a provider imports no other provider',
      severity: 'error',
      from: { path: '^src/providers/([^/]+)/' },
      to: { path: '^src/providers/([^/]+)/', pathNot: '^src/providers/($1|time|cm)/' },
    },
    {
      name: 'nats-at-its-edge',
      comment: 'the client of NATS is installed by those who want it: only src/node/nats knows it',
      severity: 'error',
      from: { path: '^src/', pathNot: `^src/node/nats/|${tests}` },
      to: { path: '@nats-io/' },
    },
    {
      name: 'no-cycles',
      comment: 'two modules that need each other are one module; imports of types alone are exempt',
      severity: 'error',
      from: { path: '^src/', pathNot: tests },
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'no-type-cycles-in-models',
      comment: 'a part of a model gets what it uses, not the whole: imports of types count here too',
      severity: 'error',
      from: { path: '^src/models/', pathNot: tests },
      to: { circular: true, viaOnly: { path: '^src/models/' } },
    },
    {
      name: 'models-are-tested-by-themselves',
      comment: 'a unit test of a model needs nothing above it',
      severity: 'error',
      from: { path: '^src/models/' },
      to: { path: `^src/(?!${['models', ...lower.models].join('|')})[^/]+/` },
    },
  ];
}

/**
 * Cruises src/ below `root`. `ok` is false on a violation and also when the checker did not see every module.
 *
 * @param {string} root
 * @returns {Promise<{ ok: boolean, modules: number, files: number, violations: { rule: { name: string }, from: string, to:
 * string }[], counts: Map<string, Map<string, number>> }>}
 */
export async function checkLayers(root) {
  const before = process.cwd();
  process.chdir(root);
  try {
    const result = await cruise(
      ['src'],
      {
        ruleSet: { forbidden: layerRules() },
        validate: true,
        tsPreCompilationDeps: true,
        doNotFollow: { path: 'node_modules' },
      },
      { extensions: ['.ts', '.tsx', '.js'], extensionAlias: { '.js': ['.ts', '.tsx', '.js'] } },
      { tsConfig: extractTSConfig('tsconfig.json') },
    );
    const output = result.output;
    const modules = output.modules.filter((module) => module.source.startsWith('src/')).length;
    const files = readdirSync('src', { recursive: true }).filter((file) =>
      /\.([jt]s|tsx)$/.test(String(file)),
    ).length;
    const violations = output.summary.violations;
    const ok = violations.length === 0 && modules > 0 && modules >= files;
    return { ok, modules, files, violations, counts: countImports(output.modules) };
  } finally {
    process.chdir(before);
  }
}

/** The layer of a module; the foundation under the verbs counts as one of its own. */
function layerOf(path) {
  return /^src\/(verbs\/base|[^/]+)\//.exec(path)?.[1];
}

/** How many times the modules of each layer import one of another layer, tests and test kit apart. */
function countImports(modules) {
  const counts = new Map();
  for (const { source, dependencies } of modules) {
    const from = layerOf(source);
    if (from === undefined || new RegExp(`${tests}|/mutants/`).test(source)) continue;
    for (const target of new Set(dependencies.map(({ resolved }) => resolved))) {
      const to = layerOf(target);
      if (to === undefined || to === from) continue;
      const row = counts.get(from) ?? new Map();
      counts.set(from, row.set(to, (row.get(to) ?? 0) + 1));
    }
  }
  return counts;
}

/**
 * Layers of whose imports a page says something else than is so, as `layer: what it imports`.
 *
 * @param {string} page
 * @param {Map<string, Map<string, number>>} counts
 */
export function staleLayers(page, counts) {
  const table = page.slice(page.indexOf('| layer '));
  const rows = table.slice(0, table.indexOf('\n\n')).matchAll(/^\| `([\w/-]+)` *\| (.*?) *\|$/gm);
  const said = new Map(
    [...rows].map(([, layer, list]) => [layer, list === 'nothing' ? [] : list.split(', ')]),
  );
  const text = (names) => [...(names ?? [])].sort().join(', ') || 'nothing';
  return [...new Set([...counts.keys(), ...said.keys()])]
    .filter((layer) => text(said.get(layer)) !== text(counts.get(layer)?.keys()))
    .map((layer) => `${layer}: ${text(counts.get(layer)?.keys())}`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const root = fileURLToPath(new URL('..', import.meta.url));
  const { ok, modules, files, violations, counts } = await checkLayers(root);
  if (process.argv.includes('--count'))
    for (const [from, row] of counts)
      console.log(`${from}: ${[...row].map(([to, count]) => `${to} ${count}`).join(', ')}`);
  for (const { rule, from, to } of violations) console.error(`${rule.name}: ${from} -> ${to}`);
  if (modules === 0 || modules < files)
    console.error(`layers: saw ${modules} of ${files} modules, so this check says nothing`);
  const stale = staleLayers(readFileSync(`${root}docs/architecture.md`, 'utf8'), counts);
  for (const row of stale) console.error(`docs/architecture.md is stale, \`${row}\` is so`);
  console.log(`layers: ${modules} modules, ${violations.length} violations`);
  process.exitCode = ok && stale.length === 0 ? 0 : 1;
}
