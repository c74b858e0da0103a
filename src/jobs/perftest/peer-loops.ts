import type { PeerRig } from './peer-rig.js';

/** Sends `iterations` messages on every queue pair, as many at a time as the send queues take. */
export async function sendAll(
  rig: PeerRig,
  sizeBytes: number,
  onTurn: () => void = () => {},
): Promise<number> {
  const { iterations, txDepth, cqModeration } = rig.options;
  const { clock } = rig.context;
  const posted = new Float64Array(rig.qps.length);
  const ended = new Float64Array(rig.qps.length);
  // What is left of a send queue is known by signalled completions alone.
  const signalEvery = Math.max(1, Math.min(cqModeration, txDepth));
  const total = iterations * rig.qps.length;
  const startNs = clock.nowNs;
  let done = 0;
  while (done < total) {
    for (let index = 0; index < rig.qps.length; index++) {
      while (posted[index] < iterations && posted[index] - ended[index] < txDepth) {
        const number = ++posted[index];
        rig.postMessage(index, sizeBytes, number % signalEvery === 0 || number === iterations);
      }
    }
    const seen = rig.poll(rig.sendCq, ({ wrId }) => {
      const before = ended[wrId];
      ended[wrId] = Math.min(iterations, before + signalEvery);
      done += ended[wrId] - before;
    });
    onTurn();
    if (seen === 0) await rig.breathe();
  }
  return clock.nowNs - startNs;
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
      if (posted[wrId] >= rig.options.iterations) return;
      posted[wrId]++;
      rig.postReceive(wrId, sizeBytes);
    });
  }
}

/** Receives `iterations` messages on every queue pair. */
export async function receiveAll(rig: PeerRig, receiving: Receiving): Promise<number> {
  const total = rig.options.iterations * rig.qps.length;
  while (receiving.arrived < total) {
    if (receiving.turn() === 0) await rig.breathe();
  }
  return rig.context.clock.nowNs - receiving.firstNs;
}

async function untilSent(rig: PeerRig): Promise<void> {
  while (rig.poll(rig.sendCq, () => {}) === 0) await rig.breathe();
}

/** SENDs back and forth; the client begins. Round trips on the client's side. */
export async function pingPongSends(
  rig: PeerRig,
  sizeBytes: number,
  receiving: Receiving,
): Promise<Float64Array> {
  const { iterations, role } = rig.options;
  const { clock } = rig.context;
  const trips = new Float64Array(iterations);
  for (let turn = 0; turn < iterations; turn++) {
    const startNs = clock.nowNs;
    if (role === 'client') rig.postMessage(0, sizeBytes, true);
    while (receiving.arrived <= turn) {
      if (receiving.turn() === 0) await rig.breathe();
    }
    if (role === 'server') rig.postMessage(0, sizeBytes, true);
    else trips[turn] = clock.nowNs - startNs;
    await untilSent(rig);
  }
  return trips;
}

/**
 * WRITEs back and forth: each side watches the last byte of its memory for the number of the turn. The server begins, as
 * in perftest.
 */
export async function pingPongWrites(rig: PeerRig, sizeBytes: number): Promise<Float64Array> {
  const { iterations, role } = rig.options;
  const { clock, memory } = { clock: rig.context.clock, memory: rig.memory };
  const watched = rig.receiveAt(0) + sizeBytes - 1;
  const written = rig.sendAt(0) + sizeBytes - 1;
  const trips = new Float64Array(iterations);
  let startNs = clock.nowNs;
  const write = async (turn: number) => {
    startNs = clock.nowNs;
    memory[written] = turn;
    rig.postMessage(0, sizeBytes, true);
    await untilSent(rig);
  };
  const watch = async (turn: number) => {
    while (memory[watched] !== (turn & 0xff)) await rig.breathe();
  };
  for (let turn = 1; turn <= iterations; turn++) {
    if (role === 'server') {
      await write(turn);
      await watch(turn);
      trips[turn - 1] = clock.nowNs - startNs;
    } else {
      await watch(turn);
      if (turn > 1) trips[turn - 2] = clock.nowNs - startNs;
      await write(turn);
    }
  }
  return role === 'client' ? trips.subarray(0, iterations - 1) : trips;
}

/** READs or atomics one after the other: the time of each. */
export async function oneByOne(rig: PeerRig, sizeBytes: number): Promise<Float64Array> {
  const { clock } = rig.context;
  const times = new Float64Array(rig.options.iterations);
  for (let turn = 0; turn < times.length; turn++) {
    const startNs = clock.nowNs;
    rig.postMessage(0, sizeBytes, true);
    await untilSent(rig);
    times[turn] = clock.nowNs - startNs;
  }
  return times;
}
