import { describe, expect, it } from 'vitest';
import type { FaultDescription } from '../../../profiles/index.js';
import { Access, connectRcPair } from '../../../verbs/index.js';
import { SimulatedProvider } from '../provider.js';
import { checkDrained } from '../testing/conservation.js';

async function makePair() {
  const provider = new SimulatedProvider({ subsystem: 'husky' });
  const [left, right] = await Promise.all([provider.open('sim0'), provider.open('sim1')]);
  const [a, b] = connectRcPair(left, right);
  const local = a.pd.regMr({ lengthBytes: 4096 }, Access.LOCAL_WRITE);
  const remote = b.pd.regMr({ lengthBytes: 4096 }, Access.LOCAL_WRITE | Access.REMOTE_WRITE);
  const write = (elements = 1) => ({
    opcode: 'RDMA_WRITE' as const,
    sgList: Array.from({ length: elements }, () => ({ addr: local.addr, length: 64, lkey: local.lkey })),
    remoteAddr: remote.iova,
    rkey: remote.rkey,
    signaled: true,
  });
  const { constants } = provider.subsystem.host;
  return { provider, world: provider.world, left, a, b, write, constants };
}

describe('a thread on a simulated core', () => {
  it('pays for posting, by call, by WQE and by element', async () => {
    const { world, left, a, write, constants } = await makePair();
    const { postNs, wqeNs, elementNs, doorbellNs } = constants;
    const busy: number[] = [];
    for (const requests of [[write()], [write(), write(), write()], [write(3)]]) {
      const thread = left.createThread!();
      let posted = false;
      thread.run(() => {
        if (!posted) a.qp.postSend(requests);
        posted = true;
      });
      await left.clock.sleep(100_000);
      busy.push(thread.busyNs);
    }
    expect(busy[0]).toBeCloseTo(postNs + wqeNs + doorbellNs, 3);
    expect(busy[1]).toBeCloseTo(postNs + 3 * wqeNs + doorbellNs, 3);
    expect(busy[2]).toBeCloseTo(postNs + wqeNs + 2 * elementNs + doorbellNs, 3);
    expect(checkDrained(world)).toBeGreaterThan(0);
  });

  it('pays for receives, and for each completion that it polls', async () => {
    const { world, left, a, b, write, constants } = await makePair();
    const receiver = b.context.createThread!();
    let armed = false;
    receiver.run(() => {
      if (!armed) b.qp.postRecv([{ wrId: 1 }, { wrId: 2 }]);
      armed = true;
    });
    await left.clock.sleep(1000);
    expect(receiver.busyNs).toBeCloseTo(constants.postNs + 2 * constants.receiveWqeNs, 3);
    const poller = left.createThread!();
    let polled = 0;
    poller.watch(a.sendCq);
    poller.run(() => {
      polled += a.sendCq.poll(16).length;
    });
    a.qp.postSend([write(), write(), write()]);
    await left.clock.sleep(100_000);
    expect(polled).toBe(3);
    expect(poller.busyNs).toBeCloseTo(3 * constants.pollNs, 3);
    expect(checkDrained(world)).toBeGreaterThan(0);
  });

  it('takes a while to notice a completion that it waits for, longer or shorter, and none where it works until then', async () => {
    /** From the step that posts a WRITE to the one that sees its completion, a thousand times. */
    async function took(workNs: number): Promise<number[]> {
      const { world, left, a, write } = await makePair();
      const thread = left.createThread!();
      const times: number[] = [];
      let postedNs = 0;
      thread.watch(a.sendCq);
      thread.run(() => {
        if (postedNs > 0 && a.sendCq.poll(1).length === 0) return;
        if (postedNs > 0) times.push(left.clock.nowNs - postedNs);
        postedNs = left.clock.nowNs;
        if (times.length === 1000) return;
        a.qp.postSend(write());
        thread.work!(workNs);
      });
      await left.clock.sleep(20_000_000);
      expect(checkDrained(world)).toBeGreaterThan(0);
      return times.slice(10).sort((one, other) => one - other);
    }
    const { constants } = await makePair();
    const { completionNoticeNs } = constants;
    const [waits, works] = [await took(0), await took(10_000)];
    const [least, median, high] = [0, 0.5, 0.99].map((share) => waits[Math.floor(share * waits.length)]);
    // As an exponential wait of this mean has them: median and 99 % at 0.69 and 4.6 times it.
    expect(median - least).toBeGreaterThan(0.6 * completionNoticeNs);
    expect(median - least).toBeLessThan(0.8 * completionNoticeNs);
    expect(high - least).toBeGreaterThan(4 * completionNoticeNs);
    expect(high - least).toBeLessThan(5.5 * completionNoticeNs);
    expect(works.at(-1)! - works[0]).toBeLessThan(0.01);
    expect(await took(0)).toEqual(waits);
  });

  it('has worked for no more of any stretch of time than it is long, and for all of it when it never rests', async () => {
    const { world, left, a, write, constants } = await makePair();
    const thread = left.createThread!();
    const batch = Array.from({ length: 16 }, () => write());
    thread.run(() => {
      while (a.sendCq.poll(16).length > 0);
      a.qp.postSend(batch);
      thread.work!(1500);
      thread.wakeAtNs(left.clock.nowNs);
    });
    const stepNs = constants.postNs + 16 * constants.wqeNs + constants.doorbellNs + 1500;
    // Looks that fall within steps: none may see more than its share of one.
    let before = thread.busyNs;
    for (const lookNs of [100, stepNs / 3, 4000, 123, 7 * stepNs, 50]) {
      await left.clock.sleep(lookNs);
      expect(thread.busyNs - before).toBeCloseTo(lookNs, 0);
      before = thread.busyNs;
    }
    thread.stop();
    await left.clock.sleep(100_000);
    expect(thread.busyNs - before).toBeLessThanOrEqual(stepNs);
    expect(checkDrained(world)).toBeGreaterThan(0);
  });

  it('begins its next step when its core is free, and none once stopped', async () => {
    const { world, left, a, write } = await makePair();
    const thread = left.createThread!();
    const steps: number[] = [];
    thread.run(() => {
      steps.push(left.clock.nowNs);
      if (steps.length < 4) {
        a.qp.postSend(write());
        thread.wakeAtNs(left.clock.nowNs);
      }
    });
    await left.clock.sleep(10_000);
    expect(steps).toHaveLength(4);
    const gaps = steps.slice(1).map((time, index) => time - steps[index]);
    for (const gap of gaps) expect(gap).toBeCloseTo(thread.busyNs / 3, 0);
    thread.stop();
    thread.wakeAtNs(left.clock.nowNs + 10);
    await left.clock.sleep(10_000);
    expect(steps).toHaveLength(4);
    expect(checkDrained(world)).toBeGreaterThan(0);
  });
});

describe('the socket of a thread', () => {
  /** Time until a WRITE of 64 B has completed, and what it cost the core; ns. */
  async function writeFrom(
    device: string,
    socket: number | undefined,
    faults: readonly FaultDescription[] = [],
  ) {
    const provider = new SimulatedProvider({
      world: {
        hosts: [{ subsystem: 'husky' }, { host: 'xeon-two-rnics', device: 'connectx-5-100g' }],
        faults,
      },
    });
    const [left, right] = await Promise.all([provider.open(device), provider.open('h0')]);
    const [a, b] = connectRcPair(left, right);
    const local = a.pd.regMr({ lengthBytes: 4096 }, Access.LOCAL_WRITE);
    const remote = b.pd.regMr({ lengthBytes: 4096 }, Access.LOCAL_WRITE | Access.REMOTE_WRITE);
    const sgList = [{ addr: local.addr, length: 64, lkey: local.lkey }];
    const thread = left.createThread!({ socket });
    let posted = false;
    let seenNs = 0;
    thread.watch(a.sendCq);
    thread.run(() => {
      if (!posted)
        a.qp.postSend({
          opcode: 'RDMA_WRITE',
          sgList,
          remoteAddr: remote.iova,
          rkey: remote.rkey,
          signaled: true,
        });
      posted = true;
      if (a.sendCq.poll(1).length > 0) seenNs = thread.nowNs!;
    });
    await left.clock.sleep(50_000);
    expect(checkDrained(provider.world)).toBeGreaterThan(0);
    const { interSocketLatencyNs, completionNoticeNs } = provider.world.devices[1].subsystem.host.constants;
    return { seenNs, busyNs: thread.busyNs, interSocketLatencyNs, completionNoticeNs };
  }

  it('is the one that the device hangs on, unless set', async () => {
    expect(await writeFrom('h1/rnic0', undefined)).toEqual(await writeFrom('h1/rnic0', 0));
    expect(await writeFrom('h1/rnic1', undefined)).toEqual(await writeFrom('h1/rnic1', 1));
    const [one, other] = [await writeFrom('h1/rnic0', 0), await writeFrom('h1/rnic1', 1)];
    expect(one.busyNs).toBe(other.busyNs);
    // But for what each takes to notice its completion, which is drawn.
    expect(Math.abs(one.seenNs - other.seenNs)).toBeLessThan(10 * one.completionNoticeNs);
  });

  it('makes doorbells, posts and completions cross to the other socket', async () => {
    const near = await writeFrom('h1/rnic1', 1);
    const far = await writeFrom('h1/rnic1', 0);
    const { interSocketLatencyNs } = near;
    expect(interSocketLatencyNs).toBeGreaterThan(0);
    // A round trip for the post's fence, one way for the doorbell, a round trip for the completion.
    expect(far.seenNs - near.seenNs).toBeCloseTo(5 * interSocketLatencyNs, 3);
    expect(far.busyNs - near.busyNs).toBeCloseTo(4 * interSocketLatencyNs, 3);
  });

  it('feels a fault of the link that it crosses', async () => {
    const fault = { at: 'h1/socket0-socket1', latencyNs: 500 };
    expect(await writeFrom('h1/rnic1', 1, [fault])).toEqual(await writeFrom('h1/rnic1', 1));
    const far = await writeFrom('h1/rnic1', 0);
    expect((await writeFrom('h1/rnic1', 0, [fault])).seenNs - far.seenNs).toBeCloseTo(5 * 500, 3);
  });

  it('must be there', async () => {
    const context = await new SimulatedProvider({ subsystem: 'husky' }).open('sim0');
    expect(() => context.createThread!({ socket: 2 })).toThrow(
      expect.objectContaining({ code: 'UNKNOWN_PLACEMENT', field: 'socket', given: 2, allowed: '0 to 1' }),
    );
  });

  it('lets it post to and poll from every device of its host', async () => {
    const provider = new SimulatedProvider({
      world: { hosts: [{ host: 'xeon-two-rnics', device: 'connectx-5-100g', count: 2 }] },
    });
    const [one, other, far] = await Promise.all(
      ['h0/rnic0', 'h0/rnic1', 'h1'].map((name) => provider.open(name)),
    );
    const pairs = [one, other].map((context) => connectRcPair(context, far));
    const thread = one.createThread!();
    const busy: number[] = [];
    let todo = [...pairs];
    let polled = 0;
    for (const [a] of pairs) thread.watch(a.sendCq);
    thread.run(() => {
      for (const [a] of pairs) polled += a.sendCq.poll(4).length;
      const [next] = todo;
      todo = todo.slice(1);
      next?.[0].qp.postSend({ opcode: 'RDMA_WRITE', sgList: [], signaled: true, remoteAddr: 0, rkey: 0 });
      busy.push(thread.busyNs);
    });
    await one.clock.sleep(50_000);
    expect(polled).toBe(2);
    const { postNs, wqeNs, doorbellNs, pollNs, interSocketLatencyNs } = provider.subsystem.host.constants;
    // The second device hangs on the other socket, and so do its queues.
    const posts = 2 * (postNs + wqeNs + doorbellNs) + 2 * interSocketLatencyNs;
    expect(thread.busyNs).toBeCloseTo(posts + 2 * pollNs, 3);
    expect(checkDrained(provider.world)).toBeGreaterThan(0);
  });
});
