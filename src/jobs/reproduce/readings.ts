import type { HostMeasurement, Measurement, TenantMeasurement } from '../../workload/index.js';

/** One tenant's part of a measurement. */
export function tenant(measurement: Measurement, name: string): TenantMeasurement {
  const found = measurement.tenants.find((each) => each.name === name);
  if (found === undefined) throw new RangeError(`there is no tenant ${name}`);
  return found;
}

/** One host's part of a measurement. */
export function host(measurement: Measurement, name: string): HostMeasurement {
  const found = measurement.hosts.find((each) => each.name === name);
  if (found === undefined) throw new RangeError(`there is no host ${name}`);
  return found;
}

/** Increase of a counter of a host; NaN where the device has none of that name. */
export function counter(measurement: Measurement, hostName: string, name: string): number {
  return host(measurement, hostName).counters[name] ?? Number.NaN;
}

/** Increase of a counter a second; NaN where the device has none of that name. */
export function rate(measurement: Measurement, hostName: string, name: string): number {
  return (counter(measurement, hostName, name) * 1e9) / measurement.steadyState.measuredNs;
}

/** Share of lookups that missed, of a cache whose counters are `<name>_hit` and `<name>_miss`. */
export function missRate(measurement: Measurement, hostName: string, name: string): number {
  const misses = counter(measurement, hostName, `${name}_miss`);
  return misses / (misses + counter(measurement, hostName, `${name}_hit`));
}

/** Bytes that went from the host's memory and cores to the device over PCIe, with TLP headers, in Gb/s. */
export function pcieToDeviceGbps(measurement: Measurement, hostName: string): number {
  return (rate(measurement, hostName, 'pcie_inbound_bytes') * 8) / 1e9;
}

/** Millions of messages a second. */
export function millions({ messagesPerSecond }: { messagesPerSecond: number }): number {
  return messagesPerSecond / 1e6;
}
