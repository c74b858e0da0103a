import { BUSY, type Ports } from './ports.js';
import { PORT, RECORD_SHIFT, type Records } from './records.js';
import type { Rounding, WireTimes } from './rounding.js';
import type { Wheel } from './wheel.js';

/**
 * Transmission: a port sends a record to its peer. The record itself is the arrival event; the port's own record, which
 * has the port's number, is the event that the wire is free again.
 */
export class Wire {
  /** Frames sent: each is a packet-hop. */
  hops = 0;
  private readonly records: Records;
  private readonly wheel: Wheel;
  private readonly ports: Ports;
  private readonly times: Int32Array;
  private readonly carries: boolean;
  /** Picoseconds that a port's last frame took beyond whole nanoseconds. */
  private readonly remainderPs: Int32Array;

  constructor(records: Records, wheel: Wheel, ports: Ports, times: WireTimes, rounding: Rounding) {
    this.records = records;
    this.wheel = wheel;
    this.ports = ports;
    this.times = times.table;
    this.carries = rounding === 'exact';
    this.remainderPs = new Int32Array(this.carries ? ports.count : 0);
  }

  /** Sends a record of so many bytes. The port must be idle. */
  send(port: number, record: number, bytes: number): void {
    const { ports, wheel } = this;
    let busyNs = this.times[ports.timesBase[port] + bytes];
    if (this.carries) busyNs = this.carry(port, busyNs);
    this.hops++;
    ports.state[port] |= BUSY;
    this.records.words[(record << RECORD_SHIFT) + PORT] = ports.peer[port];
    wheel.after(busyNs, port);
    wheel.after(busyNs + ports.delayNs[port], record);
  }

  private carry(port: number, busyPs: number): number {
    const totalPs = this.remainderPs[port] + busyPs;
    const busyNs = Math.floor(totalPs / 1000);
    this.remainderPs[port] = totalPs - busyNs * 1000;
    return busyNs;
  }
}
