import type { PeerRig } from './peer-rig.js';

/** What a loop did. */
export interface Done {
  messages: number;
  elapsedNs: number;
}

/** Sends `iterations` messages on every queue pair, or for the duration, as many at a time as the send queues take. */
export async function sendAll(rig: PeerRig, sizeBytes: number, onTurn: () => void = () => {}): Promise<Done> {
  const { txDepth, cqModeration } = rig.options;
  const { messagesEach } = rig;
  const { clock } = rig.context;
  const posted = new Float64Array(rig.qps.length);
  const ended = new Float64Array(rig.qps.length);
  // What is left of a send queue is known by signalled completions alone.
  const signalEvery = Math.max(1, Math.min(cqModeration, txDepth));
  const total = messagesEach * rig.qps.length;
  const startNs = clock.nowNs;
  const endNs = startNs + rig.durationNs;
  let done = 0;
  // What is still under way at the end of the time is not waited for: the peer may have stopped.
  while (done < total && clock.nowNs < endNs && !rig.over) {
    for (let index = 0; index < rig.qps.length; index++) {
      while (posted[index] < messagesEach && posted[index] - ended[index] < txDepth) {
        const number = ++posted[index];
        rig.postMessage(index, sizeBytes, number % signalEvery === 0 || number === messagesEach);
      }
    }
    const seen = rig.poll(rig.sendCq, ({ wrId }) => {
      const before = ended[wrId];
      ended[wrId] = Math.min(messagesEach, before + signalEvery);
      done += ended[wrId] - before;
    });
    onTurn();
    rig.progress(done, sizeBytes, clock.nowNs - startNs);
    if (seen === 0) await rig.breathe();
  }
  return { messages: done, elapsedNs: clock.nowNs - startNs };
}

/** Fills the receive queues. */
export function postReceives(rig: PeerRig, sizeBytes: number): Float64Array {
  const posted = new Float64Array(rig.qps.length);
  for (let index = 0; index < rig.qps.length; index++) {
    for (let count = 0; count < rig.options.rxDepth; count++) rig.postReceive(index, sizeBytes);
    posted[index] = rig.options.rxDepth;
  }
  return posted;
}

/** Counts messages that arrive and posts receives for those to come. */
export class Receiving {
  arrived = 0;
  firstNs = 0;
  private readonly rig: PeerRig;
  private readonly sizeBytes: number;
  private readonly posted: Float64Array;

  constructor(rig: PeerRig, sizeBytes: number, posted: Float64Array) {
    this.rig = rig;
    this.sizeBytes = sizeBytes;
    this.posted = posted;
  }

  /** Takes what is there; how many that were. */
  turn(): number {
    const { rig, sizeBytes, posted } = this;
    return rig.poll(rig.recvCq, ({ wrId }) => {
      if (this.arrived === 0) this.firstNs = rig.context.clock.nowNs;
      this.arrived++;
      if (posted[wrId] >= rig.messagesEach) return;
      posted[wrId]++;
      rig.postReceive(wrId, sizeBytes);
    });
  }
}

/** Receives `iterations` messages on every queue pair, or whatever comes within the duration from the first on. */
export async function receiveAll(rig: PeerRig, receiving: Receiving): Promise<Done> {
  const total = rig.messagesEach * rig.qps.length;
  const { clock } = rig.context;
  const isOver = () => receiving.arrived > 0 && clock.nowNs >= receiving.firstNs + rig.durationNs;
  while (receiving.arrived < total && !isOver() && !rig.over) {
    if (receiving.turn() === 0) await rig.breathe();
  }
  return { messages: receiving.arrived, elapsedNs: clock.nowNs - receiving.firstNs };
}

/** How far a latency test is: by turns, or by the time that it has. */
class Turns {
  done = 0;
  private readonly rig: PeerRig;
  private endNs = Number.POSITIVE_INFINITY;

  constructor(rig: PeerRig) {
    this.rig = rig;
  }

  /** The time that there is begins now; returns itself. */
  begin(): this {
    const { clock } = this.rig.context;
    this.endNs = clock.nowNs + this.rig.durationNs;
    return this;
  }

  get left(): boolean {
    const { rig, endNs } = this;
    return this.done < rig.messagesEach && rig.context.clock.nowNs < endNs && !rig.over;
  }
}

async function untilSent(rig: PeerRig, turns: Turns): Promise<void> {
  while (rig.poll(rig.sendCq, () => {}) === 0 && turns.left) await rig.breathe();
}

/**
 * SENDs back and forth; the client begins. Each side measures its round trips, the server from its first answer on. With a
 * duration each side's time begins with the first message that it hears, as perftest's does: one that was not answered
 * would wait forever.
 */
export async function pingPongSends(
  rig: PeerRig,
  sizeBytes: number,
  receiving: Receiving,
): Promise<Float64Array> {
  const { role } = rig.options;
  const { clock } = rig.context;
  const trips: number[] = [];
  const turns = new Turns(rig);
  let startNs = -1;
  const send = () => {
    startNs = clock.nowNs;
    rig.postMessage(0, sizeBytes, true);
  };
  while (turns.left) {
    if (role === 'client') send();
    while (receiving.arrived <= turns.done && turns.left) {
      if (receiving.turn() === 0) await rig.breathe();
    }
    if (turns.done === 0) turns.begin();
    if (!turns.left) break;
    if (startNs >= 0) trips.push(clock.nowNs - startNs);
    if (role === 'server') send();
    await untilSent(rig, turns);
    turns.done++;
  }
  return Float64Array.from(trips);
}

/**
 * WRITEs back and forth: each side watches the last byte of its memory for the number of the turn. The server begins, as
 * in perftest.
 */
export async function pingPongWrites(rig: PeerRig, sizeBytes: number): Promise<Float64Array> {
  const { role } = rig.options;
  const { clock, memory } = { clock: rig.context.clock, memory: rig.memory };
  const watched = rig.receiveAt(0) + sizeBytes - 1;
  const written = rig.sendAt(0) + sizeBytes - 1;
  const trips: number[] = [];
  const turns = new Turns(rig).begin();
  let startNs = clock.nowNs;
  const write = async (turn: number) => {
    startNs = clock.nowNs;
    memory[written] = turn;
    rig.postMessage(0, sizeBytes, true);
    await untilSent(rig, turns);
  };
  const watch = async (turn: number) => {
    while (memory[watched] !== (turn & 0xff) && turns.left) await rig.breathe();
  };
  for (; turns.left; turns.done++) {
    const turn = turns.done + 1;
    if (role === 'server') {
      await write(turn);
      await watch(turn);
      if (turns.left) trips.push(clock.nowNs - startNs);
    } else {
      await watch(turn);
      if (turn > 1 && turns.left) trips.push(clock.nowNs - startNs);
      if (turns.left) await write(turn);
    }
  }
  return Float64Array.from(trips);
}

/** READs or atomics one after the other: the time of each. */
export async function oneByOne(rig: PeerRig, sizeBytes: number): Promise<Float64Array> {
  const { clock } = rig.context;
  const times: number[] = [];
  for (const turns = new Turns(rig).begin(); turns.left; turns.done++) {
    const startNs = clock.nowNs;
    rig.postMessage(0, sizeBytes, true);
    await untilSent(rig, turns);
    if (turns.left) times.push(clock.nowNs - startNs);
  }
  return Float64Array.from(times);
}
