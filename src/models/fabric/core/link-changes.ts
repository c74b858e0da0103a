import type { FlowTable } from '../nic/flow-table.js';
import type { LightNics } from '../nic/light-nics.js';
import type { SwitchPlane } from '../switching/switch-plane.js';
import type { PortPlan } from '../topology/port-plan.js';
import type { Routing } from '../topology/routing.js';
import type { Timers } from './events/timers.js';
import { DOWN } from './ports/port-queues.js';
import type { Ports } from './ports/ports.js';
import { DATA } from './records.js';
import { Reroutes } from './reroutes.js';

/** A link that fails or comes back at a time. */
export interface LinkChange {
  readonly atNs: number;
  /** The link's number in the topology. */
  readonly link: number;
  readonly up: boolean;
}

/** Which links are down after each change; states that are alike have one number. State 0: all links are up. */
export interface LinkStates {
  /** Links that are down in each state. */
  readonly down: readonly ReadonlySet<number>[];
  /** The state after each change. */
  readonly after: readonly number[];
}

/** Numbers the states that a list of changes, in order of time, leads through. */
export function linkStates(changes: readonly LinkChange[]): LinkStates {
  const down: ReadonlySet<number>[] = [new Set()];
  const known = new Map([['', 0]]);
  const now = new Set<number>();
  const after = changes.map(({ link, up }) => {
    if (up) now.delete(link);
    else now.add(link);
    const key = [...now].sort((a, b) => a - b).join(',');
    const state = known.get(key) ?? down.length;
    if (state === down.length) {
      known.set(key, state);
      down.push(new Set(now));
    }
    return state;
  });
  return { down, after };
}

/** Carries the changes of links out in one domain: ports go down and up, and flows take other ways. */
export class LinkChanges {
  /** Frames that were under way on a link when it failed, and the data packets among them. */
  lost = 0;
  lostData = 0;
  lostDataBytes = 0;
  /** Timers of its own that were handled: every domain has them, however many there are. */
  handled = 0;
  /** Where packets go that were under way when paths changed. */
  readonly reroutes: Reroutes;
  private readonly ports: Ports;

  constructor(
    changes: readonly LinkChange[],
    convergenceNs: number,
    parts: {
      ports: Ports;
      plan: PortPlan;
      flows: FlowTable;
      timers: Timers;
      switches: SwitchPlane;
      nics: LightNics;
      isOwn: (node: number) => boolean;
      /** The paths of a state of the links. */
      routingOf: (state: number) => Routing;
    },
  ) {
    const { ports, plan, flows, timers, switches, nics, isOwn } = parts;
    this.ports = ports;
    this.reroutes = new Reroutes(flows, plan, parts.routingOf);
    const own = changes.map(({ link }) =>
      [...plan.link.keys()].filter((port) => plan.link[port] === link && isOwn(plan.node[port])),
    );
    const change = timers.register((index) => {
      this.handled++;
      for (const port of own[index]) {
        const host = port < ports.hostPorts;
        if (!changes[index].up) {
          ports.takeDown(port);
          if (!host) switches.flush(port);
        } else {
          ports.status[port] &= ~DOWN;
          if (!host) switches.repeatPauses(port);
          if (ports.isIdle(port)) (host ? nics : switches).serve(port);
        }
      }
    });
    const { after } = linkStates(changes);
    const reroute = timers.register((index) => {
      this.handled++;
      flows.take(after[index], isOwn);
      this.reroutes.take(after[index]);
    });
    for (const [index, { atNs }] of changes.entries()) {
      timers.after(atNs, change, index);
      timers.after(atNs + convergenceNs, reroute, index);
    }
  }

  /** Whether a packet that arrives at a port is lost because its link is down. */
  loses(port: number, kind: number, bytes: number): boolean {
    if (!this.ports.isDown(port)) return false;
    this.lost++;
    if (kind === DATA) {
      this.lostData++;
      this.lostDataBytes += bytes;
    }
    return true;
  }
}
