import { Urgency } from '../../transport/cm/index.js';
import type { BaseContext } from '../../verbs/base/index.js';
import type { Mtu } from '../../verbs/index.js';
import { type Gid, parseGid } from '../../wire/ib/gid.js';
import type { VirtualTime } from '../time/virtual-time.js';
import { PORT_NUM } from './bring-up.js';
import { GeneralServices } from './general-services.js';
import type { ManagementDevice, ManagementListener } from './management-device.js';

/** Events that may wait for the program when a fault is added to them. */
const MOST_FAULTS = 1024;

/** The management of a device in virtual time: datagrams through the device itself, timers of the simulation. */
export class VirtualManagement implements ManagementDevice {
  readonly gids: readonly Gid[];
  readonly activeMtu: Mtu;
  readonly maxResponderResources: number;
  readonly maxInitiatorDepth: number;
  /** What arrives is served in the same event. */
  readonly backlog = 0;
  readonly random32: () => number;
  private readonly time: VirtualTime;
  private readonly context: BaseContext;
  private readonly services: GeneralServices;
  private readonly timerHandler: number;
  private timer = -1;

  constructor(time: VirtualTime, context: BaseContext, random32: () => number, listener: ManagementListener) {
    const { simulation } = time;
    const { attr, gids } = context.port(PORT_NUM);
    const { maxQpRdAtom, maxQpInitRdAtom } = context.device;
    this.time = time;
    this.context = context;
    this.random32 = random32;
    this.gids = gids.map(parseGid);
    this.activeMtu = attr.activeMtu;
    this.maxResponderResources = Math.min(maxQpRdAtom, 0xff);
    this.maxInitiatorDepth = Math.min(maxQpInitRdAtom, 0xff);
    this.timerHandler = simulation.register(`${context.deviceName}/cm timer`, () => {
      this.timer = -1;
      listener.due();
    });
    // In an event of its own: a completion may appear in the middle of what the device does.
    let scheduled = false;
    const work = simulation.register(`${context.deviceName}/qp 1`, () => {
      scheduled = false;
      this.services.work();
    });
    this.services = new GeneralServices(
      context,
      () => {
        if (!scheduled) simulation.after(0, work);
        scheduled = true;
      },
      (bytes, offset, end, source) => {
        if (listener.urgencyOf(bytes, offset, end, source) !== Urgency.DROPPED)
          listener.received(bytes, offset, end, source);
      },
    );
  }

  get nowNs(): number {
    return this.time.nowNs;
  }

  send(datagram: Uint8Array, to: Gid, gidIndex: number): void {
    this.services.send(datagram, to, gidIndex);
  }

  setTimer(atNs: number): void {
    if (this.timer >= 0) this.time.simulation.cancel(this.timer);
    this.timer = atNs === Number.POSITIVE_INFINITY ? -1 : this.time.timer(atNs, this.timerHandler);
  }

  fault(error: unknown, port: number | null, context: BaseContext | null): void {
    const told = context ?? this.context;
    if (told.asyncEvents.size >= MOST_FAULTS) return;
    const cause = error instanceof Error ? error : new Error(String(error));
    told.raise({ type: 'CM_FAULT', port, error: cause });
  }

  /** Nobody can forge an address in a simulation. */
  withhold(): void {}

  release(): void {}

  waiting(step: 1 | -1): void {
    this.time.waiting(step);
  }

  answered(): void {
    this.time.answered();
  }
}
