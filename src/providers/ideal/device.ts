import { capabilitiesWithout, QpNumbers } from '../../verbs/base/index.js';
import type { Capabilities, DeviceAttr, PortAttr } from '../../verbs/index.js';
import { type Gid, parseGid } from '../../wire/ib/gid.js';
import type { ConnectionService } from '../cm/index.js';
import type { Endpoint } from './endpoint.js';

/** What an ideal device can do: every verb there is. */
export const IDEAL_CAPABILITIES: Capabilities = capabilitiesWithout({
  placements: 'an ideal host has one memory',
  queuePlacements: 'it has nowhere else to put them',
  packets: 'an ideal device carries whole messages',
});

/** Generous limits: an ideal device has no hardware to run out of. */
export const IDEAL_LIMITS: DeviceAttr = {
  maxQp: 1 << 20,
  maxQpWr: 1 << 15,
  maxSge: 32,
  maxSgeRd: 32,
  maxCq: 1 << 20,
  maxCqe: 1 << 22,
  maxMr: 1 << 22,
  maxMrBytes: 2 ** 40,
  maxMw: 1 << 22,
  maxPd: 1 << 20,
  maxAh: 1 << 20,
  maxSrq: 1 << 20,
  maxSrqWr: 1 << 15,
  maxSrqSge: 32,
  maxQpRdAtom: 128,
  maxQpInitRdAtom: 128,
  maxInlineData: 1024,
  maxMessageBytes: 2 ** 31,
  physPortCnt: 1,
};

const PORT: PortAttr = { state: 'ACTIVE', activeMtu: 4096, maxMtu: 4096, gidTableLength: 1 };

/** What the device counts, under the names that mlx5 gives them. */
export interface IdealCounters {
  rx_write_requests: number;
  rx_read_requests: number;
  rx_atomic_requests: number;
  out_of_buffer: number;
  rnr_nak_retry_err: number;
  local_ack_timeout_err: number;
}

/** One device of an ideal fabric, however often it is opened. */
export class IdealDevice {
  readonly name: string;
  readonly gid: string;
  readonly gidBytes: Gid;
  readonly ports: readonly { attr: PortAttr; gids: readonly string[] }[];
  readonly qpNumbers = new QpNumbers();
  /** The ends of its queue pairs' connections, by queue pair number. */
  readonly endpoints: (Endpoint | null)[] = [];
  /** Its connection management, once a program uses it. */
  connections: ConnectionService | null = null;
  readonly counters: IdealCounters = {
    rx_write_requests: 0,
    rx_read_requests: 0,
    rx_atomic_requests: 0,
    out_of_buffer: 0,
    rnr_nak_retry_err: 0,
    local_ack_timeout_err: 0,
  };

  constructor(index: number) {
    this.name = `ideal${index}`;
    const host = index + 1;
    this.gid = `::ffff:10.${(host >> 16) & 0xff}.${(host >> 8) & 0xff}.${host & 0xff}`;
    this.gidBytes = parseGid(this.gid);
    this.ports = [{ attr: PORT, gids: [this.gid] }];
  }

  /** Sum over its queue pairs of the time so far in which they waited because the peer's program had posted no receive. */
  receiveWaitNs(nowNs: number): number {
    return this.endpoints.reduce((sum, endpoint) => sum + (endpoint?.receiveWaitNs(nowNs) ?? 0), 0);
  }
}
