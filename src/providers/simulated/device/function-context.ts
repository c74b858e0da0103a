import type { BaseProtectionDomain } from '../../../verbs/base/index.js';
import type {
  AsyncEvent,
  Capabilities,
  Clock,
  CompletionChannel,
  CompletionQueue,
  ConnectionManager,
  ConnectionManagerOptions,
  Context,
  CqOptions,
  DeviceAttr,
  PortAttr,
  ProtectionDomain,
  Thread,
  ThreadOptions,
} from '../../../verbs/index.js';
import type { SimulatedDevice } from './device.js';

/**
 * One function of a simulated device (SR-IOV): the device's own context, but the protection domains made from it are of
 * the function. Closing it closes nothing: its objects end with the device.
 */
export class FunctionContext implements Context {
  readonly deviceName: string;
  readonly capabilities: Capabilities;
  readonly clock: Clock;
  private readonly context: Context;
  private readonly device: SimulatedDevice;
  private readonly functionNumber: number;

  constructor(context: Context, device: SimulatedDevice, functionNumber: number) {
    this.deviceName = context.deviceName;
    this.capabilities = context.capabilities;
    this.clock = context.clock;
    this.context = context;
    this.device = device;
    this.functionNumber = functionNumber;
  }

  allocPd(): ProtectionDomain {
    const pd = this.context.allocPd();
    this.device.assignDomain((pd as BaseProtectionDomain).handle, this.functionNumber);
    return pd;
  }

  queryDevice(): DeviceAttr {
    return this.context.queryDevice();
  }

  queryPort(portNum: number): PortAttr {
    return this.context.queryPort(portNum);
  }

  queryGid(portNum: number, index: number): string {
    return this.context.queryGid(portNum, index);
  }

  placements(): readonly string[] {
    return this.context.placements();
  }

  createCompChannel(): CompletionChannel {
    return this.context.createCompChannel();
  }

  createCq(options: CqOptions): CompletionQueue {
    return this.context.createCq(options);
  }

  getAsyncEvent(signal?: AbortSignal): Promise<AsyncEvent> {
    return this.context.getAsyncEvent(signal);
  }

  tryGetAsyncEvent(): AsyncEvent | null {
    return this.context.tryGetAsyncEvent();
  }

  createConnectionManager(options?: ConnectionManagerOptions): ConnectionManager {
    return this.context.createConnectionManager(options);
  }

  createThread(options?: ThreadOptions): Thread {
    return this.device.createThread(options?.name, options?.socket);
  }

  counters(): Readonly<Record<string, number>> {
    return this.context.counters();
  }

  async close(): Promise<void> {}
}
