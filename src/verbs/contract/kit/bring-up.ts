import { ACCESS_REMOTE, Access } from '../../access.js';
import type { Context } from '../../context.js';
import type { QpAttr, QpState, QpType } from '../../queue-pair.js';
import type { End } from './end.js';

/** The steps that bring a queue pair into service. */
export type Step = 'INIT' | 'RTR' | 'RTS';

/** The steps in their order. */
export const STEPS: readonly Step[] = ['INIT', 'RTR', 'RTS'];

/** The name of an attribute that is not the state itself. */
export type AttrName = Exclude<keyof QpAttr, 'state' | 'enSqdAsyncNotify'>;

/** The attributes that each step requires (specification table 91), per transport. */
export const REQUIRED: Readonly<Record<QpType, Readonly<Record<Step, readonly AttrName[]>>>> = {
  RC: {
    INIT: ['pkeyIndex', 'portNum', 'qpAccessFlags'],
    RTR: ['ahAttr', 'pathMtu', 'destQpNum', 'rqPsn', 'maxDestRdAtomic', 'minRnrTimer'],
    RTS: ['sqPsn', 'timeout', 'retryCnt', 'rnrRetry', 'maxRdAtomic'],
  },
  UC: {
    INIT: ['pkeyIndex', 'portNum', 'qpAccessFlags'],
    RTR: ['ahAttr', 'pathMtu', 'destQpNum', 'rqPsn'],
    RTS: ['sqPsn'],
  },
  UD: { INIT: ['pkeyIndex', 'portNum', 'qkey'], RTR: [], RTS: ['sqPsn'] },
};

/** The Q_Key of every datagram queue pair of the suite. */
export const QKEY = 0x11111111;

/** What a case sets instead of the defaults. */
export type Overrides = Pick<QpAttr, AttrName>;

/**
 * The attributes of one step. The defaults outlive a lost packet now and then (33 ms ACK timeout, seven retries), and
 * are soon done with a receiver that is not ready (10 us).
 */
export function stepAttr(step: Step, self: End, peer: PeerAddress, overrides: Overrides = {}): QpAttr {
  const type = self.qp.qpType;
  const known: Required<Overrides> = {
    pkeyIndex: 0,
    portNum: 1,
    qpAccessFlags: type === 'UC' ? Access.REMOTE_WRITE : ACCESS_REMOTE,
    qkey: QKEY,
    ahAttr: { dgid: peer.gid, sgidIndex: peer.sgidIndex, portNum: 1 },
    pathMtu: 1024,
    destQpNum: peer.qpNum,
    rqPsn: firstPsn(peer.qpNum),
    sqPsn: firstPsn(self.qp.qpNum),
    maxDestRdAtomic: 4,
    maxRdAtomic: 4,
    minRnrTimer: 1,
    timeout: 13,
    retryCnt: 7,
    rnrRetry: 7,
  };
  const attr: QpAttr = { state: step };
  for (const name of REQUIRED[type][step]) Object.assign(attr, { [name]: overrides[name] ?? known[name] });
  return attr;
}

/** Where a peer is found. */
export interface PeerAddress {
  qpNum: number;
  gid: string;
  sgidIndex: number;
}

/** Takes a queue pair from its state as far as `last`, step by step. */
export function bringUp(self: End, peer: PeerAddress, overrides: Overrides = {}, last: Step = 'RTS'): void {
  const from = STEPS.indexOf(self.qp.state as Step) + 1;
  for (const step of STEPS.slice(from, STEPS.indexOf(last) + 1))
    self.qp.modify(stepAttr(step, self, peer, overrides));
}

/** Takes a fresh queue pair into any state that `modify` reaches. */
export function bringTo(state: Exclude<QpState, 'SQE'>, self: End, peer: PeerAddress): void {
  if (state === 'RESET') return;
  bringUp(self, peer, {}, STEPS.includes(state as Step) ? (state as Step) : 'RTS');
  if (self.qp.state !== state) self.qp.modify({ state });
}

/** A first PSN that differs from queue pair to queue pair. */
export function firstPsn(qpNum: number): number {
  return (Math.imul(qpNum, 0x2f0b4d) + 0x123456) & 0xffffff;
}

/** The GID of a device's first port. */
export function gidOf(context: Context, index: number): string {
  return context.queryGid(1, index);
}
