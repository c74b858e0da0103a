import { describe, expect, it } from 'vitest';
import { Access, connectRcPair, type SendWr, waitForCompletions } from '../../../verbs/index.js';
import { SimulatedProvider } from '../provider.js';

/** PeRF: one queue pair does 13 million messages a second. */
const TURN_NS = 76;

/** Posts one WRITE, then `waits` WAITs for nothing, then another WRITE; when the two were done. */
async function apart(waits: number): Promise<{ apartNs: number; turns: number }> {
  const provider = new SimulatedProvider({ subsystem: 'perf' });
  const [left, right] = await Promise.all([provider.open('sim0'), provider.open('sim1')]);
  const [a, b] = connectRcPair(left, right, { cap: { maxSendWr: 512 } });
  const source = a.pd.regMr(new Uint8Array(4096), Access.LOCAL_WRITE);
  const target = b.pd.regMr(new Uint8Array(4096), Access.LOCAL_WRITE | Access.REMOTE_WRITE);
  const cq = left.createCq({ cqe: 1 });
  const write: SendWr = {
    opcode: 'RDMA_WRITE',
    sgList: [{ addr: source.addr, length: 64, lkey: source.lkey }],
    remoteAddr: target.iova,
    rkey: target.rkey,
    signaled: true,
  };
  const idle: SendWr = { opcode: 'WAIT', cq, count: 0 };
  a.qp.postSend([write, ...Array<SendWr>(waits).fill(idle), write]);
  const [first, second] = await waitForCompletions(a.sendCq, { count: 2 });
  return { apartNs: second.timestampNs - first.timestampNs, turns: left.counters()['local_wqes'] };
}

describe('what the device does alone', () => {
  it('takes a turn of its queue pair each', async () => {
    const none = await apart(0);
    const sixteen = await apart(16);
    expect(none.turns).toBe(0);
    expect(sixteen.turns).toBe(16);
    expect(sixteen.apartNs - none.apartNs).toBeGreaterThan(16 * TURN_NS * 0.95);
    expect(sixteen.apartNs - none.apartNs).toBeLessThan(16 * TURN_NS * 1.3);
  });

  it('is fetched on, however many there are', async () => {
    expect((await apart(400)).turns).toBe(400);
  });
});
