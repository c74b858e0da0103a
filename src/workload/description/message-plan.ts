import type { Random } from '../../engine/index.js';
import { messageLength, type Operation, operationMix, type Tenant, takesReceive } from './description.js';

/** Longest repeating sequence of a mix and a pattern together. */
const MIX_LENGTH = 256;
/** Ethernet 14, IPv4 20, UDP 8, BTH 12, ICRC 4, FCS 4: every RoCEv2 packet, without preamble and gap. */
const PACKET_HEADER_BYTES = 62;
const DETH_BYTES = 8;
const RETH_BYTES = 16;
const AETH_BYTES = 4;
const ATOMIC_ETH_BYTES = 28;
const IMMEDIATE_BYTES = 4;

/** Columns of the running sums. */
const MESSAGES = 0;
const BYTES = 1;
const PACKETS = 2;
const L2_BYTES = 3;
const COLUMNS = 4;

/** What was delivered one way. */
export interface Delivered {
  messages: number;
  bytes: number;
  packets: number;
  /** Payload with all headers and FCS, without preamble and gap. */
  l2Bytes: number;
}

/** Nothing delivered. */
export function nothingDelivered(): Delivered {
  return { messages: 0, bytes: 0, packets: 0, l2Bytes: 0 };
}

/** Packets of a message. */
export function packetsOf(bytes: number, mtu: number): number {
  return Math.max(1, Math.ceil(bytes / mtu));
}

/** Bytes on the wire of the packets that carry a message's data, at L2. */
export function l2BytesOf(operation: Operation, bytes: number, mtu: number, datagram = false): number {
  const packets = packetsOf(bytes, mtu);
  // Only the last packet of a message has padding: every other payload is a whole MTU.
  const padding = (4 - (bytes % 4)) % 4;
  return (
    bytes +
    padding +
    packets * (PACKET_HEADER_BYTES + (datagram ? DETH_BYTES : 0)) +
    extensionBytes(operation, packets)
  );
}

function extensionBytes(operation: Operation, packets: number): number {
  if (operation === 'WRITE') return RETH_BYTES;
  if (operation === 'WRITE_WITH_IMM') return RETH_BYTES + IMMEDIATE_BYTES;
  if (operation === 'SEND_WITH_IMM') return IMMEDIATE_BYTES;
  // The first and the last response carry an AETH.
  if (operation === 'READ') return AETH_BYTES * Math.min(2, packets);
  if (operation === 'COMPARE_SWAP' || operation === 'FETCH_ADD') return ATOMIC_ETH_BYTES;
  return 0;
}

/**
 * The sequence of messages that every sender of a tenant repeats, with running sums: what any stretch of it delivered is
 * known without walking it.
 *
 * Messages that the receiver sees complete (SEND, WRITE with immediate) are counted there, the others at the
 * requester's completion; a READ counts for the way back.
 */
export class MessagePlan {
  readonly length: number;
  readonly operations: readonly Operation[];
  /** Element lengths by position in the sequence. */
  readonly elements: readonly (readonly number[])[];
  readonly bytes: Float64Array;
  readonly mtu: number;
  readonly longestBytes: number;
  /** Mean payload of a message. */
  readonly meanBytes: number;
  private readonly datagram: boolean;
  private readonly forward: Float64Array;
  private readonly reverse: Float64Array;
  private readonly packetEnds: Float64Array;

  constructor(tenant: Tenant, random: Random) {
    const { sizes, mtu } = tenant;
    const mix = operationMix(tenant);
    this.mtu = mtu;
    this.datagram = tenant.transport === 'UD';
    this.length = mix.length === 1 ? sizes.length : sizes.length * Math.ceil(MIX_LENGTH / sizes.length);
    this.operations = sequenceOf(mix, this.length, random);
    const splits = sizes.map((entry) => splitElements(entry, tenant.sge));
    this.elements = this.operations.map((_, index) => splits[index % sizes.length]);
    this.bytes = Float64Array.from(this.operations, (_, index) => messageLength(sizes[index % sizes.length]));
    this.longestBytes = this.bytes.reduce((most, each) => Math.max(most, each), 0);
    this.meanBytes = this.bytes.reduce((sum, each) => sum + each, 0) / this.length;
    this.forward = new Float64Array((this.length + 1) * COLUMNS);
    this.reverse = new Float64Array((this.length + 1) * COLUMNS);
    this.packetEnds = new Float64Array(this.length);
    let packetsSoFar = 0;
    for (let index = 0; index < this.length; index++) {
      const operation = this.operations[index];
      this.accumulate(
        this.forward,
        index,
        operation === 'READ' || takesReceive(operation) ? null : operation,
      );
      this.accumulate(this.reverse, index, operation === 'READ' ? operation : null);
      packetsSoFar += packetsOf(this.bytes[index], mtu);
      this.packetEnds[index] = packetsSoFar;
    }
  }

  /** What goes with a byte of payload, over the whole sequence; null where there is no payload. */
  get perByte(): Omit<Delivered, 'bytes'> | null {
    if (this.longestBytes === 0) return null;
    let packets = 0;
    let l2Bytes = 0;
    for (let index = 0; index < this.length; index++) {
      packets += packetsOf(this.bytes[index], this.mtu);
      l2Bytes += this.l2Bytes(this.operations[index], this.bytes[index]);
    }
    const bytes = this.meanBytes * this.length;
    return { messages: this.length / bytes, packets: packets / bytes, l2Bytes: l2Bytes / bytes };
  }

  /**
   * A random place to begin, each packet of the sequence equally likely: a position, and how many bytes of that message
   * are still to go. Beginning with whole messages would show small messages behind a large one much too late.
   */
  randomStart(random: Random): { position: number; firstBytes: number } {
    const packet = random.nextInt(this.packetEnds[this.length - 1]);
    const position = this.packetEnds.findIndex((end) => packet < end);
    const packetsLeft = this.packetEnds[position] - packet;
    return { position, firstBytes: Math.min(this.bytes[position], packetsLeft * this.mtu) };
  }

  /** Adds what `count` messages from `position` delivered, towards the responder and back. */
  addRange(position: number, count: number, forward: Delivered, reverse: Delivered): void {
    addColumns(this.forward, this.length, position, count, forward);
    addColumns(this.reverse, this.length, position, count, reverse);
  }

  /** Takes back the part of one message that was never sent: a first message that began in its middle. */
  subtractUnsent(position: number, sentBytes: number, forward: Delivered, reverse: Delivered): void {
    const operation = this.operations[position];
    if (takesReceive(operation)) return;
    const whole = this.bytes[position];
    const delivered = operation === 'READ' ? reverse : forward;
    delivered.bytes -= whole - sentBytes;
    delivered.packets -= packetsOf(whole, this.mtu) - packetsOf(sentBytes, this.mtu);
    delivered.l2Bytes -= this.l2Bytes(operation, whole) - this.l2Bytes(operation, sentBytes);
  }

  /** Adds one message that the receiver saw. */
  addReceived(operation: Operation, bytes: number, delivered: Delivered): void {
    delivered.messages++;
    delivered.bytes += bytes;
    delivered.packets += packetsOf(bytes, this.mtu);
    delivered.l2Bytes += this.l2Bytes(operation, bytes);
  }

  private l2Bytes(operation: Operation, bytes: number): number {
    return l2BytesOf(operation, bytes, this.mtu, this.datagram);
  }

  private accumulate(sums: Float64Array, index: number, operation: Operation | null): void {
    const row = index * COLUMNS;
    sums.copyWithin(row + COLUMNS, row, row + COLUMNS);
    if (operation === null) return;
    const bytes = this.bytes[index];
    const next = row + COLUMNS;
    sums[next + MESSAGES] += 1;
    sums[next + BYTES] += bytes;
    sums[next + PACKETS] += packetsOf(bytes, this.mtu);
    sums[next + L2_BYTES] += this.l2Bytes(operation, bytes);
  }
}

function addColumns(
  sums: Float64Array,
  length: number,
  position: number,
  count: number,
  into: Delivered,
): void {
  const all = length * COLUMNS;
  if (sums[all + MESSAGES] === 0) return;
  const end = position + count;
  const turns = Math.floor(end / length);
  const stop = (end - turns * length) * COLUMNS;
  const start = position * COLUMNS;
  into.messages += turns * sums[all + MESSAGES] + sums[stop + MESSAGES] - sums[start + MESSAGES];
  into.bytes += turns * sums[all + BYTES] + sums[stop + BYTES] - sums[start + BYTES];
  into.packets += turns * sums[all + PACKETS] + sums[stop + PACKETS] - sums[start + PACKETS];
  into.l2Bytes += turns * sums[all + L2_BYTES] + sums[stop + L2_BYTES] - sums[start + L2_BYTES];
}

/** Operations in the shares of the mix, in a random order that repeats. */
function sequenceOf(mix: ReturnType<typeof operationMix>, length: number, random: Random): Operation[] {
  const total = mix.reduce((sum, { share }) => sum + share, 0);
  const sequence: Operation[] = [];
  let taken = 0;
  for (const { opcode, share } of mix) {
    taken += share;
    while (sequence.length < Math.round((taken * length) / total)) sequence.push(opcode);
  }
  return mix.length === 1 ? sequence : random.shuffle(sequence);
}

/** A message cut into its elements: as given, or as evenly as whole bytes allow. */
function splitElements(entry: number | readonly number[], sge: number): readonly number[] {
  if (typeof entry !== 'number') return entry;
  const least = Math.floor(entry / sge);
  const longer = entry - least * sge;
  return Array.from({ length: sge }, (_, index) => least + (index < longer ? 1 : 0));
}
