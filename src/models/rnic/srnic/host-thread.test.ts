import { describe, expect, it } from 'vitest';
import type { Endpoint, SlowPathClient } from '../../../transport/index.js';
import { constantsOf, TestParts } from '../testing/test-parts.js';
import { HostThread } from './host-thread.js';

const numbers = {
  recoveryWindowPackets: 500,
  recoveryBitmaps: 5,
  recoveryTimeoutLowUs: 100,
  recoveryTimeoutHighUs: 320,
  recoveryFewPackets: 3,
  slowPathEventBytes: 16,
  slowPathQueueEvents: 3,
  slowPathCommandBytes: 8,
  slowPathEventNs: 100,
  slowPathDelayNs: 1000,
};

/** A thread, and a queue pair's half that notes when it was called and answers each event with a command. */
function make() {
  const parts = new TestParts(constantsOf('connectx-6-200g'));
  const constants = { ...parts.constants, ...numbers };
  const { simulation, counters, pcie, path } = parts;
  const thread = new HostThread({ constants, name: 'nic', simulation, counters, pcie, queuePath: path });
  const log: { call: string; psn: number; atNs: number }[] = [];
  const client = (name: string): SlowPathClient => ({
    endpoint: {} as Endpoint,
    onEvent(psn, expectedPsn, nowPs) {
      log.push({ call: `${name} event`, psn, atNs: Math.round(nowPs / 1000) });
      thread.command(this, expectedPsn, 0, nowPs);
    },
    onCommand(psn, _count, nowPs) {
      log.push({ call: `${name} command`, psn, atNs: Math.round(nowPs / 1000) });
    },
  });
  return { parts, thread, log, client, overhead: constants.pcieTlpOverheadBytes };
}

describe('the software that keeps bitmaps', () => {
  it('hears of an event after its delay and its own time, and the NIC of the answer after another delay', () => {
    const { parts, thread, log, client } = make();
    thread.event(client('a'), 7, 3, 0);
    parts.run(1e7);
    expect(log).toEqual([
      { call: 'a event', psn: 7, atNs: 1100 },
      { call: 'a command', psn: 3, atNs: 2100 },
    ]);
  });

  it('handles one event after the other, of whichever queue pair', () => {
    const { parts, thread, log, client } = make();
    const [a, b] = [client('a'), client('b')];
    for (let psn = 0; psn < 4; psn++) thread.event(psn % 2 === 0 ? a : b, psn, 0, 0);
    parts.run(1e7);
    const events = log.filter(({ call }) => call.endsWith('event'));
    expect(events.map(({ call, psn }) => [call, psn])).toEqual([
      ['a event', 0],
      ['b event', 1],
      ['a event', 2],
      ['b event', 3],
    ]);
    expect(events[3].atNs - events[0].atNs).toBe(300);
  });

  it('counts events, their bytes with those of commands, and its time', () => {
    const { parts, thread, client, overhead } = make();
    for (let psn = 0; psn < 3; psn++) thread.event(client('a'), psn, 0, 0);
    parts.run(1e7);
    expect(parts.counters).toMatchObject({
      slow_path_events: 3,
      slow_path_bytes: 3 * (16 + overhead) + 3 * (8 + overhead),
      slow_path_ns: 300,
    });
  });

  it('has no room for more events than its queue, until it has handled one', () => {
    const { parts, thread, client } = make();
    for (let psn = 0; psn < 3; psn++) {
      expect(thread.hasRoom()).toBe(true);
      thread.event(client('a'), psn, 0, 0);
    }
    expect(thread.hasRoom()).toBe(false);
    expect(parts.counters.slow_path_full).toBe(1);
    parts.run(1_150_000);
    expect(thread.hasRoom()).toBe(true);
  });
});
