import type { CrcUpdate, Link } from '../../../link/index.js';
import type { BaseAddressHandle, BaseContext } from '../../../verbs/base/index.js';
import { sameGid } from '../../../wire/index.js';
import type { QueuePairRecord } from '../device/queue-pair-record.js';
import { Route } from './route.js';

/** The ways of a device to its peers: made once for an address handle, a connection or whoever asked last. */
export class Routes {
  private readonly link: Link;
  private readonly ecnCapable: boolean;
  private readonly crc: CrcUpdate;
  private readonly byHandle = new WeakMap<BaseAddressHandle, Route>();
  private lastManagement: Route | null = null;

  constructor(link: Link, ecnCapable: boolean, crc: CrcUpdate) {
    this.link = link;
    this.ecnCapable = ecnCapable;
    this.crc = crc;
  }

  /** The way of a datagram. */
  ofHandle(handle: BaseAddressHandle): Route {
    let route = this.byHandle.get(handle);
    if (route === undefined) {
      route = this.make(handle.gid, handle.address);
      this.byHandle.set(handle, route);
    }
    return route;
  }

  /** The way of a management datagram. The way back to whoever asked last is likely to be used again. */
  ofManagement(gid: Uint8Array, gidIndex: number): Route {
    const { lastManagement: last } = this;
    if (last !== null && last.gidIndex === gidIndex && sameGid(last.gid, gid)) return last;
    const route = this.make(gid, { dgid: '', sgidIndex: gidIndex });
    this.lastManagement = route;
    return route;
  }

  /** Gives a queue pair the way that its attributes name, unless it has that one. */
  update(record: QueuePairRecord, context: BaseContext): void {
    const { ahAttr } = record.qp.attr;
    if (ahAttr === undefined || record.qp.qpType === 'UD') {
      record.route = null;
      record.routeKey = '';
      return;
    }
    const key = `${ahAttr.dgid} ${ahAttr.sgidIndex ?? 0} ${ahAttr.trafficClass ?? 0}`;
    if (key === record.routeKey) return;
    record.routeKey = key;
    record.route = this.make(context.parseGid(ahAttr.dgid), ahAttr);
  }

  private make(gid: Uint8Array, vector: ConstructorParameters<typeof Route>[2]): Route {
    return new Route(this.link, gid, vector, this.ecnCapable, this.crc);
  }
}
