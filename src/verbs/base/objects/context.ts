import type { AsyncEvent } from '../../async-event.js';
import type { Clock } from '../../clock.js';
import type { CompletionChannel, CompletionQueue, CqOptions } from '../../completion-queue.js';
import type { ConnectionManager, ConnectionManagerOptions } from '../../connection-manager.js';
import type { Context } from '../../context.js';
import type { Capabilities, DeviceAttr, PortAttr } from '../../device.js';
import { VerbsError } from '../../error.js';
import type { ProtectionDomain } from '../../protection-domain.js';
import type { QpType } from '../../queue-pair.js';
import type { QueuePairCarrier } from '../carrier.js';
import { requireRange } from '../checks/range.js';
import { MAX_MESSAGE_BYTES } from '../checks/sge-check.js';
import { OP_NAMES, TRANSPORT_OPCODES } from '../codes.js';
import type { AddressSpace } from '../memory/address-space.js';
import type { RandomWords } from '../memory/key-index.js';
import { MemoryTable } from '../memory/memory-table.js';
import type { Poster } from '../poster.js';
import type { QpNumbers } from '../qp-numbers.js';
import { CqePool } from '../queues/cqe-pool.js';
import { Mailbox } from '../queues/mailbox.js';
import { WqePool } from '../queues/wqe-pool.js';
import { BaseCompletionChannel } from './completion-channel.js';
import { BaseCompletionQueue } from './completion-queue.js';
import { ObjectCount, type ObjectLimit } from './object-count.js';
import { BaseProtectionDomain } from './protection-domain.js';

/** What a provider gives to the base to open a device. */
export interface ContextOptions {
  deviceName: string;
  capabilities: Capabilities;
  clock: Clock;
  device: DeviceAttr;
  /** The ports, from port 1 on, each with its table of GIDs. */
  ports: readonly { attr: PortAttr; gids: readonly string[] }[];
  carrier: QueuePairCarrier;
  /** Shared by all who opened the same device. */
  qpNumbers: QpNumbers;
  /** Shared by all who run on the same host. */
  addresses: AddressSpace;
  random: RandomWords;
  /** The 16 bytes of a GID in text; throws where it is none. (The wire's own, which this layer cannot import.) */
  parseGid: (text: string) => Uint8Array;
  placements?: readonly string[];
  /** Makes a connection manager, where the device's capabilities have it. */
  connectionManager?: (context: BaseContext, options: ConnectionManagerOptions) => ConnectionManager;
}

/**
 * Async events that are kept for a program that does not take them; the oldest are dropped first. A peer can cause some
 * with every connection that it makes.
 */
const MOST_ASYNC_EVENTS = 16_384;

/** Stands for the place that a provider chooses. */
export const NO_PLACEMENT = -1;

/** Whether a transport has an operation, and the device too. */
export const OpSupport = { NOT_OF_TRANSPORT: 0, UNSUPPORTED: 1, YES: 2 } as const;

/** An opened device, whatever carries its messages: the tables and pools that all its objects live in. */
export class BaseContext implements Context {
  readonly deviceName: string;
  readonly capabilities: Capabilities;
  readonly clock: Clock;
  readonly device: DeviceAttr;
  readonly ports: ContextOptions['ports'];
  readonly carrier: QueuePairCarrier;
  readonly qpNumbers: QpNumbers;
  readonly addresses: AddressSpace;
  readonly memory: MemoryTable;
  readonly parseGid: (text: string) => Uint8Array;
  readonly wqes = new WqePool();
  readonly cqes = new CqePool();
  /** Support of each operation by transport: one of {@link OpSupport}, indexed by `Op`. */
  readonly opSupport: Readonly<Record<QpType, Uint8Array>>;
  /** The longest message of a connected transport. */
  readonly longestMessageBytes: number;
  readonly channels = new Set<BaseCompletionChannel>();
  readonly asyncEvents = new Mailbox<AsyncEvent>(MOST_ASYNC_EVENTS);
  /** By the limit that each is held against. */
  readonly counts: Readonly<Record<ObjectLimit, ObjectCount>>;
  closed = false;
  /** Whose time the verbs that are called now take; null: nobody's. */
  poster: Poster | null = null;
  private readonly makeManager: ContextOptions['connectionManager'];
  private readonly managers = new Set<ConnectionManager>();
  private readonly placementNames: readonly string[];
  private nextPd = 1;

  constructor(options: ContextOptions) {
    this.deviceName = options.deviceName;
    this.capabilities = options.capabilities;
    this.clock = options.clock;
    this.device = options.device;
    this.ports = options.ports;
    this.carrier = options.carrier;
    this.qpNumbers = options.qpNumbers;
    this.addresses = options.addresses;
    this.memory = new MemoryTable(options.random);
    const countOf = (limit: ObjectLimit) => new ObjectCount(options.device, limit);
    this.counts = {
      maxQp: countOf('maxQp'),
      maxCq: countOf('maxCq'),
      maxMr: countOf('maxMr'),
      maxMw: countOf('maxMw'),
      maxPd: countOf('maxPd'),
      maxAh: countOf('maxAh'),
      maxSrq: countOf('maxSrq'),
    };
    this.parseGid = options.parseGid;
    this.placementNames = options.placements ?? [];
    this.makeManager = options.connectionManager;
    this.opSupport = supportOf(this.capabilities);
    this.longestMessageBytes = Math.min(MAX_MESSAGE_BYTES, options.device.maxMessageBytes);
  }

  queryDevice(): DeviceAttr {
    this.requireOpen();
    return { ...this.device };
  }

  queryPort(portNum: number): PortAttr {
    return { ...this.port(portNum).attr };
  }

  queryGid(portNum: number, index: number): string {
    const { gids } = this.port(portNum);
    requireRange('index', index, 0, gids.length - 1);
    return gids[index];
  }

  placements(): readonly string[] {
    this.requireOpen();
    return this.placementNames;
  }

  allocPd(): ProtectionDomain {
    this.requireOpen();
    return new BaseProtectionDomain(this, this.nextPd++);
  }

  createCompChannel(): CompletionChannel {
    this.requireOpen();
    const channel = new BaseCompletionChannel(this);
    this.channels.add(channel);
    return channel;
  }

  createCq(options: CqOptions): CompletionQueue {
    this.requireOpen();
    return new BaseCompletionQueue(this, options);
  }

  createConnectionManager(options: ConnectionManagerOptions = {}): ConnectionManager {
    this.requireOpen();
    this.requireCapability('connectionManager');
    const manager = this.makeManager!(this, options);
    this.managers.add(manager);
    return manager;
  }

  /** A connection manager was closed by its program. */
  forgetManager(manager: ConnectionManager): void {
    this.managers.delete(manager);
  }

  async getAsyncEvent(signal?: AbortSignal): Promise<AsyncEvent> {
    this.requireOpen();
    const event = this.asyncEvents.take(signal);
    if (this.asyncEvents.awaited) this.carrier.waiting(this.asyncEvents);
    return event;
  }

  tryGetAsyncEvent(): AsyncEvent | null {
    this.requireOpen();
    return this.asyncEvents.tryTake();
  }

  counters(): Readonly<Record<string, number>> {
    this.requireOpen();
    return this.carrier.counters();
  }

  async close(): Promise<void> {
    if (this.closed) return;
    for (const manager of [...this.managers]) manager.close();
    this.qpNumbers.forEach((qp) => {
      if (qp.context === this) qp.destroy();
    });
    this.closed = true;
    for (const channel of this.channels) channel.refuseWaiters();
    this.asyncEvents.refuseAll(new VerbsError('OBJECT_DESTROYED', 'the device was closed'));
  }

  /** The port of a number; the number is checked. */
  port(portNum: number): ContextOptions['ports'][number] {
    this.requireOpen();
    requireRange('portNum', portNum, 1, this.ports.length);
    return this.ports[portNum - 1];
  }

  /** Tells the program something unasked. */
  raise(event: AsyncEvent): void {
    this.asyncEvents.put(event);
  }

  /**
   * The number of a place, by its name; -1 where none is named. Refused without the capability, or if there is no such
   * place.
   */
  placementOf(name: string | undefined, capability: 'placements' | 'queuePlacements', field: string): number {
    if (name === undefined) return NO_PLACEMENT;
    this.requireCapability(capability);
    const number = this.placementNames.indexOf(name);
    if (number >= 0) return number;
    const detail = { field, given: name, allowed: this.placementNames.join(', ') };
    throw new VerbsError('OUT_OF_RANGE', 'the host has no such place', detail);
  }

  /** Refuses with UNSUPPORTED, and the provider's reason, what the device cannot do. */
  requireCapability(name: keyof Capabilities, badWrIndex?: number): void {
    if (this.capabilities[name]) return;
    throw this.unsupported(name, badWrIndex);
  }

  /** The error for something that the device cannot do. */
  unsupported(name: string, badWrIndex?: number): VerbsError {
    const reason = this.capabilities.reasons[name];
    const summary = `${this.deviceName} does not support it${reason === undefined ? '' : `: ${reason}`}`;
    return new VerbsError('UNSUPPORTED', summary, { field: name, badWrIndex });
  }

  private requireOpen(): void {
    if (this.closed) throw new VerbsError('OBJECT_DESTROYED', `${this.deviceName} was closed`);
  }
}

/** What was found for the capabilities of a provider: all its devices share them. */
const support = new WeakMap<Capabilities, BaseContext['opSupport']>();

function supportOf(capabilities: Capabilities): BaseContext['opSupport'] {
  let found = support.get(capabilities);
  if (found === undefined) {
    const of = (qpType: QpType) => supportOfType(qpType, capabilities);
    found = { RC: of('RC'), UC: of('UC'), UD: of('UD') };
    support.set(capabilities, found);
  }
  return found;
}

function supportOfType(qpType: QpType, capabilities: Capabilities): Uint8Array {
  return Uint8Array.from(OP_NAMES, (name) => {
    if (name === 'RECV' || !TRANSPORT_OPCODES[qpType].includes(name)) return OpSupport.NOT_OF_TRANSPORT;
    return capabilities.sendOpcodes[qpType].includes(name) ? OpSupport.YES : OpSupport.UNSUPPORTED;
  });
}
