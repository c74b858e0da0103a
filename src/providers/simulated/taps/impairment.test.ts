import { describe, expect, it } from 'vitest';
import { Access, connectRcPair, waitForCompletions } from '../../../verbs/index.js';
import { SimulatedProvider } from '../provider.js';
import { checkDrained } from '../testing/conservation.js';
import type { Impairment } from './impairment.js';

/** Writes real bytes over a bad network and gives what the links did. */
async function transfer(impairment: Impairment) {
  const provider = new SimulatedProvider({ subsystem: 'husky', impairment, seed: 3 });
  const [left, right] = await Promise.all([provider.open('sim0'), provider.open('sim1')]);
  const [a, b] = connectRcPair(left, right, { pathMtu: 256 });
  const source = Uint8Array.from({ length: 65536 }, (_, index) => (index * 7 + (index >> 8)) & 0xff);
  const target = new Uint8Array(65536);
  const local = a.pd.regMr(source, Access.LOCAL_WRITE);
  const remote = b.pd.regMr(target, Access.LOCAL_WRITE | Access.REMOTE_WRITE);
  const sgList = [{ addr: local.addr, length: 65536, lkey: local.lkey }];
  a.qp.postSend({ opcode: 'RDMA_WRITE', sgList, remoteAddr: remote.iova, rkey: remote.rkey, signaled: true });
  const [{ status }] = await waitForCompletions(a.sendCq);
  expect(status).toBe('SUCCESS');
  expect(target).toEqual(source);
  expect(checkDrained(provider.world)).toBeGreaterThan(0);
  const { impaired } = provider.world;
  return {
    lost: impaired.reduce((sum, { plan }) => sum + plan.struck.drop, 0),
    duplicated: impaired.reduce((sum, { plan }) => sum + plan.struck.duplicate, 0),
    reordered: impaired.reduce((sum, { plan }) => sum + plan.struck.reorder, 0),
    corrupted: impaired.reduce((sum, { plan }) => sum + plan.struck.corrupt, 0),
    sender: left.counters(),
    receiver: right.counters(),
  };
}

describe('a bad network', () => {
  it('that loses packets makes the sender repeat them', async () => {
    const { lost, sender } = await transfer({ loss: 0.03 });
    expect(lost).toBeGreaterThan(0);
    expect(sender['retransmitted_packets']).toBeGreaterThanOrEqual(1);
  });

  it('that doubles packets is noticed by the receiver', async () => {
    const { duplicated, receiver } = await transfer({ duplication: 0.1 });
    expect(duplicated).toBeGreaterThan(0);
    expect(receiver['duplicate_request']).toBeGreaterThan(0);
  });

  it('that delays packets has them arrive out of sequence', async () => {
    const { reordered, receiver } = await transfer({ reordering: 0.05 });
    expect(reordered).toBeGreaterThan(0);
    expect(receiver['out_of_sequence']).toBeGreaterThan(0);
  });

  it('loses exactly the packets that rules name', async () => {
    const rules = [
      { action: 'drop', stream: 'request', psn: 7, transmission: 1 },
      { action: 'drop', stream: 'request', psn: 7, transmission: 2 },
      { action: 'corrupt', stream: 'request', psn: [200, 201], transmission: 1 },
    ] as const;
    const { lost, corrupted, sender } = await transfer({ rules });
    expect([lost, corrupted]).toEqual([2, 2]);
    expect(sender['retransmitted_packets']).toBeGreaterThan(0);
  });

  it('loses packets of one kind, and towards one end of a cable', async () => {
    const { sender, lost } = await transfer({
      rules: [{ action: 'drop', kind: 'nak' }],
      loss: 0.02,
      kinds: ['data'],
    });
    expect(lost).toBeGreaterThan(1);
    // No NAK comes through: timers do it.
    expect(sender['packet_seq_err']).toBe(0);
    expect(sender['local_ack_timeout_err']).toBeGreaterThan(0);
    const subsystem = 'husky';
    const allowed = { code: 'UNKNOWN_PLACE', field: 'impairments.sim0.towards' };
    expect(
      () => new SimulatedProvider({ subsystem, impairments: { sim0: { loss: 0.1, towards: 'h9' } } }),
    ).toThrow(expect.objectContaining(allowed));
  });

  it('that does nothing costs nothing', async () => {
    expect(await transfer({})).toMatchObject({ lost: 0, duplicated: 0, reordered: 0 });
  });
});
