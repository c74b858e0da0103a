import { describe, expect, it } from 'vitest';
import { IdealProvider } from '../../providers/ideal/index.js';
import { Access, connectRcPair } from '../../verbs/index.js';
import { InterposedContext } from './context.js';

async function twoTenants() {
  const provider = new IdealProvider();
  const [left, right] = [await provider.open('ideal0'), await provider.open('ideal1')];
  return {
    left,
    one: new InterposedContext({ inner: left }),
    other: new InterposedContext({ inner: left }),
    far: new InterposedContext({ inner: right }),
  };
}

describe('tenants of one device behind an interposer', () => {
  it('cannot use each other’s objects', async () => {
    const { one, other } = await twoTenants();
    const pd = one.allocPd();
    const [own, foreign] = [one.createCq({ cqe: 4 }), other.createCq({ cqe: 4 })];
    const cap = { maxSendWr: 1, maxRecvWr: 1 };
    expect(() => pd.createQp({ qpType: 'RC', sendCq: own, recvCq: foreign, cap })).toThrowError(
      expect.objectContaining({ code: 'WRONG_OWNER' }),
    );
  });

  it('get the async events of their own objects alone', async () => {
    const { one, other, far } = await twoTenants();
    const [a, b] = connectRcPair(one, far);
    const mr = a.pd.regMr(new Uint8Array(8), Access.LOCAL_WRITE);
    b.qp.postSend({
      opcode: 'RDMA_WRITE',
      sgList: [{ addr: 0, length: 0, lkey: 0 }],
      remoteAddr: mr.iova,
      rkey: mr.rkey,
      inlineData: undefined,
    });
    const far8 = b.pd.regMr(new Uint8Array(8), Access.LOCAL_WRITE);
    b.qp.postSend({
      opcode: 'RDMA_WRITE',
      sgList: [{ addr: far8.addr, length: 8, lkey: far8.lkey }],
      remoteAddr: mr.iova,
      rkey: mr.rkey,
    });
    await one.clock.sleep(1e6);
    const events: string[] = [];
    for (let event = one.tryGetAsyncEvent(); event !== null; event = one.tryGetAsyncEvent()) {
      events.push(event.type);
      if ('qp' in event) expect(event.qp).toBe(a.qp);
    }
    expect(events).toContain('QP_ACCESS_ERR');
    expect(other.tryGetAsyncEvent()).toBeNull();
  });

  it('close without closing the device for others', async () => {
    const { left, one, other } = await twoTenants();
    const pd = one.allocPd();
    await one.close();
    expect(() => pd.createSrq({ maxWr: 1, maxSge: 1 })).toThrowError(
      expect.objectContaining({ code: 'OBJECT_DESTROYED' }),
    );
    expect(other.queryDevice()).toEqual(left.queryDevice());
  });

  it('wait for events each for itself', async () => {
    const { one, other, far } = await twoTenants();
    const [a] = connectRcPair(one, far);
    const controller = new AbortController();
    const never = other.getAsyncEvent(controller.signal);
    const event = one.getAsyncEvent();
    a.qp.modify({ state: 'SQD', enSqdAsyncNotify: true });
    expect((await event).type).toBe('SQ_DRAINED');
    controller.abort(new Error('enough'));
    await expect(never).rejects.toThrow('enough');
  });
});
