import fc from 'fast-check';
import { expect, it } from 'vitest';
import { runFile } from '../testing/runs.js';
import { KelpieError } from '../../../error.js';
import { readConfig } from './config.js';
import { readFlows } from './flow-file.js';
import { ns3Run } from './ns3-spec.js';
import { readTopology } from './topology-file.js';
import { readTrace } from './trace-file.js';

// Goal: whatever a file says, it is read, or refused with its name, a line, the field and what is allowed.

const TOPOLOGY =
  '6 2 5\n4 5\n0 4 100Gbps 1us 0\n1 4 100Gbps 1us 0\n2 5 40Gbps 1us 0\n3 5 40Gbps 1us 0\n4 5 400Gbps 2us 0\n';
const FLOWS = '3\n0 1 3 100 5000 2\n1 2 3 100 900 2.0001\n3 0 3 200 100000 2.001\n';
const TRACE = '3\n0 1 5\n';
const CONFIG = runFile('f2-dcqcn.config.txt');

const WORDS = [
  '-1',
  '0',
  '1e99',
  '4294967296',
  '0.5',
  'nan',
  'x',
  '∞',
  '-',
  '1Gbps',
  '0bps',
  '9s',
  'CC_MODE',
  '99',
  '{}',
];

/** A text with words replaced, dropped, doubled or cut off. */
function mutated(text: string): fc.Arbitrary<string> {
  const words = text.split(/(\s+)/);
  const change = fc.record({
    at: fc.integer({ min: 0, max: words.length - 1 }),
    how: fc.constantFrom('replace', 'drop', 'double', 'cut'),
    by: fc.constantFrom(...WORDS),
  });
  return fc.array(change, { minLength: 1, maxLength: 3 }).map((changes) => {
    let all = [...words];
    for (const { at, how, by } of changes) {
      if (how === 'replace') all[at] = by;
      else if (how === 'drop') all[at] = '';
      else if (how === 'double') all[at] = `${all[at]} ${all[at]}`;
      else all = all.slice(0, at);
    }
    return all.join('');
  });
}

/** Reads all files; says whether they were taken. */
function isTaken(config: string, topology: string, flows: string, trace: string): boolean {
  try {
    const read = readConfig('config.txt', config);
    const graph = readTopology('topology.txt', topology);
    readTrace('trace.txt', trace, graph);
    const { spec, stopNs } = ns3Run(read, graph, readFlows('flows.txt', flows, graph));
    expect(Number.isFinite(stopNs)).toBe(true);
    for (const { bytes, startNs } of spec.flows) expect(bytes > 0 && startNs >= 0).toBe(true);
    return true;
  } catch (error) {
    if (!(error instanceof KelpieError)) throw error;
    expect(error.code).toBe('FABRIC_FILE');
    expect(error.message).toMatch(/^(config|topology|flows|trace)\.txt:\d+: /);
    expect(error.field).not.toBe('');
    expect(error.allowed).toBeTruthy();
    return false;
  }
}

it('takes a file or says what is wrong with it, and both happen', () => {
  const plain = CONFIG.replace(
    /^(K(MIN|MAX)_MAP) .*/gm,
    '$1 3 40000000000 100 100000000000 400 400000000000 1600',
  ).replace(/^PMAX_MAP .*/gm, 'PMAX_MAP 3 40000000000 0.2 100000000000 0.2 400000000000 0.2');
  expect(isTaken(plain, TOPOLOGY, FLOWS, TRACE)).toBe(true);
  const seen = { taken: 0, refused: 0 };
  const one: fc.Arbitrary<readonly [string, string, string, string]> = fc.oneof(
    mutated(plain).map((config) => [config, TOPOLOGY, FLOWS, TRACE] as const),
    mutated(TOPOLOGY).map((topology) => [plain, topology, FLOWS, TRACE] as const),
    mutated(FLOWS).map((flows) => [plain, TOPOLOGY, flows, TRACE] as const),
    mutated(TRACE).map((trace) => [plain, TOPOLOGY, FLOWS, trace] as const),
  );
  fc.assert(
    fc.property(one, (files) => {
      seen[isTaken(...files) ? 'taken' : 'refused']++;
    }),
    { numRuns: 500 },
  );
  expect(seen.taken).toBeGreaterThan(50);
  expect(seen.refused).toBeGreaterThan(50);
});
