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

  /** Takes over the given attributes, which were checked. */
  assign(context: BaseContext, given: QpAttr): void {
    for (const name of Object.keys(this) as (keyof QpAttributes & QpAttrName)[]) {
      const value = given[name];
      if (value === undefined) continue;
      if (name === 'ahAttr') this.ahAttr = checkAddress(context, given.ahAttr!, 'ahAttr.');
      else (this as Record<string, unknown>)[name] = value;
    }
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

/** Refuses with OUT_OF_RANGE values that the device or the specification does not allow. */
export function checkAttributes(context: BaseContext, attr: QpAttr): void {
  const { device, ports } = context;
  const check = (name: QpAttrName, low: number, high: number) => {
    if (attr[name] !== undefined) requireRange(name, attr[name] as number, low, high);
  };
  // RoCE has one partition: the default one (annex A17).
  check('pkeyIndex', 0, 0);
  check('portNum', 1, ports.length);
  check('qkey', 0, 0xffffffff);
  check('destQpNum', 0, 0xffffff);
  check('rqPsn', 0, PSN_MAX);
  check('sqPsn', 0, PSN_MAX);
  check('maxDestRdAtomic', 0, device.maxQpRdAtom);
  check('maxRdAtomic', 0, device.maxQpInitRdAtom);
  check('minRnrTimer', 0, 31);
  check('timeout', 0, 31);
  check('retryCnt', 0, 7);
  check('rnrRetry', 0, 7);
  check('qpAccessFlags', 0, ACCESS_ALL);
  if (attr.pathMtu !== undefined) checkMtu(context, attr.pathMtu);
  if (attr.ahAttr !== undefined) checkAddress(context, attr.ahAttr, 'ahAttr.');
}

function checkMtu(context: BaseContext, given: Mtu): void {
  const allowed = MTUS.filter((mtu) => mtu <= context.ports[0].attr.activeMtu);
  if (allowed.includes(given)) return;
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
