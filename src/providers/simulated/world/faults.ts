import type { Changes } from '../../../models/index.js';
import type { FaultEffect, FaultPlace, WorldFault } from '../../../profiles/index.js';
import type { SimulatedDevice } from '../device/device.js';
import type { SimulatedHost } from '../host/simulated-host.js';
import type { WorldFabric } from './fabric.js';

const PS_PER_NS = 1000;

/** What faults can sit on. */
export interface FaultyWorld {
  readonly hosts: readonly SimulatedHost[];
  readonly fabric: WorldFabric;
}

/** Puts a fault into a world, with its schedule. Returns what takes it back. */
export function injectFault(world: FaultyWorld, fault: WorldFault, nowPs: number): () => void {
  const lifts = fault.places.map((place) => {
    let end: () => void = () => {};
    return changesAt(world, place).add(nowPs, {
      fromPs: Math.round(fault.fromNs * PS_PER_NS),
      forPs: Math.round(fault.forNs * PS_PER_NS),
      everyPs: Math.round(fault.everyNs * PS_PER_NS),
      set: (active) => {
        if (active) end = begin(world, place, fault.effect);
        else end();
      },
    });
  });
  return () => {
    for (const lift of lifts) lift();
  };
}

function changesAt({ hosts, fabric }: FaultyWorld, place: FaultPlace): Changes {
  return place.kind === 'cable' ? fabric.changesOf(place.link) : hosts[place.host].model.changes;
}

/** A fault begins. Returns what ends it. */
function begin({ hosts, fabric }: FaultyWorld, place: FaultPlace, effect: FaultEffect): () => void {
  if (place.kind === 'cable') return fabric.inject(place.link, effect);
  const host = hosts[place.host];
  const ends = [
    host.model.inject(place, effect),
    ...devicesAt(host, place).map((device) => device.inject(effect)),
  ];
  return () => {
    for (const end of ends) end();
  };
}

/** The devices at a place: an RNIC, or all of a host. */
function devicesAt(host: SimulatedHost, place: FaultPlace): readonly SimulatedDevice[] {
  if (place.kind === 'host') return host.devices;
  if (place.kind !== 'node') return [];
  const { name } = host.model.host.nodes[place.node];
  return host.devices.filter(({ rnic }) => rnic === name);
}
