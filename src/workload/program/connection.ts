import { Access, type AddressVector, type Context, type QpAttr, type QueuePair } from '../../verbs/index.js';
import type { Tenant } from '../description/description.js';
import { QKEY } from './poster.js';

const PORT = 1;
const GID_INDEX = 0;

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
  const device = qp.pd.context.queryDevice();
  const init: QpAttr = { state: 'INIT', pkeyIndex: 0, portNum: PORT };
  const receive: QpAttr = { state: 'RTR' };
  const send: QpAttr = { state: 'RTS', sqPsn: firstPsn(qp.qpNum) };
  if (tenant.transport === 'UD') init.qkey = QKEY;
  else {
    init.qpAccessFlags =
      Access.REMOTE_WRITE | (tenant.transport === 'RC' ? Access.REMOTE_READ | Access.REMOTE_ATOMIC : 0);
    Object.assign(receive, { ahAttr, pathMtu: tenant.mtu, destQpNum: peerQpn, rqPsn: firstPsn(peerQpn) });
  }
  if (tenant.transport === 'RC') {
    receive.maxDestRdAtomic = Math.min(tenant.maxRdAtomic, device.maxQpRdAtom);
    receive.minRnrTimer = tenant.minRnrTimer;
    send.timeout = tenant.timeout;
    send.retryCnt = tenant.retryCount;
    send.rnrRetry = tenant.rnrRetry;
    send.maxRdAtomic = Math.min(tenant.maxRdAtomic, device.maxQpInitRdAtom);
  }
  qp.modify(init);
  qp.modify(receive);
  qp.modify(send);
}

/** A first PSN that both ends can work out and that differs from queue pair to queue pair. */
function firstPsn(qpNum: number): number {
  return (Math.imul(qpNum, 0x2f0b4d) + 0x123456) & 0xffffff;
}
