import { VerbsError } from './error.js';
import type { QpAttr, QpState, QpType } from './queue-pair.js';

/** The name of an attribute of `modify` that is not the state itself. */
export type QpAttrName = Exclude<keyof QpAttr, 'state'>;

/** The attributes of a transition, by transport. */
export type QpAttrTable = Readonly<Record<QpType, readonly QpAttrName[]>>;

/** One legal step of the state machine. */
export interface QpTransition {
  readonly from: QpState;
  readonly to: QpState;
  /** The transports that know this step. */
  readonly transports: readonly QpType[];
  readonly required: QpAttrTable;
  readonly optional: QpAttrTable;
}

/** Every state, in the order of the specification. */
export const QP_STATES: readonly QpState[] = ['RESET', 'INIT', 'RTR', 'RTS', 'SQD', 'SQE', 'ERR'];

const ALL: readonly QpType[] = ['RC', 'UC', 'UD'];
const NONE: QpAttrTable = { RC: [], UC: [], UD: [] };

/** What stays changeable while a queue pair is in service, without draining it. */
const IN_SERVICE: QpAttrTable = { RC: ['qpAccessFlags', 'minRnrTimer'], UC: ['qpAccessFlags'], UD: ['qkey'] };
const ADDRESSING: QpAttrTable = {
  RC: ['pkeyIndex', 'portNum', 'qpAccessFlags'],
  UC: ['pkeyIndex', 'portNum', 'qpAccessFlags'],
  UD: ['pkeyIndex', 'portNum', 'qkey'],
};

function step(
  from: QpState,
  to: QpState,
  required: QpAttrTable,
  optional: QpAttrTable,
  transports = ALL,
): QpTransition {
  return { from, to, transports, required, optional };
}

/**
 * The state machine of a queue pair as data: the specification's table 91, less what RoCEv2 lacks (alternate paths).
 * A step from a state to itself lists what may change while the state stays.
 */
export const QP_TRANSITIONS: readonly QpTransition[] = [
  step('RESET', 'INIT', ADDRESSING, NONE),
  step('INIT', 'INIT', NONE, ADDRESSING),
  step(
    'INIT',
    'RTR',
    {
      RC: ['ahAttr', 'pathMtu', 'destQpNum', 'rqPsn', 'maxDestRdAtomic', 'minRnrTimer'],
      UC: ['ahAttr', 'pathMtu', 'destQpNum', 'rqPsn'],
      UD: [],
    },
    { RC: ['pkeyIndex', 'qpAccessFlags'], UC: ['pkeyIndex', 'qpAccessFlags'], UD: ['pkeyIndex', 'qkey'] },
  ),
  step(
    'RTR',
    'RTS',
    { RC: ['sqPsn', 'timeout', 'retryCnt', 'rnrRetry', 'maxRdAtomic'], UC: ['sqPsn'], UD: ['sqPsn'] },
    IN_SERVICE,
  ),
  step('RTS', 'RTS', NONE, IN_SERVICE),
  step('RTS', 'SQD', NONE, { RC: ['enSqdAsyncNotify'], UC: ['enSqdAsyncNotify'], UD: ['enSqdAsyncNotify'] }),
  step('SQD', 'SQD', NONE, {
    RC: [
      'portNum',
      'ahAttr',
      'timeout',
      'retryCnt',
      'rnrRetry',
      'maxRdAtomic',
      'maxDestRdAtomic',
      'qpAccessFlags',
      'pkeyIndex',
      'minRnrTimer',
    ],
    UC: ['ahAttr', 'qpAccessFlags', 'pkeyIndex'],
    UD: ['pkeyIndex', 'qkey'],
  }),
  step('SQD', 'RTS', NONE, IN_SERVICE),
  step('SQE', 'RTS', NONE, { RC: [], UC: ['qpAccessFlags'], UD: ['qkey'] }, ['UC', 'UD']),
  ...QP_STATES.map((from) => step(from, 'ERR', NONE, NONE)),
  ...QP_STATES.map((from) => step(from, 'RESET', NONE, NONE)),
];

/** By the states that steps lead from and to. */
const byStates = new Map(
  QP_STATES.map((from) => [
    from,
    new Map(QP_TRANSITIONS.filter((each) => each.from === from).map((each) => [each.to, each])),
  ]),
);

/** The step from one state to another, or null where the transport has none. */
export function findTransition(from: QpState, to: QpState, qpType: QpType): QpTransition | null {
  const found = byStates.get(from)?.get(to);
  return found?.transports.includes(qpType) ? found : null;
}

/**
 * Checks a call of `modify` against the state machine: the step and the presence of attributes, not their values.
 * Returns the state that the queue pair would have.
 */
export function checkTransition(state: QpState, qpType: QpType, attr: QpAttr): QpState {
  const target = attr.state ?? state;
  const found = findTransition(state, target, qpType);
  if (found === null && attr.state !== undefined) {
    throw new VerbsError('BAD_TRANSITION', `a queue pair of type ${qpType} in ${state} cannot go there`, {
      field: 'state',
      given: target,
      allowed: reachableFrom(state, qpType).join(', '),
    });
  }
  const required = found?.required[qpType] ?? [];
  const optional = found?.optional[qpType] ?? [];
  for (const key in attr) {
    const name = key as keyof QpAttr;
    if (name === 'state' || attr[name] === undefined || !Object.hasOwn(attr, name)) continue;
    if (required.includes(name) || optional.includes(name)) continue;
    throw new VerbsError(
      'UNEXPECTED_ATTRIBUTE',
      `${qpType} takes no such attribute from ${state} to ${target}`,
      {
        field: name,
        given: attr[name],
        allowed: [...required, ...optional].join(', ') || 'none',
      },
    );
  }
  for (const name of required) {
    if (attr[name] !== undefined) continue;
    throw new VerbsError(
      'MISSING_ATTRIBUTE',
      `${qpType} requires this attribute from ${state} to ${target}`,
      {
        field: name,
        allowed: `required: ${required.join(', ')}`,
      },
    );
  }
  return target;
}

/** The states that `modify` can reach in one step. */
export function reachableFrom(state: QpState, qpType: QpType): QpState[] {
  return QP_STATES.filter((to) => findTransition(state, to, qpType) !== null);
}
