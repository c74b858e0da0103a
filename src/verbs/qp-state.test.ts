import { describe, expect, it } from 'vitest';
import { VerbsError } from './error.js';
import { checkTransition, findTransition, QP_STATES, type QpAttrName, reachableFrom } from './qp-state.js';
import type { QpAttr, QpState, QpType } from './queue-pair.js';

const TYPES: readonly QpType[] = ['RC', 'UC', 'UD'];

/** Written down apart from the table: what each state leads to, besides ERR and RESET. */
const ONWARD: Record<QpState, QpState[]> = {
  RESET: ['INIT'],
  INIT: ['INIT', 'RTR'],
  RTR: ['RTS'],
  RTS: ['RTS', 'SQD'],
  SQD: ['RTS', 'SQD'],
  SQE: ['RTS'],
  ERR: [],
};

const VALUES: Required<Omit<QpAttr, 'state'>> = {
  pkeyIndex: 0,
  portNum: 1,
  qpAccessFlags: 0,
  qkey: 1,
  pathMtu: 1024,
  destQpNum: 2,
  rqPsn: 3,
  sqPsn: 4,
  maxDestRdAtomic: 1,
  maxRdAtomic: 1,
  minRnrTimer: 1,
  timeout: 1,
  retryCnt: 1,
  rnrRetry: 1,
  ahAttr: { dgid: '::1' },
  enSqdAsyncNotify: true,
};
const NAMES = Object.keys(VALUES) as QpAttrName[];

function codeOf(state: QpState, qpType: QpType, attr: QpAttr): string {
  try {
    return checkTransition(state, qpType, attr);
  } catch (error) {
    if (error instanceof VerbsError) return `${error.code} ${error.field}`;
    throw error;
  }
}

function attrOf(names: readonly QpAttrName[], state?: QpState): QpAttr {
  const attr: QpAttr = state === undefined ? {} : { state };
  for (const name of names) Object.assign(attr, { [name]: VALUES[name] });
  return attr;
}

const steps = TYPES.flatMap((qpType) =>
  QP_STATES.flatMap((from) => QP_STATES.map((to) => ({ qpType, from, to }))),
);

describe('the state machine of a queue pair', () => {
  it.each(steps)(
    '$qpType: $from to $to is legal exactly where the specification says',
    ({ qpType, from, to }) => {
      const legal =
        to === 'ERR' || to === 'RESET' || (ONWARD[from].includes(to) && !(from === 'SQE' && qpType === 'RC'));
      expect(findTransition(from, to, qpType) !== null).toBe(legal);
      if (!legal) expect(codeOf(from, qpType, { state: to })).toBe('BAD_TRANSITION state');
    },
  );

  it.each(steps)('$qpType: $from to $to takes its attributes and no others', ({ qpType, from, to }) => {
    const step = findTransition(from, to, qpType);
    if (step === null) return expect(reachableFrom(from, qpType)).not.toContain(to);
    const required = step.required[qpType];
    expect(codeOf(from, qpType, attrOf(required, to))).toBe(to);
    for (const name of NAMES) {
      const known = required.includes(name) || step.optional[qpType].includes(name);
      const outcome = codeOf(from, qpType, attrOf([...required, name], to));
      expect(outcome).toBe(known ? to : `UNEXPECTED_ATTRIBUTE ${name}`);
    }
    for (const name of required) {
      const rest = required.filter((other) => other !== name);
      expect(codeOf(from, qpType, attrOf(rest, to))).toBe(`MISSING_ATTRIBUTE ${name}`);
    }
  });

  it('an attribute that is undefined is absent', () => {
    expect(codeOf('RTS', 'RC', { sqPsn: undefined, state: 'RTS' })).toBe('RTS');
  });

  it('without a state, a state that lets nothing change takes nothing', () => {
    expect(codeOf('RTR', 'RC', {})).toBe('RTR');
    expect(codeOf('RTR', 'RC', { minRnrTimer: 3 })).toBe('UNEXPECTED_ATTRIBUTE minRnrTimer');
    expect(codeOf('RTS', 'RC', { minRnrTimer: 3 })).toBe('RTS');
    expect(codeOf('SQD', 'RC', { timeout: 3 })).toBe('SQD');
    expect(codeOf('SQD', 'UC', { timeout: 3 })).toBe('UNEXPECTED_ATTRIBUTE timeout');
  });
});
