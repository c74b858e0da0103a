import { describe, expect, it } from 'vitest';
import { BUSY, PortQueues } from '../core/ports/port-queues.js';
import {
  DATA,
  KIND_MASK,
  LANE_SHIFT,
  META,
  PAUSE,
  PORT,
  RECORD_SHIFT,
  Records,
  SIZE,
} from '../core/records.js';
import { Marking } from './marking.js';
import { AZURE_LISTING, SonicBuffer, type SonicBufferOptions } from './sonic-buffer.js';
import { SwitchPlane } from './switch-plane.js';

const QUEUE_SHIFT = 1;
const CLASS_LANE = 1;
const PORTS = 3;
const coins = { toss: () => 0, onPauseFrame() {} };

/** One switch of three ports with a class; `sent` has what it put on wires, and whether the wire was free. */
function plane(buffer: SonicBufferOptions, minMarkBytes = 1e9) {
  const records = new Records(0);
  const ports = new PortQueues(PORTS, QUEUE_SHIFT);
  const sent: { port: number; kind: number; wasFree: boolean }[] = [];
  const wire = {
    nowNs: 0,
    send(port: number, record: number) {
      const kind = records.words[(record << RECORD_SHIFT) + META] & KIND_MASK;
      sent.push({ port, kind, wasFree: wire.onWire[port] === 0 });
      wire.onWire[port]++;
      ports.status[port] |= BUSY;
      records.free(record);
    },
    onWire: new Array<number>(PORTS).fill(0),
  };
  const policy = new SonicBuffer(
    {
      count: PORTS,
      queueShift: QUEUE_SHIFT,
      hostPorts: 0,
      node: new Int32Array(PORTS),
      rateBps: new Float64Array(PORTS).fill(100e9),
      delayNs: new Int32Array(PORTS),
    },
    1,
    [-1, 3],
    buffer,
  );
  const thresholds = { minBytes: minMarkBytes, maxBytes: minMarkBytes, probability: 1 };
  const made = new SwitchPlane({
    records,
    wire,
    ports,
    rateBps: new Float64Array(PORTS).fill(100e9),
    policy,
    marking: new Marking(new Array(PORTS).fill(thresholds), coins, 'departure'),
    telemetry: null,
    cellBytes: buffer.cellBytes,
    pauseBytes: 64,
    onPauseFrame: () => {},
    repeats: null,
    shares: null,
    watched: false,
    onGuestLost: () => {},
  });
  return {
    plane: made,
    ports,
    policy,
    sent,
    arrive(ingress: number, egress: number, bytes: number) {
      const record = records.take();
      const at = record << RECORD_SHIFT;
      records.words[at + SIZE] = bytes;
      records.words[at + META] = DATA | (CLASS_LANE << LANE_SHIFT);
      records.words[at + PORT] = ingress;
      made.receive(record, ingress, egress);
    },
    free(port: number) {
      wire.onWire[port]--;
      ports.status[port] &= ~BUSY;
      made.serve(port);
    },
  };
}

describe('a plane of switches', () => {
  it('sends a resume after the packet whose departure caused it, where both leave by one port', () => {
    const kept = { ...AZURE_LISTING.lossless, sizeBytes: 0, alpha: 1, xonBytes: 1, xonOffsetBytes: 2000 };
    const tight = { ...AZURE_LISTING, lossless: kept, ingressPoolBytes: 36_000, cellBytes: 0 };
    const { policy, sent, arrive, free } = plane(tight);
    const queue = (0 << QUEUE_SHIFT) | CLASS_LANE;
    for (let packet = 0; packet < 10; packet++) arrive(2, 0, 1000);
    while (!policy.isPaused(queue)) arrive(0, 1, 1000);
    // Its headroom is empty now; it waits for others to leave the memory, by the port that its resume is for.
    free(1);
    expect(policy.isPaused(queue)).toBe(true);
    for (let step = 0; step < 20; step++) free(0);
    expect(policy.pausedQueues()).toBe(0);
    expect(sent.filter((each) => each.kind === PAUSE).length).toBe(2);
    expect(sent.filter((each) => !each.wasFree)).toEqual([]);
  });

  it('has queues as long as the cells of their packets, and marks by that', () => {
    const { plane: marked, ports, arrive, free } = plane(AZURE_LISTING, 6 * 208 - 1);
    for (let packet = 0; packet < 3; packet++) arrive(0, 1, 1048);
    expect(ports.queueBytes[(1 << QUEUE_SHIFT) | CLASS_LANE]).toBe(2 * 6 * 208);
    free(1);
    expect([marked.marks, ports.queuedBytes[1]]).toEqual([1, 6 * 208]);
    free(1);
    expect([marked.marks, ports.queuedBytes[1]]).toEqual([1, 0]);
  });
});
