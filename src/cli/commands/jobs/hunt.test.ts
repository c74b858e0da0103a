import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { deterministicAnswer, type HuntAnswer, parseBudget } from '../../../jobs/hunt/index.js';
import { parseWorkload } from '../../../workload/index.js';
import { openExistingArchive } from '../../hunt/archive-file.js';
import { orderFrom } from '../../hunt/order.js';
import { type Outcome, typed } from '../../testing/typed.js';

// Goal: what a person types comes out as documented, nothing that was kept is lost or overwritten, and a hunt that was
// interrupted comes to the end that it would have come to.

const root = mkdtempSync(join(tmpdir(), 'kelpie-hunt-'));
afterAll(() => rmSync(root, { recursive: true }));

/** A corner of the space that is cheap to run and has an anomaly. */
const space = join(root, 'corner.yaml');
writeFileSync(
  space,
  'transport: RC\nopcode: WRITE\nqps: { max: 2 }\nmrs: 1\nqueueDepth: { min: 16, max: 64 }\nbatch: { max: 2 }\nsge: 1\nmtu: 4096\nsizes: { min: 16384, max: 65536, length: 1 }\nmemory: [memory0, gpu0]\ndirection: uni\nmrBytes: 65536\n',
);
const corner = ['hunt', '--space', space, '--budget', '70', '--workers', '1', '--json'];
const answerIn = ({ out }: Outcome) => JSON.parse(out) as HuntAnswer;

describe('kelpie hunt', () => {
  it('finds the anomalies of a corner, keeps them, and comes to the same end after an interruption', async () => {
    const whole = await typed([...corner, '--folder', join(root, 'whole')]);
    expect(whole.code).toBe(1);
    const answer = answerIn(whole);
    expect(answer).toMatchObject({ subsystem: 'collie-f-as-tested', seed: 1, partial: false });
    expect(answer.anomalies.length).toBeGreaterThan(0);
    for (const [index, anomaly] of answer.anomalies.entries()) {
      expect(Object.keys(anomaly)).toEqual(
        expect.arrayContaining(['symptom', 'features', 'workload', 'counters', 'advice', 'matches']),
      );
      const file = join(root, 'whole', '1', `anomaly-${index + 1}.yaml`);
      const workload = parseWorkload(readFileSync(file, 'utf8'), file);
      expect(workload.tenants[0].opcode).toBe('WRITE');
    }
    const page = readFileSync(join(root, 'whole', '1', 'report.html'), 'utf8');
    const { causes } = JSON.parse(whole.out) as {
      causes: { anomaly: number; cause: { clears: boolean } | null }[];
    };
    expect(causes.map(({ anomaly }) => anomaly)).toEqual([...answer.anomalies.keys()]);
    expect(causes.some(({ cause }) => cause?.clears)).toBe(true);
    expect(page).toContain('Cause, verified by a run');
    const cleared = join(root, 'whole', '1', 'anomaly-1-cleared.yaml');
    expect(page).toContain(`kelpie run ${cleared}`);
    const again = await typed(['run', cleared, '--subsystem', 'collie-f-as-tested']);
    expect([again.code, again.out.includes('ANOMALY')]).toEqual([0, false]);
    expect(page).not.toMatch(/(src|href)="(?!#|data:)/);

    const folder = join(root, 'broken');
    const outcome = await interrupted([...corner, '--folder', folder]);
    expect(outcome.err).toContain('continue with kelpie hunt --resume 1');
    expect(answerIn(outcome).partial).toBe(true);
    const resumed = await typed(['hunt', '--resume', '1', '--workers', '1', '--json', '--folder', folder]);
    expect(deterministicAnswer(answerIn(resumed))).toEqual(deterministicAnswer(answer));
  });

  it('shows, lists and compares what was kept', async () => {
    const folder = ['--folder', join(root, 'whole')];
    const shown = await typed(['hunt', 'show', ...folder]);
    expect(shown.code).toBe(0);
    expect(shown.out).toContain('kelpie run');
    expect(shown.out).toContain('severity');
    expect(shown.out).toContain('verified: gone if');
    const listed = await typed(['hunt', 'list', '--json', ...folder]);
    expect(JSON.parse(listed.out)).toMatchObject([
      { id: 1, finished: true, subsystem: 'collie-f-as-tested' },
    ]);
    const compared = await typed(['hunt', 'compare', '1', '1', ...folder]);
    expect(compared.out.match(/collie-f-as-tested/g)).toHaveLength(2);
    expect(await typed(['hunt', 'show', '9', ...folder])).toMatchObject({ code: 2 });
  });

  it('says that it found none', async () => {
    const ideal = ['--provider', 'ideal', '--strategy', 'random', '--counters', 'performance'];
    const { code, out } = await typed([
      ...['hunt', ...ideal, '--budget', '5', '--workers', '1', '--folder', join(root, 'ideal')],
    ]);
    expect({ code, found: out.includes('none found in 5 experiments') }).toEqual({ code: 0, found: true });
  });

  it('says what is wrong before it writes anything', async () => {
    const bad = join(root, 'bad.yaml');
    writeFileSync(bad, 'transport: RC\nqps: { min: 64, max: 8 }\n');
    const folder = join(root, 'never');
    const cases: [string[], number, string][] = [
      [['--space', bad], 2, 'bad.yaml:2'],
      [['--space', join(root, 'none.yaml')], 2, 'SPACE_UNREADABLE'],
      [['--budget', 'soon'], 2, '--budget'],
      [['--subsystem', 'collie-x'], 2, 'PROFILE_NOT_FOUND'],
      [['--workers', '0'], 2, '--workers'],
      [['--resume'], 2, 'NO_HUNTS'],
      [['dance'], 2, 'action'],
    ];
    for (const [flags, code, words] of cases) {
      const outcome = await typed(['hunt', ...flags, '--folder', folder]);
      expect({ flags, code: outcome.code, says: outcome.err.includes(words) }).toEqual({
        flags,
        code,
        says: true,
      });
    }
    expect(existsSync(folder)).toBe(false);
    const file = join(root, 'file');
    writeFileSync(file, '');
    const blocked = await typed(['hunt', '--budget', '1', '--folder', join(file, 'hunts')]);
    expect(blocked.code).toBe(3);
    expect(blocked.err).toContain('cannot be written');
  });

  it('refuses a damaged database and leaves it as it is', async () => {
    const folder = mkdtempSync(join(root, 'damaged-'));
    const good = readFileSync(join(root, 'whole', 'hunts.mdb'));
    const file = join(folder, 'hunts.mdb');
    const cut = good.subarray(0, good.length >> 1);
    const scratched = Buffer.from(good);
    scratched.fill(0x5a, 0, 9000);
    for (const damaged of [Buffer.from('not a database'), cut, scratched]) {
      writeFileSync(file, damaged);
      for (const command of [
        ['hunt', '--budget', '1'],
        ['hunt', 'list'],
        ['hunt', '--resume'],
      ]) {
        const { code, err } = await typed([...command, '--folder', folder]);
        expect({ code, damaged: err.includes('damaged') }).toEqual({ code: 3, damaged: true });
      }
      expect(readFileSync(file).equals(damaged)).toBe(true);
    }
    copyFileSync(join(root, 'whole', 'hunts.mdb'), file);
    expect(await typed(['hunt', 'list', '--folder', folder])).toMatchObject({ code: 0 });
  });
});

describe('kelpie advise', () => {
  it('says what a workload meets, from what hunts have found', async () => {
    const folder = join(root, 'whole');
    const hunts = await openExistingArchive(folder);
    const { anomalies } = (await hunts.answer(1))!;
    await hunts.close();
    expect(anomalies.some(({ complete }) => complete)).toBe(true);
    const index = anomalies.findIndex(({ complete }) => complete);
    const mine = join(folder, '1', `anomaly-${index + 1}.yaml`);
    const met = await typed(['advise', mine, '--folder', folder]);
    expect(met.code).toBe(1);
    expect(met.out).toContain('MEETS');
    const harmless = join(root, 'harmless.yaml');
    writeFileSync(harmless, 'name: harmless\ntransport: UD\nopcode: SEND\nsizes: [64]\nsendQueueDepth: 8\n');
    expect(await typed(['advise', harmless, '--folder', folder])).toMatchObject({ code: 0 });
    expect(await typed(['advise', harmless, '--folder', join(root, 'nowhere')])).toMatchObject({ code: 2 });
    expect(await typed(['advise', harmless, '--sets', harmless])).toMatchObject({ code: 2 });
  });
});

describe('a budget', () => {
  it.each([
    ['600', { kind: 'experiments', amount: 600 }],
    ['10h', { kind: 'hours', amount: 10 }],
    ['1.5 hours', { kind: 'hours', amount: 1.5 }],
    ['90s', { kind: 'wall', amount: 90 }],
    ['2m', { kind: 'wall', amount: 120 }],
  ])('%s', (text, budget) => expect(parseBudget(text)).toEqual(budget));
  it('is ten hours unless set, and twenty on H', () => {
    const hours = (amount: number) => ({ kind: 'hours', amount });
    expect(orderFrom({}).plan.budget).toEqual(hours(10));
    expect(orderFrom({ subsystem: 'collie-h' }).plan.budget).toEqual(hours(20));
    expect(orderFrom({ subsystem: 'collie-h', budget: '5h' }).plan.budget).toEqual(hours(5));
  });
  it.each(['', 'h', '0', '-3', '1.5', 'ten', '5d', '1e9h'])('refuses %j', (text) =>
    expect(() => parseBudget(text)).toThrow(expect.objectContaining({ code: 'BAD_BUDGET' })),
  );
});

/** Runs a command and interrupts it at its first anomaly: an event of the hunt, whatever the speed of the machine. */
async function interrupted(argv: readonly string[]): Promise<Outcome> {
  const interrupt = new AbortController();
  const watch = (text: string) => {
    if (text.startsWith('anomaly 1,')) interrupt.abort();
  };
  return typed(argv, { onErr: watch, signal: interrupt.signal });
}
