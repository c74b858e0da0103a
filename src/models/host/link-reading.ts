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

/** Reads every link of a host. */
export function readLinks(
  { nodes, links }: Host,
  models: readonly HostLinkModel[],
  memories: ReadonlyMap<string, MemoryChannels>,
  weakLinks: ReadonlyMap<number, SharedLink>,
  peerTurns: ReadonlyMap<number, SharedLink>,
): readonly LinkReading[] {
  const readings = links.map(({ name, kind, ends: [a, b] }, index): LinkReading => {
    const ends = [nodes[a].name, nodes[b].name] as const;
    const memory = memories.get(nodes[a].name) ?? memories.get(nodes[b].name);
    const model = models[index];
    const weak = weakLinks.get(index);
    if (memory !== undefined)
      return { name, kind, ends, gbps: memory.gbpsNow, directions: [readMemory(memory)] };
    if (weak !== undefined)
      return { name, kind, ends, gbps: 8000 / weak.psPerByte, directions: [readShared(weak)] };
    const [there, back] = model.directions;
    return {
      name,
      kind,
      ends,
      gbps: model.gbpsNow,
      directions: [readDirection(ends[1], there), readDirection(ends[0], back)],
    };
  });
  const turns = [...peerTurns].map(([socket, turn]): LinkReading => {
    const { name } = nodes[socket];
    return {
      name: `${name}-turn`,
      kind: 'root-complex',
      ends: [name, name],
      gbps: 8000 / turn.psPerByte,
      directions: [readShared(turn)],
    };
  });
  return [...readings, ...turns];
}

function readDirection(towards: string, { bytes, busyPs, waitedPs }: LinkDirection): DirectionReading {
  return { towards, bytes, busyNs: busyPs / 1000, waitedNs: waitedPs / 1000 };
}

function readMemory({ bytes, busyPs, waitedPs }: MemoryChannels): DirectionReading {
  return { towards: 'both', bytes, busyNs: busyPs / 1000, waitedNs: waitedPs / 1000 };
}

function readShared({ bytes, server, waitedPs }: SharedLink): DirectionReading {
  return { towards: 'both', bytes, busyNs: server.bookedPs / 1000, waitedNs: waitedPs / 1000 };
}
