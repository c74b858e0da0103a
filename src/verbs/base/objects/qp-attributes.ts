import { ACCESS_ALL } from '../../access.js';
import type { AddressVector } from '../../address-handle.js';
import { VerbsError } from '../../error.js';
import { findTransition, type QpAttrName } from '../../qp-state.js';
import type { Mtu, QpAttr, QpState, QpType } from '../../queue-pair.js';
import { checkAddress } from '../checks/address-vector.js';
import { requireRange } from '../checks/range.js';
import type { BaseContext } from './context.js';

const PSN_MAX = 0xffffff;
const MTUS: readonly Mtu[] = [256, 512, 1024, 2048, 4096];

/** The attributes of a queue pair, always with the same fields so that reading them stays fast. */
export class QpAttributes {
  pkeyIndex: number | undefined = undefined;
  portNum: number | undefined = undefined;
  qpAccessFlags: number | undefined = undefined;
  qkey: number | undefined = undefined;
  pathMtu: Mtu | undefined = undefined;
  destQpNum: number | undefined = undefined;
  rqPsn: number | undefined = undefined;
  sqPsn: number | undefined = undefined;
  maxDestRdAtomic: number | undefined = undefined;
  maxRdAtomic: number | undefined = undefined;
  minRnrTimer: number | undefined = undefined;
  timeout: number | undefined = undefined;
  retryCnt: number | undefined = undefined;
  rnrRetry: number | undefined = undefined;
  ahAttr: Required<AddressVector> | undefined = undefined;

  /**
   * Takes over the given attributes, which were checked, and the address that came of that. Attribute by attribute: a
   * workload connects thousands of queue pairs, and names that vary are looked up slowly.
   */
  assign(given: QpAttr, ahAttr: Required<AddressVector> | undefined): void {
    this.pkeyIndex = given.pkeyIndex ?? this.pkeyIndex;
    this.portNum = given.portNum ?? this.portNum;
    this.qpAccessFlags = given.qpAccessFlags ?? this.qpAccessFlags;
    this.qkey = given.qkey ?? this.qkey;
    this.pathMtu = given.pathMtu ?? this.pathMtu;
    this.destQpNum = given.destQpNum ?? this.destQpNum;
    this.rqPsn = given.rqPsn ?? this.rqPsn;
    this.sqPsn = given.sqPsn ?? this.sqPsn;
    this.maxDestRdAtomic = given.maxDestRdAtomic ?? this.maxDestRdAtomic;
    this.maxRdAtomic = given.maxRdAtomic ?? this.maxRdAtomic;
    this.minRnrTimer = given.minRnrTimer ?? this.minRnrTimer;
    this.timeout = given.timeout ?? this.timeout;
    this.retryCnt = given.retryCnt ?? this.retryCnt;
    this.rnrRetry = given.rnrRetry ?? this.rnrRetry;
    this.ahAttr = ahAttr ?? this.ahAttr;
  }

  /** The attributes that are set. */
  known(): QpAttr {
    const known: QpAttr = {};
    for (const [name, value] of Object.entries(this)) {
      if (value === undefined) continue;
      Object.assign(known, { [name]: name === 'ahAttr' ? { ...value } : value });
    }
    return known;
  }
}

/**
 * Refuses with OUT_OF_RANGE values that the device or the specification does not allow. Returns the address with every
 * default filled in; undefined where none is given.
 */
export function checkAttributes(context: BaseContext, attr: QpAttr): Required<AddressVector> | undefined {
  const { device, ports } = context;
  // RoCE has one partition: the default one (annex A17).
  check('pkeyIndex', attr.pkeyIndex, 0, 0);
  check('portNum', attr.portNum, 1, ports.length);
  check('qkey', attr.qkey, 0, 0xffffffff);
  check('destQpNum', attr.destQpNum, 0, 0xffffff);
  check('rqPsn', attr.rqPsn, 0, PSN_MAX);
  check('sqPsn', attr.sqPsn, 0, PSN_MAX);
  check('maxDestRdAtomic', attr.maxDestRdAtomic, 0, device.maxQpRdAtom);
  check('maxRdAtomic', attr.maxRdAtomic, 0, device.maxQpInitRdAtom);
  check('minRnrTimer', attr.minRnrTimer, 0, 31);
  check('timeout', attr.timeout, 0, 31);
  check('retryCnt', attr.retryCnt, 0, 7);
  check('rnrRetry', attr.rnrRetry, 0, 7);
  check('qpAccessFlags', attr.qpAccessFlags, 0, ACCESS_ALL);
  if (attr.pathMtu !== undefined) checkMtu(context, attr.pathMtu);
  return attr.ahAttr === undefined ? undefined : checkAddress(context, attr.ahAttr, 'ahAttr.');
}

function check(name: QpAttrName, given: number | undefined, low: number, high: number): void {
  if (given !== undefined) requireRange(name, given, low, high);
}

function checkMtu(context: BaseContext, given: Mtu): void {
  const { activeMtu } = context.ports[0].attr;
  if (given <= activeMtu && MTUS.includes(given)) return;
  const allowed = MTUS.filter((mtu) => mtu <= activeMtu);
  const detail = { field: 'pathMtu', given, allowed: allowed.join(', ') };
  throw new VerbsError('OUT_OF_RANGE', 'the port does not carry packets of this size', detail);
}

/** Whether a state lets the transport's responder serve requests. */
export function receivesIn(state: QpState): boolean {
  return state === 'RTR' || state === 'RTS' || state === 'SQD' || state === 'SQE';
}

/** Whether the transport can come from a failed send queue back into service. */
export function recoversSends(qpType: QpType): boolean {
  return findTransition('SQE', 'RTS', qpType) !== null;
}
