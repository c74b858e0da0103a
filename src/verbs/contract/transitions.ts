import type { QpAttr, QpState, QpType } from '../queue-pair.js';
import { broken, expectEqual, expectRefused } from './kit/assert.js';
import type { ContractBench } from './kit/bench.js';
import {
  type AttrName,
  bringTo,
  bringUp,
  type Overrides,
  REQUIRED,
  STEPS,
  type Step,
  stepAttr,
} from './kit/bring-up.js';
import { type ContractCase, casesOf } from './kit/case.js';
import type { End } from './kit/end.js';

const test = casesOf('state machine');
const TYPES: readonly QpType[] = ['RC', 'UC', 'UD'];
type Reachable = Exclude<QpState, 'SQE'>;
const REACHABLE: readonly Reachable[] = ['RESET', 'INIT', 'RTR', 'RTS', 'SQD', 'ERR'];

/** Steps that no transport may take, by the state that they start from (specification §10.3.1). */
const ILLEGAL: Readonly<Record<Reachable, readonly QpState[]>> = {
  RESET: ['RTR', 'RTS', 'SQD', 'SQE'],
  INIT: ['RTS', 'SQD', 'SQE'],
  RTR: ['INIT', 'SQD', 'SQE'],
  RTS: ['INIT', 'RTR', 'SQE'],
  SQD: ['INIT', 'RTR', 'SQE'],
  ERR: ['INIT', 'RTR', 'RTS', 'SQD', 'SQE'],
};

/** Attributes that a step of a transport does not take. */
const UNEXPECTED: readonly (readonly [QpType, Step, Overrides])[] = [
  ['RC', 'INIT', { qkey: 1 }],
  ['RC', 'INIT', { destQpNum: 1 }],
  ['RC', 'RTR', { timeout: 1 }],
  ['RC', 'RTR', { sqPsn: 1 }],
  ['RC', 'RTS', { destQpNum: 1 }],
  ['RC', 'RTS', { rqPsn: 1 }],
  ['UC', 'INIT', { qkey: 1 }],
  ['UC', 'RTR', { minRnrTimer: 1 }],
  ['UC', 'RTR', { maxDestRdAtomic: 1 }],
  ['UC', 'RTS', { timeout: 1 }],
  ['UC', 'RTS', { retryCnt: 1 }],
  ['UC', 'RTS', { maxRdAtomic: 1 }],
  ['UD', 'INIT', { qpAccessFlags: 1 }],
  ['UD', 'RTR', { destQpNum: 1 }],
  ['UD', 'RTR', { pathMtu: 1024 }],
  ['UD', 'RTS', { rnrRetry: 1 }],
];

/** Numbers that an attribute cannot have. */
const OUT_OF_RANGE: Readonly<Partial<Record<AttrName, readonly number[]>>> = {
  pkeyIndex: [-1, 65536, 0.5],
  portNum: [0, 255, -1],
  pathMtu: [0, 1500, 8192],
  destQpNum: [-1, 2 ** 24, 1.5],
  rqPsn: [-1, 2 ** 24, 1.5, Number.NaN],
  maxDestRdAtomic: [-1, 65536],
  minRnrTimer: [-1, 32, 0.5],
  sqPsn: [-1, 2 ** 24, 1.5],
  timeout: [-1, 32],
  retryCnt: [-1, 8],
  rnrRetry: [-1, 8],
  maxRdAtomic: [-1, 65536],
};

/** Two ends that name each other but are still in RESET. */
function ends(bench: ContractBench, qpType: QpType): { end: End; peer: End } {
  return { end: bench.end(bench.left, { qpType }), peer: bench.end(bench.right, { qpType }) };
}

function stepBefore(step: Step): Reachable {
  return step === 'INIT' ? 'RESET' : STEPS[STEPS.indexOf(step) - 1]!;
}

const perType = TYPES.flatMap((type) => [
  test(`${type} takes every step of the way up and around`, [type], async (bench) => {
    const { end, peer } = ends(bench, type);
    const address = bench.address(peer);
    expectEqual(end.qp.state, 'RESET', 'state of a new queue pair');
    const init = stepAttr('INIT', end, address);
    const way: QpAttr[] = [
      init,
      { ...init, pkeyIndex: 0 },
      stepAttr('RTR', end, address),
      stepAttr('RTS', end, address),
      { state: 'SQD' },
      { state: 'RTS' },
      { state: 'ERR' },
      { state: 'RESET' },
      init,
      { state: 'RESET' },
    ];
    for (const attr of way) {
      end.qp.modify(attr);
      expectEqual(end.qp.state, attr.state, 'state');
      expectEqual(end.qp.query().state, attr.state!, 'state by query');
    }
  }),
  ...REACHABLE.flatMap((from) => [
    test(`${type} goes from ${from} to ERR and to RESET`, [type], async (bench) => {
      for (const to of ['ERR', 'RESET'] as const) {
        const { end, peer } = ends(bench, type);
        bringTo(from, end, bench.address(peer));
        end.qp.modify({ state: to });
        expectEqual(end.qp.state, to, 'state');
      }
    }),
    test(`${type} does not go from ${from} to ${ILLEGAL[from].join(', ')}`, [type], async (bench) => {
      const { end, peer } = ends(bench, type);
      bringTo(from, end, bench.address(peer));
      for (const to of ILLEGAL[from]) {
        expectRefused('BAD_TRANSITION', () =>
          end.qp.modify(
            STEPS.includes(to as Step) ? stepAttr(to as Step, end, bench.address(peer)) : { state: to },
          ),
        );
        expectEqual(end.qp.state, from, 'state after the refusal');
      }
    }),
  ]),
  ...STEPS.filter((step) => REQUIRED[type][step].length > 0).map((step) =>
    test(`${type} to ${step} names the attribute that is missing`, [type], async (bench) => {
      const { end, peer } = ends(bench, type);
      bringTo(stepBefore(step), end, bench.address(peer));
      for (const name of REQUIRED[type][step]) {
        const attr = stepAttr(step, end, bench.address(peer));
        delete attr[name];
        expectRefused('MISSING_ATTRIBUTE', () => end.qp.modify(attr), { field: name });
        expectEqual(end.qp.state, stepBefore(step), 'state after the refusal');
      }
      end.qp.modify(stepAttr(step, end, bench.address(peer)));
    }),
  ),
  test(`${type} refuses numbers out of range, with the field, and changes nothing`, [type], async (bench) => {
    for (const step of STEPS) {
      const { end, peer } = ends(bench, type);
      bringTo(stepBefore(step), end, bench.address(peer));
      const before = JSON.stringify(end.qp.query());
      for (const name of REQUIRED[type][step]) {
        for (const bad of OUT_OF_RANGE[name] ?? []) {
          const attr = { ...stepAttr(step, end, bench.address(peer)), [name]: bad };
          expectRefused('OUT_OF_RANGE', () => end.qp.modify(attr), { field: name });
          expectEqual(JSON.stringify(end.qp.query()), before, `attributes after ${name} ${bad}`);
        }
      }
    }
  }),
  test(`${type} gives back what was set`, [type], async (bench) => {
    const { end, peer } = ends(bench, type);
    const overrides: Overrides = {
      pathMtu: 512,
      rqPsn: 0xffffff,
      sqPsn: 0,
      maxDestRdAtomic: 2,
      maxRdAtomic: 1,
      minRnrTimer: 31,
      timeout: 31,
      retryCnt: 6,
      rnrRetry: 5,
      qkey: 0x7fffffff,
    };
    for (const step of STEPS) {
      const attr = stepAttr(step, end, bench.address(peer), overrides);
      end.qp.modify(attr);
      for (const name of REQUIRED[type][step]) {
        const found = end.qp.query()[name];
        if (name === 'ahAttr') expectEqual(end.qp.query().ahAttr?.dgid, attr.ahAttr!.dgid, 'dgid');
        else expectEqual(found, attr[name], name);
      }
    }
  }),
  test(`${type} forgets its attributes in RESET`, [type], async (bench) => {
    const { end, peer } = ends(bench, type);
    bringUp(end, bench.address(peer), { sqPsn: 77, rqPsn: 78, timeout: 9, qkey: 5 });
    end.qp.modify({ state: 'RESET' });
    const left = end.qp.query();
    for (const name of [
      'sqPsn',
      'rqPsn',
      'timeout',
      'qkey',
      'destQpNum',
      'pathMtu',
      'minRnrTimer',
    ] as const) {
      if (left[name]) broken(`${name} survived RESET`, left[name], 'none');
    }
  }),
]);

const unexpected = UNEXPECTED.map(([type, step, extra]) =>
  test(`${type} to ${step} does not take ${Object.keys(extra)[0]}`, [type], async (bench) => {
    const { end, peer } = ends(bench, type);
    bringTo(stepBefore(step), end, bench.address(peer));
    const attr = stepAttr(step, end, bench.address(peer));
    expectRefused('UNEXPECTED_ATTRIBUTE', () => end.qp.modify({ ...attr, ...extra }), {
      field: Object.keys(extra)[0]!,
    });
    expectEqual(end.qp.state, stepBefore(step), 'state after the refusal');
    end.qp.modify(attr);
  }),
);

/** The steps of the state machine and the attributes they take. */
export const transitionCases: readonly ContractCase[] = [
  ...perType,
  ...unexpected,
  test('RC in RTS changes minRnrTimer alone, not its PSN', ['RC'], async (bench) => {
    const { a } = bench.pair();
    a.qp.modify({ minRnrTimer: 9 });
    expectEqual(a.qp.query().minRnrTimer, 9, 'minRnrTimer');
    expectRefused('UNEXPECTED_ATTRIBUTE', () => a.qp.modify({ sqPsn: 9 }), { field: 'sqPsn' });
    expectEqual(a.qp.state, 'RTS', 'state');
  }),
];
