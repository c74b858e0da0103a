import type { Context } from './context.js';

/** A device that a provider could open. */
export interface DeviceInfo {
  name: string;
  /** One line for people. */
  description: string;
}

/**
 * Something that has RDMA devices: simulated, in software, or real. A workload that runs on one runs on all.
 *
 * @example
 * const provider = new IdealProvider();
 * const context = await provider.open('ideal0');
 */
export interface Provider {
  /** `ideal`, `simulated`, `software` or `hardware`. */
  readonly name: string;
  listDevices(): Promise<DeviceInfo[]>;
  open(deviceName: string): Promise<Context>;
}
