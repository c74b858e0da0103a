import { Access, type AddressVector, type Context, type Mtu, type QueuePair } from '../../verbs/index.js';
import type { Tenant } from '../description/description.js';
import { QKEY } from './requests.js';

const PORT = 1;
const GID_INDEX = 0;
/** What peers may do on a reliable connection. */
const RC_ACCESS = Access.REMOTE_WRITE | Access.REMOTE_READ | Access.REMOTE_ATOMIC;

/** The way from a host to another, with the tenant's class of service. */
export function addressOf(peer: Context, tenant: Tenant): AddressVector {
  return {
    dgid: peer.queryGid(PORT, GID_INDEX),
    sgidIndex: GID_INDEX,
    portNum: PORT,
    trafficClass: tenant.trafficClass,
    sl: tenant.serviceLevel,
  };
}

/** Brings two queue pairs into service, connected to each other; on UD each by itself. */
export function connect(
  tenant: Tenant,
  one: QueuePair,
  toOther: AddressVector,
  other: QueuePair,
  toOne: AddressVector,
): void {
  bringUp(tenant, one, other.qpNum, toOther);
  bringUp(tenant, other, one.qpNum, toOne);
}

function bringUp(tenant: Tenant, qp: QueuePair, peerQpn: number, ahAttr: AddressVector): void {
  const { transport } = tenant;
  const sqPsn = firstPsn(qp.qpNum);
  if (transport === 'UD') {
    qp.modify({ state: 'INIT', pkeyIndex: 0, portNum: PORT, qkey: QKEY });
    qp.modify({ state: 'RTR' });
    qp.modify({ state: 'RTS', sqPsn });
    return;
  }
  const rqPsn = firstPsn(peerQpn);
  if (transport === 'UC') {
    qp.modify({ state: 'INIT', pkeyIndex: 0, portNum: PORT, qpAccessFlags: Access.REMOTE_WRITE });
    qp.modify({ state: 'RTR', ahAttr, pathMtu: tenant.mtu as Mtu, destQpNum: peerQpn, rqPsn });
    qp.modify({ state: 'RTS', sqPsn });
    return;
  }
  const { maxQpRdAtom, maxQpInitRdAtom } = qp.pd.context.queryDevice();
  qp.modify({ state: 'INIT', pkeyIndex: 0, portNum: PORT, qpAccessFlags: RC_ACCESS });
  qp.modify({
    state: 'RTR',
    ahAttr,
    pathMtu: tenant.mtu as Mtu,
    destQpNum: peerQpn,
    rqPsn,
    maxDestRdAtomic: Math.min(tenant.maxRdAtomic, maxQpRdAtom),
    minRnrTimer: tenant.minRnrTimer,
  });
  qp.modify({
    state: 'RTS',
    sqPsn,
    timeout: tenant.timeout,
    retryCnt: tenant.retryCount,
    rnrRetry: tenant.rnrRetry,
    maxRdAtomic: Math.min(tenant.maxRdAtomic, maxQpInitRdAtom),
  });
}

/** A first PSN that both ends can work out and that differs from queue pair to queue pair. */
function firstPsn(qpNum: number): number {
  return (Math.imul(qpNum, 0x2f0b4d) + 0x123456) & 0xffffff;
}
