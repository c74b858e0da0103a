import type { Timers } from '../core/events/timers.js';
import type { Lanes } from '../core/ports/lanes.js';
import { type PauseOptions, type PauseStorm, pauseNs } from '../core/ports/pause-options.js';
import type { Ports } from '../core/ports/ports.js';
import { LANE_SHIFT, META, PAUSE, RECORD_SHIFT, type Records, ROUTE, SIZE } from '../core/records.js';
import { PAUSE_BYTES } from '../switching/switch-plane.js';
import type { PortPlan } from '../topology/port-plan.js';
import type { LightNics } from './light-nics.js';

/**
 * Plans the pause frames of NICs that hold their link. Pauses that run out are repeated in half their time; those that do
 * not are sent once. A NIC that holds a part of each period resumes in between; at the end it resumes unless its pauses
 * run out.
 */
export function planStorms(
  storms: readonly PauseStorm[],
  options: PauseOptions | null,
  parts: {
    records: Records;
    timers: Timers;
    ports: Ports;
    plan: PortPlan;
    lanes: Lanes;
    nics: LightNics;
    isOwn: (node: number) => boolean;
  },
): void {
  const { records, timers, ports, plan, lanes, nics, isOwn } = parts;
  const send = (storm: PauseStorm, pauses: 0 | 1) => {
    const record = records.take();
    const at = record << RECORD_SHIFT;
    records.words[at + SIZE] = PAUSE_BYTES;
    records.words[at + META] = PAUSE | (lanes.laneOf[storm.trafficClass] << LANE_SHIFT);
    records.words[at + ROUTE] = pauses;
    nics.sendControl(plan.portBegin[storm.host], record);
  };
  for (const storm of storms) {
    if (!isOwn(storm.host)) continue;
    const { fromNs, untilNs } = storm;
    const periodNs = storm.periodNs ?? untilNs - fromNs;
    const heldNs = Math.min(storm.heldNs ?? periodNs, periodNs);
    const switchPort = ports.peer[plan.portBegin[storm.host]];
    const repeatNs =
      options === null
        ? Infinity
        : Math.max(1, Math.floor(pauseNs(options.quanta, ports.rateBps[switchPort]) / 2));
    let nowNs = fromNs;
    const tick = timers.register(() => {
      const inPeriodNs = (nowNs - fromNs) % periodNs;
      const over = nowNs >= untilNs;
      const held = !over && inPeriodNs < heldNs;
      if (held || !over || options === null) send(storm, held ? 1 : 0);
      if (over) return;
      const toEdgeNs = held ? heldNs - inPeriodNs : periodNs - inPeriodNs;
      const waitNs = Math.min(untilNs - nowNs, toEdgeNs, held ? repeatNs : Infinity);
      nowNs += waitNs;
      timers.after(waitNs, tick, 0);
    });
    timers.after(fromNs, tick, 0);
  }
}
