import { counterTable, type HostModel, type Rnic } from '../../../models/index.js';
import { TransportCounters } from '../../../transport/index.js';

const transportNames = Object.keys(new TransportCounters()) as (keyof TransportCounters)[];

/** The counters of a simulated device in the order in which {@link readCounters} writes them. */
export const counterNames: readonly string[] = [
  ...transportNames,
  ...counterTable.map(({ name }) => name),
  'memory_channel_bytes',
];

/** Writes every counter of a device as it stands. */
export function readCounters(
  transport: TransportCounters,
  nic: Rnic,
  host: HostModel,
  into: Float64Array,
): void {
  nic.port.settle();
  let place = 0;
  for (const name of transportNames) into[place++] = transport[name];
  for (const { read } of counterTable) into[place++] = read(nic);
  into[place] = Math.round(host.memoryBytes);
}
