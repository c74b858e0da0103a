import type { AsyncEvent } from './async-event.js';
import type { Clock } from './clock.js';
import type { CompletionChannel, CompletionQueue, CqOptions } from './completion-queue.js';
import type { ConnectionManager, ConnectionManagerOptions } from './connection-manager.js';
import type { Capabilities, DeviceAttr, PortAttr } from './device.js';
import type { ProtectionDomain } from './protection-domain.js';
import type { Thread, ThreadOptions } from './thread.js';

/** An opened device: the root of everything else. */
export interface Context {
  /** The device's name, such as `ideal0` or `mlx5_0`. */
  readonly deviceName: string;
  readonly capabilities: Capabilities;
  readonly clock: Clock;
  queryDevice(): DeviceAttr;
  queryPort(portNum: number): PortAttr;
  /** The GID in row `index` of the port's table, IPv6 notation. */
  queryGid(portNum: number, index: number): string;
  /** The places that memory and queues can have on this host; empty where `capabilities.placements` is false. */
  placements(): readonly string[];
  allocPd(): ProtectionDomain;
  createCompChannel(): CompletionChannel;
  createCq(options: CqOptions): CompletionQueue;
  /**
   * The next async event. Waits for as long as it takes, or until `signal`. 16,384 are kept; then the oldest are dropped.
   */
  getAsyncEvent(signal?: AbortSignal): Promise<AsyncEvent>;
  /** An async event that is there already, or null. */
  tryGetAsyncEvent(): AsyncEvent | null;
  /** RDMA-CM on this device, for programs that connect by address and port. Several share the device's ports. */
  createConnectionManager(options?: ConnectionManagerOptions): ConnectionManager;
  /** A thread whose verbs cost processor time; absent on providers that do not model processors. */
  createThread?(options?: ThreadOptions): Thread;
  /** What the device counts, by the names that operators know; what it does not count is absent. */
  counters(): Readonly<Record<string, number>>;
  /** Closes the device and all that was made from it. */
  close(): Promise<void>;
}
