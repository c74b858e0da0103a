import { MISFITS, portFacts } from './device-counters.js';
import type { Findings } from './findings.js';

/** What packets that were lost on the way cost a run. */
export interface Losses {
  /** Packets that left a device and reached none, of all that left one, since the run began. */
  lostShare: number;
}

/** A requester sent again, told of a gap or because its timer ran out; what came behind a gap fitted nothing. */
const SIGNS = ['packet_seq_err', 'local_ack_timeout_err', MISFITS] as const;

/**
 * Whether packets were lost on the way; null where none were, or where nobody counts packets. What a device dropped on
 * arrival is no loss of this kind: that has a cause of its own.
 */
export function lossesOf({ places, sampler, after, before }: Findings): Losses | null {
  const { samples } = sampler;
  const [start] = samples;
  const middle = samples[(samples.indexOf(before) + samples.indexOf(after)) >> 1];
  const whole = { sent: 0, arrived: 0, dropped: 0, signs: 0 };
  let sentLate = 0;
  for (let place = 0; place < places.all.length; place++) {
    const reader = sampler.readers[place];
    const [first, half, end] = [start, middle, after].map(({ counters }) => reader.valuesOf(counters[place]));
    const all = portFacts(first, end);
    const late = portFacts(half, end);
    if (all.txPackets === null || all.rxPackets === null) return null;
    whole.sent += all.txPackets;
    whole.arrived += all.rxPackets;
    sentLate += late.txPackets ?? 0;
    for (const [counter, packets] of Object.entries(all.dropped))
      if (counter !== MISFITS) whole.dropped += packets;
    for (const counter of SIGNS) whole.signs += (end[counter] ?? 0) - (first[counter] ?? 0);
  }
  const lost = whole.sent - whole.arrived;
  // Some that have not arrived are still on their way: it takes a sign of a gap, or silence since then, to tell.
  if (lost <= whole.dropped || (whole.signs === 0 && sentLate > 0)) return null;
  return { lostShare: lost / whole.sent };
}
