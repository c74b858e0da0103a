import { GSI_QKEY, GSI_QPN } from '../../transport/cm/index.js';
import type { Mtu } from '../../verbs/index.js';
import type { Gid } from '../../wire/index.js';
import type { ManagementListener, ManagementPort } from '../cm/index.js';
import type { SoftwareContext } from './provider.js';

/** The longest that a timer of Node's can be set to; one that is longer fires at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** The management of a software device: real datagrams on queue pair 1, timers and random numbers of the system. */
export class SoftwareManagement implements ManagementPort {
  private readonly context: SoftwareContext;
  private readonly listener: ManagementListener;
  private timer: NodeJS.Timeout | null = null;

  constructor(context: SoftwareContext, listener: ManagementListener) {
    this.context = context;
    this.listener = listener;
    context.software.onManagement = (datagram) => {
      if (datagram.qkey !== GSI_QKEY || datagram.sourceQpn !== GSI_QPN) return;
      const { bytes, payloadOffset, payloadEnd, sourceGid } = datagram;
      listener.received(bytes, payloadOffset, payloadEnd, sourceGid);
    };
  }

  get nowNs(): number {
    return this.context.clock.nowNs;
  }

  get gids(): readonly Gid[] {
    return this.context.software.link.gids;
  }

  get activeMtu(): Mtu {
    return this.context.queryPort(1).activeMtu;
  }

  get maxResponderResources(): number {
    return this.context.device.maxQpRdAtom;
  }

  get maxInitiatorDepth(): number {
    return this.context.device.maxQpInitRdAtom;
  }

  send(datagram: Uint8Array, to: Gid, gidIndex: number): void {
    this.context.software.sendManagement(datagram, to, gidIndex);
  }

  setTimer(atNs: number): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
    if (atNs === Number.POSITIVE_INFINITY) return;
    const delayMs = Math.max(0, Math.ceil((atNs - this.nowNs) / 1e6));
    this.timer = setTimeout(
      () => {
        this.timer = null;
        this.listener.due();
      },
      Math.min(delayMs, LONGEST_TIMER_MS),
    ).unref();
  }

  random32(): number {
    return this.context.random();
  }

  fault(error: unknown, port: number | null): void {
    this.context.software.fault(error, port);
  }

  withhold(qpNum: number, onProof: () => void): void {
    this.context.software.withhold(qpNum, onProof);
  }

  release(qpNum: number): void {
    this.context.software.release(qpNum);
  }

  get setSelective(): ((qpNum: number, selective: boolean) => void) | undefined {
    const { software } = this.context;
    return software.anyPlaced ? (qpNum, selective) => software.setSelective(qpNum, selective) : undefined;
  }

  /** Real time passes by itself. */
  waiting(): void {}

  answered(): void {}
}
