import type { Mtu, QpType } from './queue-pair.js';
import type { SendOpcode } from './work-request.js';

/** The limits of a device: libibverbs' `ibv_device_attr`, the part that programs ask for. */
export interface DeviceAttr {
  maxQp: number;
  maxQpWr: number;
  maxSge: number;
  maxSgeRd: number;
  maxCq: number;
  maxCqe: number;
  maxMr: number;
  maxMrBytes: number;
  maxMw: number;
  maxPd: number;
  maxAh: number;
  maxSrq: number;
  maxSrqWr: number;
  maxSrqSge: number;
  /** READs and atomics served at a time, per queue pair. */
  maxQpRdAtom: number;
  /** READs and atomics in flight, per queue pair. */
  maxQpInitRdAtom: number;
  maxInlineData: number;
  maxMessageBytes: number;
  physPortCnt: number;
}

/** One port: libibverbs' `ibv_port_attr`, the part that programs ask for. */
export interface PortAttr {
  state: 'ACTIVE' | 'DOWN';
  activeMtu: Mtu;
  maxMtu: Mtu;
  gidTableLength: number;
  /** Line rate in bits per second; absent where the provider has none (an ideal device). */
  lineRateBps?: number;
}

/**
 * What a provider can do. A call that needs something missing is refused with UNSUPPORTED, and `reasons` says why,
 * keyed by the capability's name.
 */
export interface Capabilities {
  transports: readonly QpType[];
  sendOpcodes: Readonly<Record<QpType, readonly SendOpcode[]>>;
  srq: boolean;
  memoryWindows: boolean;
  fastRegistration: boolean;
  /** WAIT, ENABLE and queue pairs with `managedSend`. */
  crossChannel: boolean;
  cqResize: boolean;
  completionTimestamps: boolean;
  unbackedMemory: boolean;
  /** Memory can be placed on sockets or GPUs. */
  placements: boolean;
  /** So can send, receive and completion queues. */
  queuePlacements: boolean;
  /** Packets exist, so that loss, retries and RNR timers can be seen. */
  packets: boolean;
  /**
   * The bytes of an RC WRITE become visible in the order of their addresses: a program that sees the last one sees all. A
   * NIC that places packets as they come, whatever came before, does not promise it; its programs wait for completions.
   */
  inOrderPlacement: boolean;
  /** RDMA-CM: `Context.createConnectionManager`. */
  connectionManager: boolean;
  reasons: Readonly<Record<string, string>>;
}

/** The capabilities that are a yes or a no. */
export type Capability = {
  [Name in keyof Capabilities]: Capabilities[Name] extends boolean ? Name : never;
}[keyof Capabilities];
