import type { Host } from '../../profiles/index.js';
import type { SharedLink } from '../pcie/dma-path.js';
import type { DirectionReading, HostLinkModel, LinkDirection } from './host-link.js';
import type { MemoryChannels } from './memory-channels.js';

/** A link of a host and what it has carried. */
export interface LinkReading {
  readonly name: string;
  /** As in the host's profile, or `root-complex`: the turn of peer traffic in a socket. */
  readonly kind: string;
  readonly ends: readonly [string, string];
  /** Its rate with the faults that are there now: each direction, or both together if there is one reading. */
  readonly gbps: number;
  /** Two, or one where both directions share it: memory channels, a root complex, a weak link between sockets. */
  readonly directions: readonly DirectionReading[];
}

/** What the links of a host are called: made once, as they are read after each slice of a run. */
export class LinkLabels {
  readonly prefix: string;
  readonly host: Host;
  /** By link. */
  readonly names: readonly string[];
  readonly ends: readonly (readonly [string, string])[];

  constructor(host: Host, prefix: string) {
    this.prefix = prefix;
    this.host = host;
    this.names = host.links.map(({ name }) => `${prefix}${name}`);
    this.ends = host.links.map(({ ends: [a, b] }) => [host.nodes[a].name, host.nodes[b].name]);
  }
}

/** Adds a reading of every link of a host. */
export function readLinks(
  readings: LinkReading[],
  { prefix, host, names, ends }: LinkLabels,
  models: readonly HostLinkModel[],
  memories: ReadonlyMap<string, MemoryChannels>,
  weakLinks: ReadonlyMap<number, SharedLink>,
  peerTurns: ReadonlyMap<number, SharedLink>,
  nowPs: number,
): void {
  for (let index = 0; index < models.length; index++) {
    const model = models[index];
    const { kind } = model.link;
    const [first, second] = ends[index];
    const memory = memories.get(first) ?? memories.get(second);
    const weak = weakLinks.get(index);
    let { gbpsNow: gbps } = model;
    let directions: DirectionReading[];
    if (memory !== undefined) {
      gbps = memory.gbpsNow;
      directions = [readMemory(memory, nowPs)];
    } else if (weak !== undefined) {
      gbps = 8000 / weak.psPerByte;
      directions = [readShared(weak)];
    } else {
      const [there, back] = model.directions;
      directions = [readDirection(second, model, there, nowPs), readDirection(first, model, back, nowPs)];
    }
    readings.push({ name: names[index], kind, ends: ends[index], gbps, directions });
  }
  for (const [socket, turn] of peerTurns) {
    const { name } = host.nodes[socket];
    readings.push({
      name: `${prefix}${name}-turn`,
      kind: 'root-complex',
      ends: [name, name],
      gbps: 8000 / turn.psPerByte,
      directions: [readShared(turn)],
    });
  }
}

function readDirection(
  towards: string,
  model: HostLinkModel,
  direction: LinkDirection,
  nowPs: number,
): DirectionReading {
  const others = model.background(nowPs);
  const busyPs = direction.busyPs + others.busyPs;
  const bytes = direction.bytes + others.bytes;
  return { towards, bytes, busyNs: busyPs / 1000, waitedNs: direction.waitedPs / 1000 };
}

function readMemory(memory: MemoryChannels, nowPs: number): DirectionReading {
  const others = memory.background(nowPs);
  const busyNs = (memory.busyPs + others.busyPs) / 1000;
  return { towards: 'both', bytes: memory.bytes + others.bytes, busyNs, waitedNs: memory.waitedPs / 1000 };
}

function readShared({ bytes, server, waitedPs }: SharedLink): DirectionReading {
  return { towards: 'both', bytes, busyNs: server.bookedPs / 1000, waitedNs: waitedPs / 1000 };
}
