import type { Ports } from '../core/ports.js';
import { DATA, KIND_MASK, META, PORT, RECORD_SHIFT, type Records, SIZE } from '../core/records.js';
import type { Wire } from '../core/wire.js';
import { AckQueues } from './ack-queues.js';
import type { NicOptions } from './nic-options.js';
import type { Receiver } from './receiver.js';
import type { Sender } from './sender.js';

/** The light NICs of a fabric, one per port of a host: acknowledgements go first, then the flows take turns. */
export class LightNics {
  readonly sender: Sender;
  readonly receiver: Receiver;
  private readonly records: Records;
  private readonly wire: Wire;
  private readonly ports: Ports;
  private readonly acks: AckQueues;
  private readonly ackPauseBit: number;

  constructor(parts: {
    records: Records;
    wire: Wire;
    ports: Ports;
    sender: Sender;
    receiver: Receiver;
    options: NicOptions;
  }) {
    this.records = parts.records;
    this.wire = parts.wire;
    this.ports = parts.ports;
    this.sender = parts.sender;
    this.receiver = parts.receiver;
    this.acks = new AckQueues(parts.records, parts.ports.hostPorts);
    this.ackPauseBit = 1 << parts.options.ackPauseClass;
  }

  /** A flow begins. */
  start(flow: number, port: number): void {
    this.sender.add(flow);
    if (this.ports.state[port] === 0) this.serve(port);
  }

  /** A packet arrives at a host. */
  receive(record: number, port: number): void {
    if ((this.records.words[(record << RECORD_SHIFT) + META] & KIND_MASK) === DATA) {
      if (!this.receiver.receive(record)) return;
      this.acks.push(port, record);
    } else if (!this.sender.acknowledge(record, port)) {
      return;
    }
    if (this.ports.state[port] === 0) this.serve(port);
  }

  /** A NIC wakes up to send. */
  onWake(record: number): void {
    const port = this.records.words[(record << RECORD_SHIFT) + PORT];
    if (this.sender.wakes(record) && this.ports.state[port] === 0) this.serve(port);
  }

  /** A host's port is idle. */
  serve(port: number): void {
    const { ports, acks } = this;
    if (acks.isEmpty(port) || (ports.paused[port] & this.ackPauseBit) !== 0) {
      this.sender.serve(port);
      return;
    }
    const record = acks.shift(port);
    const bytes = this.records.words[(record << RECORD_SHIFT) + SIZE];
    ports.sentBytes[port] += bytes;
    this.wire.send(port, record, bytes);
  }
}
