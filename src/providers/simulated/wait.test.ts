import { describe, expect, it } from 'vitest';
import { Access, connectRcPair, waitForCompletions } from '../../verbs/index.js';
import { SimulatedProvider } from './provider.js';

async function makePair() {
  const provider = new SimulatedProvider({ subsystem: 'husky' });
  const [left, right] = await Promise.all([provider.open('sim0'), provider.open('sim1')]);
  const [a, b] = connectRcPair(left, right);
  const memory = [a, b].map(({ pd }) =>
    pd.regMr({ lengthBytes: 65536 }, Access.LOCAL_WRITE | Access.REMOTE_WRITE),
  );
  const sgList = (end: 0 | 1, length: number) => [{ addr: memory[end].addr, length, lkey: memory[end].lkey }];
  const write = (length: number) => ({
    ...{ opcode: 'RDMA_WRITE' as const, sgList: sgList(0, length), signaled: true },
    ...{ remoteAddr: memory[1].iova, rkey: memory[1].rkey },
  });
  return { clock: left.clock, a, b, write, sgList };
}

describe('waiting for completions in virtual time', () => {
  it('ends when the completion is there, not at the next look', async () => {
    const { clock, a, write } = await makePair();
    const took: number[] = [];
    for (const length of [8, 4096, 65536]) {
      const startNs = clock.nowNs;
      a.qp.postSend(write(length));
      const [completion] = await waitForCompletions(a.sendCq);
      took.push(clock.nowNs - startNs);
      // The device generated it just before software could see it.
      expect(completion.timestampNs).toBeGreaterThan(startNs);
      expect(clock.nowNs - completion.timestampNs).toBeLessThan(2000);
    }
    for (const each of took) expect(each % 1000).not.toBe(0);
    expect(took[0]).toBeLessThan(3000);
    expect(took).toEqual([...took].sort((one, other) => one - other));
  });

  it('lets two programs answer each other, each in its own time', async () => {
    const { clock, a, b, sgList } = await makePair();
    const rounds = 20;
    const play = async (end: 0 | 1): Promise<number[]> => {
      const { qp, sendCq, recvCq } = [a, b][end];
      const times: number[] = [];
      for (let round = 0; round < rounds; round++) qp.postRecv({ wrId: round, sgList: sgList(end, 64) });
      for (let round = 0; round < rounds; round++) {
        if (end === 0) qp.postSend({ opcode: 'SEND', sgList: sgList(end, 64), signaled: true });
        await waitForCompletions(recvCq);
        times.push(clock.nowNs);
        if (end === 1) qp.postSend({ opcode: 'SEND', sgList: sgList(end, 64), signaled: true });
        await waitForCompletions(sendCq);
      }
      return times;
    };
    // The answering side first, so that it has a receive posted.
    const [answered, asked] = await Promise.all([play(1), play(0)]);
    for (let round = 0; round < rounds; round++) expect(asked[round]).toBeGreaterThan(answered[round]);
    const gaps = asked.slice(1).map((time, index) => time - asked[index]);
    // Once caches are warm each round takes as long as the last: nothing is rounded up to polls.
    for (const gap of gaps.slice(2)) expect(gap).toBeCloseTo(gaps[1], 3);
    expect(gaps[1]).toBeLessThan(7000);
  });

  it('still gives up at its deadline', async () => {
    const { clock, a } = await makePair();
    const startNs = clock.nowNs;
    await expect(waitForCompletions(a.sendCq, { timeoutNs: 12_345 })).rejects.toMatchObject({
      code: 'TIMED_OUT',
    });
    expect(clock.nowNs - startNs).toBe(12_345);
  });
});
