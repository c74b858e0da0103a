import type { CableSide, WorldSwitch } from '../../../models/index.js';
import type { SimulatedDevice } from './device.js';

/** What waits in a part of a device or a switch. */
export interface QueueReading {
  readonly name: string;
  readonly kind: 'receive buffer' | 'egress queue' | 'switch buffer';
  readonly bytes: number;
  /** What fits; null where nothing bounds it, or what bounds it is shared. */
  readonly roomBytes: number | null;
}

/**
 * Reads the buffers of devices and switches, and what waits at the ports between them; `roomOf` says what fits into a
 * switch.
 */
export function readQueues(
  devices: readonly SimulatedDevice[],
  ports: readonly CableSide[],
  switches: readonly WorldSwitch[],
  roomOf: (fabricSwitch: string) => number | null,
): QueueReading[] {
  return [
    ...devices.map(
      ({ name, nic, subsystem }): QueueReading => ({
        name: `${name}/receive-buffer`,
        kind: 'receive buffer',
        bytes: nic.port.buffer.occupancyBytes,
        roomBytes: subsystem.device.constants.receiveBufferBytes,
      }),
    ),
    ...ports.map(
      ({ name, allQueuedBytes }): QueueReading => ({
        ...{ name, kind: 'egress queue', bytes: allQueuedBytes, roomBytes: null },
      }),
    ),
    ...switches.map(
      ({ name, occupancyBytes }): QueueReading => ({
        ...{ name, kind: 'switch buffer', bytes: occupancyBytes, roomBytes: roomOf(name) },
      }),
    ),
  ];
}
