import { describe, expect, it } from 'vitest';
import { resolveWorkload } from '../../workload/index.js';
import { collieCauses } from './board/causes.js';
import { steepest, sweeps } from './board/sweeps.js';
import { searchRows } from './rows/collie/search.js';
import { collieWorkload, withChange } from './rows/collie/workload.js';
import { ciRows, findRow, pending, rows } from './rows.js';
import { azureTargets } from './targets/azure.js';
import { basicsTargets } from './targets/basics.js';
import { collieSearchTargets, collieTargets } from './targets/collie.js';
import { hostpingTargets } from './targets/hostping.js';
import { huskyApplicationTargets, huskyTargets } from './targets/husky.js';
import { lamdaTargets } from './targets/lamda.js';
import { perfTargets } from './targets/perf.js';
import { srnicTargets } from './targets/srnic.js';
import type { CollieParameter } from './targets/target.js';

// Goal: no row of a paper is lost, none is run twice, and what cannot be run says so.

function numbered(letter: string, from: number, to: number): string[] {
  return Array.from({ length: to - from + 1 }, (_, index) => `${letter}${from + index}`);
}

const targets = [
  ...perfTargets,
  ...huskyTargets,
  ...huskyApplicationTargets,
  ...srnicTargets,
  ...hostpingTargets,
  ...lamdaTargets,
  ...azureTargets,
  ...collieTargets,
  ...collieSearchTargets,
  ...basicsTargets,
];

describe('the rows', () => {
  it('are those that the board promises', () => {
    const promised = [
      ...numbered('P', 1, 20),
      ...numbered('H', 1, 17),
      ...numbered('HA', 1, 7),
      'T3',
      ...[
        'S1',
        'S2',
        'S13',
        'S20',
        'S37',
        'S3',
        'S4',
        'S5',
        'S9',
        'S14',
        'S15',
        'S16',
        ...numbered('S', 21, 25),
      ],
      ...[
        'S30',
        'S31',
        'S10',
        'S17',
        'S18',
        'S19',
        'S32',
        'S38',
        'S6',
        'S8',
        'S26',
        'S29',
        'S36',
        'S35',
        'S7',
        'S27',
        'S28',
      ],
      ...['S11', 'S12', 'S33', 'S34'],
      ...numbered('G', 1, 22),
      ...numbered('C', 1, 18),
      'C-benign',
      ...numbered('L', 2, 4),
      'A1',
      'A2',
      ...numbered('A', 4, 10),
      ...numbered('A', 13, 26),
      ...['A30', 'A31'],
      ...numbered('V', 1, 13),
    ];
    expect(rows.map(({ id }) => id)).toEqual(promised);
  });

  it('with the pending ones are all targets, each once', () => {
    const ids = [...rows, ...searchRows, ...pending].map(({ id }) => id);
    expect([...ids].sort()).toEqual([...targets.map(({ id }) => id), 'C-benign', 'T3'].sort());
    for (const { id, reason } of pending) expect(reason, id).toMatch(/^waits for (?!later work)/);
  });

  it('have a target with a number and tolerance, or a trend', () => {
    for (const target of targets) {
      if ('symptom' in target) continue;
      const numeric = target.value !== undefined || target.ratio !== undefined;
      expect(numeric ? target.tolerance : target.trend, target.id).toBeDefined();
    }
  });

  it('of the ci subset exist and come from every paper', () => {
    const papers = new Set(ciRows.map((id) => findRow(id).paper));
    expect([...papers].sort()).toEqual([...new Set(rows.map(({ paper }) => paper))].sort());
    expect(new Set(ciRows).size).toBe(ciRows.length);
  });

  it.each([
    ['Q1', 'there is no such row'],
    ['A3', 'not yet simulated: it waits for a NIC that fences, and the storage protocol'],
  ])('%s is refused with the list of the known', (id, words) => {
    expect(() => findRow(id)).toThrow(words);
    expect(() => findRow(id)).toThrow(/allowed: \w+, \w+.* and \d+ others/);
  });
});

describe('the Collie triggers', () => {
  it.each(collieTargets.map((target) => [target.id, target] as const))(
    '%s and its breaks are legal workloads and differ from each other',
    (_, target) => {
      const trigger = resolveWorkload(collieWorkload(target));
      expect(Object.keys(target.breaks).length).toBeGreaterThan(0);
      for (const [parameter, value] of Object.entries(target.breaks)) {
        const broken = withChange(target, parameter as CollieParameter, value);
        expect(resolveWorkload(collieWorkload(broken)), parameter).not.toEqual(trigger);
      }
    },
  );

  it('each have a cause', () => {
    expect(Object.keys(collieCauses)).toEqual(collieTargets.map(({ id }) => id));
  });
});

describe('the sweeps', () => {
  it.each(sweeps.map((sweep) => [sweep.id, sweep] as const))(
    '%s goes from the break, where the row has one, through the trigger',
    (_, sweep) => {
      const target = collieTargets.find(({ id }) => id === sweep.row)!;
      const parameter = sweep.parameter as 'batch';
      const clean = target.breaks[parameter];
      if (clean !== undefined) expect(sweep.values).toContain(clean);
      expect(sweep.values).toContain(target[parameter]);
      expect([...sweep.values].sort((one, other) => one - other)).toEqual(sweep.values);
      expect(sweep.values.length).toBeGreaterThan(2);
    },
  );

  it('look closer where the response is steepest', () => {
    const flat = { pause: 0, lineShare: 1, symptom: null };
    const points = [
      { value: 8, ...flat },
      { value: 16, ...flat },
      { value: 32, ...flat, pause: 0.3 },
      { value: 64, ...flat, pause: 0.4 },
    ];
    expect(steepest(points)).toEqual([16, 32]);
  });

  it('cover batch, depth, QPs, MRs, SGEs and MTU', () => {
    const swept = new Set(sweeps.map(({ parameter }) => parameter));
    expect([...swept].sort()).toEqual(['batch', 'mrs', 'mtu', 'qps', 'sge', 'wq']);
  });
});
