import type { Lanes } from '../core/ports/lanes.js';
import type { Ports } from '../core/ports/ports.js';
import { DATA, FLOW, KIND_MASK, META, PORT, RECORD_SHIFT, type Records, SIZE } from '../core/records.js';
import type { Wire } from '../core/wire.js';
import { AckQueues } from './ack-queues.js';
import type { FlowTable } from './flow-table.js';
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
  private readonly flows: FlowTable;
  private readonly acks: AckQueues;
  /** Pause frames of NICs that hold their link; null until there is one. */
  private control: AckQueues | null = null;
  /** The lane whose pause holds acknowledgements; 0 for none. */
  private readonly ackLane: number;

  constructor(parts: {
    records: Records;
    wire: Wire;
    ports: Ports;
    flows: FlowTable;
    lanes: Lanes;
    sender: Sender;
    receiver: Receiver;
    options: NicOptions;
  }) {
    this.records = parts.records;
    this.wire = parts.wire;
    this.ports = parts.ports;
    this.flows = parts.flows;
    this.sender = parts.sender;
    this.receiver = parts.receiver;
    this.acks = new AckQueues(parts.records, parts.ports.hostPorts);
    this.ackLane = parts.lanes.laneOf[parts.options.ackPauseClass];
  }

  /** A flow begins. */
  start(flow: number, port: number): void {
    this.sender.add(flow);
    if (this.ports.isIdle(port)) this.serve(port);
  }

  /** A packet arrives at a host, which answers or goes on by the port of the flow: it may be another. */
  receive(record: number): void {
    const { flows } = this;
    const at = record << RECORD_SHIFT;
    const flow = this.records.ends[at + FLOW];
    if ((this.records.words[at + META] & KIND_MASK) === DATA) {
      if (!this.receiver.receive(record)) return;
      this.acks.push(flows.targetPort[flow], record);
      this.serveIfIdle(flows.targetPort[flow]);
    } else if (this.sender.acknowledge(record)) {
      this.serveIfIdle(flows.sourcePort[flow]);
    }
  }

  private serveIfIdle(port: number): void {
    if (this.ports.isIdle(port)) this.serve(port);
  }

  /** A NIC wakes up to send. */
  onWake(record: number): void {
    const port = this.records.words[(record << RECORD_SHIFT) + PORT];
    const plannedAgoNs = this.sender.wakes(record);
    if (plannedAgoNs >= 0 && this.ports.isIdle(port)) this.serve(port, plannedAgoNs);
  }

  /** Sends a frame before everything else. */
  sendControl(port: number, record: number): void {
    this.control ??= new AckQueues(this.records, this.ports.hostPorts);
    this.control.push(port, record);
    if (this.ports.isIdle(port)) this.serve(port);
  }

  /** A host's port is idle. */
  serve(port: number, plannedAgoNs = 0): void {
    const { ports, acks, control } = this;
    if (control !== null && !control.isEmpty(port)) {
      this.sendNext(port, control);
      return;
    }
    if (acks.isEmpty(port) || (this.ackLane !== 0 && ports.isPaused(port, this.ackLane))) {
      this.sender.serve(port, plannedAgoNs);
      return;
    }
    this.sendNext(port, acks);
  }

  private sendNext(port: number, queues: AckQueues): void {
    const record = queues.shift(port);
    const bytes = this.records.words[(record << RECORD_SHIFT) + SIZE];
    this.ports.sentBytes[port] += bytes;
    this.wire.send(port, record, bytes);
  }
}
