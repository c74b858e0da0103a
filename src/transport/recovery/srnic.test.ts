import { describe, expect, it } from 'vitest';
import type { Endpoint } from '../endpoint.js';
import { type SlowPath, type SlowPathClient, srnic } from '../index.js';
import { psnAdd, psnDistance } from '../packet/psn.js';
import { Script } from '../testing/script.js';
import type { EarlyKeeper } from './selective-responder.js';

const FIRST = 0xfffffe;

/** A responder that notes what it delivers, in packets that are their own PSNs. */
class Keeper implements EarlyKeeper {
  readonly endpoint: Endpoint;
  keeping = false;
  expectedPsn = FIRST;
  readonly kept = new Set<number>();
  readonly sacks: number[] = [];
  private readonly sizes: ReadonlyMap<number, number>;

  constructor(sizes: ReadonlyMap<number, number>) {
    this.sizes = sizes;
    const psn = new Proxy([], { get: (_, name) => Number(name) });
    this.endpoint = { context: { packets: { psn }, device: { counters: {} } } } as unknown as Endpoint;
  }

  keep(packet: number): boolean {
    this.kept.add(packet);
    return true;
  }

  isKept(psn: number): boolean {
    return this.kept.has(psn);
  }

  packetsOf(packet: number): number {
    return this.sizes.get(packet) ?? 1;
  }

  keptPackets(psn: number): number {
    return this.kept.has(psn) ? this.packetsOf(psn) : 0;
  }

  deliver(packet: number): boolean {
    this.expectedPsn = psnAdd(packet, this.packetsOf(packet));
    return true;
  }

  deliverKept(): boolean {
    expect(this.kept.delete(this.expectedPsn)).toBe(true);
    return this.deliver(this.expectedPsn);
  }

  acknowledge(): void {}

  reportSack(psn: number): void {
    this.sacks.push(psn);
  }
}

/** A slow path whose every step a test decides. */
class Steps implements SlowPath {
  readonly events: [SlowPathClient, number, number][] = [];
  readonly commands: [SlowPathClient, number, number][] = [];

  hasRoom(): boolean {
    return true;
  }

  event(client: SlowPathClient, psn: number, expectedPsn: number): void {
    this.events.push([client, psn, expectedPsn]);
  }

  command(client: SlowPathClient, psn: number, count: number): void {
    this.commands.push([client, psn, count]);
  }

  handleEvent(): void {
    const [client, psn, expectedPsn] = this.events.shift()!;
    client.onEvent(psn, expectedPsn, 0);
  }

  handleCommand(): void {
    const [client, psn, count] = this.commands.shift()!;
    client.onCommand(psn, count, 0);
  }
}

/**
 * Runs one schedule: each choice takes one of what can happen next, the arrival of a packet, an event or a command. Returns
 * how many there were at each step, so that the next schedule can be made.
 */
function play(
  order: readonly number[],
  sizes: ReadonlyMap<number, number>,
  choices: readonly number[],
): number[] {
  const slowPath = new Steps();
  const keeper = new Keeper(sizes);
  const responder = srnic({ windowPackets: 32, slowPath }).responder(keeper);
  responder.forget();
  const waiting = [...order];
  const open: number[] = [];
  const arrive = (psn: number) => {
    const behind = psnDistance(psn, keeper.expectedPsn) > 100;
    if (psn === keeper.expectedPsn && !keeper.keeping) keeper.deliver(psn);
    else if (!behind) responder.arrive(psn, 0, 0);
  };
  for (let step = 0; ; step++) {
    const possible: (() => void)[] = [];
    if (waiting.length > 0) possible.push(() => arrive(waiting.shift()!));
    if (slowPath.events.length > 0) possible.push(() => slowPath.handleEvent());
    if (slowPath.commands.length > 0) possible.push(() => slowPath.handleCommand());
    if (possible.length === 0) break;
    open.push(possible.length);
    possible[choices[step] ?? 0]();
  }
  const end = [...sizes.values()].reduce((sum, size) => sum + size, 0);
  expect([psnDistance(keeper.expectedPsn, FIRST), keeper.keeping, keeper.kept.size]).toEqual([end, false, 0]);
  return open;
}

/** Plays every schedule of an order of arrival, and says how many there were. */
function playAll(order: readonly number[], sizes: ReadonlyMap<number, number>): number {
  let choices: number[] = [];
  for (let runs = 1; ; runs++) {
    const open = play(order, sizes, choices);
    const made = open.map((_, step) => choices[step] ?? 0);
    // The next one: the last choice that has an alternative takes it.
    let at = open.length - 1;
    while (at >= 0 && made[at] + 1 >= open[at]) at--;
    if (at < 0) return runs;
    choices = [...made.slice(0, at), made[at] + 1];
  }
}

function permutations(items: readonly number[]): number[][] {
  if (items.length <= 1) return [[...items]];
  return items.flatMap((item, index) =>
    permutations([...items.slice(0, index), ...items.slice(index + 1)]).map((rest) => [item, ...rest]),
  );
}

describe('the exit from recovery', () => {
  const psns = [0, 1, 2, 3].map((index) => psnAdd(FIRST, index));
  const ones = new Map(psns.map((psn) => [psn, 1]));

  it('comes in every order of packets and every interleaving of events and commands with them', () => {
    let runs = 0;
    for (const order of permutations(psns)) runs += playAll(order, ones);
    expect(runs).toBeGreaterThan(1000);
  });

  it('comes with packets that arrive twice', () => {
    const [a, b, c] = psns;
    const sizes = new Map([a, b, c].map((psn) => [psn, 1]));
    for (const order of permutations([a, b, c]))
      for (const twice of [a, b, c]) playAll([...order, twice], sizes);
    for (const order of permutations([b, b, c, a])) playAll(order, sizes);
  });

  it('comes with a READ, which takes the PSNs of its response', () => {
    const psnsOfRead = [FIRST, psnAdd(FIRST, 1), psnAdd(FIRST, 4), psnAdd(FIRST, 5)];
    const sizes = new Map([1, 3, 1, 1].map((size, index) => [psnsOfRead[index], size]));
    for (const order of permutations(psnsOfRead)) playAll(order, sizes);
  });

  it('tells the peer of every packet that it keeps', () => {
    const keeper = new Keeper(ones);
    const slowPath = new Steps();
    const responder = srnic({ windowPackets: 32, slowPath }).responder(keeper);
    responder.forget();
    for (const psn of [psns[2], psns[1], psns[2]]) responder.arrive(psn, 0, 0);
    expect(keeper.sacks).toEqual([psns[2], psns[1], psns[2]]);
    expect(slowPath.events).toHaveLength(3);
  });

  it('does not name the packet that was missing, as if it had been dropped, while software has not answered', () => {
    const keeper = new Keeper(ones);
    const slowPath = new Steps();
    const responder = srnic({ windowPackets: 32, slowPath }).responder(keeper);
    responder.forget();
    for (const psn of [psns[1], psns[0], psns[0]]) responder.arrive(psn, 0, 0);
    expect(keeper.sacks).toEqual([psns[1]]);
    expect(slowPath.events).toHaveLength(3);
  });
});

describe('READ data out of order', () => {
  /** A requester that has asked for ten packets, and software that a test lets work. */
  function reading() {
    const slowPath = new Steps();
    const lossRecovery = srnic({ windowPackets: 64, slowPath });
    const own = new Script('RC', { timeout: 14, retryCnt: 7 }, { transport: { lossRecovery } });
    own.qp.postSend({ opcode: 'RDMA_READ', wrId: 1, sgList: own.at(0, 10_240), remoteAddr: 0x1000, rkey: 7 });
    expect(own.pull()).toEqual(['READ_REQUEST 0 va=4096 len=10240']);
    const arrive = (psn: number, kind: 'FIRST' | 'MIDDLE' | 'LAST' | 'ONLY' = 'MIDDLE') =>
      own.arrive(`RC_READ_RESPONSE_${kind}`, psn, { payload: 1024 });
    const work = () => {
      while (slowPath.events.length + slowPath.commands.length > 0) {
        while (slowPath.events.length > 0) slowPath.handleEvent();
        while (slowPath.commands.length > 0) slowPath.handleCommand();
      }
    };
    return { own, slowPath, arrive, work };
  }

  it('is asked for again where it is missing, not where software has not heard of it yet', () => {
    const { own, arrive, work, slowPath } = reading();
    arrive(0, 'FIRST');
    arrive(1);
    for (const psn of [3, 4, 5, 6]) arrive(psn);
    slowPath.handleEvent();
    for (const psn of [7, 8]) arrive(psn);
    work();
    expect(own.pull()).toEqual(['READ_REQUEST 2 va=6144 len=1024']);
    expect(own.device.counters.retransmitted_packets).toBe(1);
  });

  it('ends recovery by the run that the NIC saw: what comes in order then is no news for software', () => {
    const { own, arrive, work, slowPath } = reading();
    arrive(0, 'FIRST');
    for (const psn of [2, 3, 4]) arrive(psn);
    work();
    expect(own.pull()).toEqual(['READ_REQUEST 1 va=5120 len=1024']);
    arrive(1, 'ONLY');
    for (const psn of [5, 6, 7]) arrive(psn);
    // Software hears of the packet that was missing, and of none behind it.
    slowPath.handleEvent();
    const told = slowPath.events.length;
    arrive(8);
    arrive(9, 'LAST');
    expect(slowPath.events).toHaveLength(told);
    expect(own.completions()).toEqual(['1 RDMA_READ 10240']);
    work();
    expect(own.pull()).toEqual([]);
  });
});
