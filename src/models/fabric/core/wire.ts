import type { Transmitter } from '../switching/transmitter.js';
import type { Rounding, WireTimes } from './events/rounding.js';
import type { Wheel } from './events/wheel.js';
import type { Exchange } from './parts/exchange.js';
import { BUSY } from './ports/port-queues.js';
import type { Ports } from './ports/ports.js';
import { PORT, RECORD_SHIFT, type Records } from './records.js';

/**
 * Transmission: a port sends a record to its peer. The record itself is the event of its arrival; the event that the
 * wire is free again has no record: it is the complement of the port's number.
 */
export class Wire implements Transmitter {
  /** Frames sent: each is a packet-hop. */
  hops = 0;
  private readonly records: Records;
  private readonly wheel: Wheel;
  private readonly status: Int32Array;
  private readonly peer: Int32Array;
  private readonly delayNs: Int32Array;
  private readonly timesBase: Int32Array;
  private readonly times: Int32Array;
  private readonly exact: boolean;
  /** Picoseconds that a port's last frame took beyond whole nanoseconds. */
  private readonly remainderPs: Int32Array;
  /** 1 for ports whose peer is in another domain; null if there is one domain. */
  private readonly remote: Uint8Array | null;
  private readonly exchange: Exchange;

  constructor(parts: {
    records: Records;
    wheel: Wheel;
    ports: Ports;
    times: WireTimes;
    rounding: Rounding;
    remote: Uint8Array | null;
    exchange: Exchange;
  }) {
    const { ports } = parts;
    this.records = parts.records;
    this.wheel = parts.wheel;
    this.status = ports.status;
    this.peer = ports.peer;
    this.delayNs = ports.delayNs;
    this.timesBase = ports.timesBase;
    this.times = parts.times.table;
    this.exact = parts.rounding === 'exact';
    this.remainderPs = new Int32Array(this.exact ? ports.count : 0);
    this.remote = parts.remote;
    this.exchange = parts.exchange;
  }

  get nowNs(): number {
    return this.wheel.nowNs;
  }

  /** Sends a record of this many bytes. The port must be idle. */
  send(port: number, record: number, bytes: number): void {
    const { wheel } = this;
    const peer = this.peer[port];
    let busyNs = this.times[this.timesBase[port] + bytes];
    if (this.exact) busyNs = this.carryOver(port, busyNs);
    this.hops++;
    this.status[port] |= BUSY;
    wheel.after(busyNs, ~port);
    if (this.remote !== null && this.remote[port] !== 0) {
      this.exchange.carry(this.records, record, peer, wheel.nowNs + busyNs + this.delayNs[port]);
      this.records.free(record);
      return;
    }
    this.records.words[(record << RECORD_SHIFT) + PORT] = peer;
    wheel.after(busyNs + this.delayNs[port], record);
  }

  private carryOver(port: number, busyPs: number): number {
    const totalPs = this.remainderPs[port] + busyPs;
    const busyNs = Math.floor(totalPs / 1000);
    this.remainderPs[port] = totalPs - busyNs * 1000;
    return busyNs;
  }
}
