import type { BufferPolicy, BufferPorts } from './buffer-policy.js';

/** The constants of the shared buffer of HPCC's simulator. */
export interface Ns3BufferOptions {
  readonly bufferBytes: number;
  /** The rate of hosts: faster ports get a larger share of the free memory. */
  readonly nicBps: number;
  /** Bytes of each queue that are its own. */
  readonly reserveBytes: number;
  /** How far below the threshold a paused queue must fall. */
  readonly resumeOffsetBytes: number;
  /** A queue may take the free memory shifted right by this, at the rate of hosts. */
  readonly shareShift: number;
  /** Headroom in products of rate and delay of the port's link. */
  readonly headroomDelays: number;
  /** Whether a queue over its threshold pauses its sender; if not, there is no headroom and it drops. True unless set. */
  readonly lossless?: boolean;
}

/**
 * The switch of HPCC's simulator: dynamic thresholds per ingress queue, a reserve each, and a headroom of three
 * products of bandwidth and delay per port. Sums are of 32 bits without a sign: a buffer smaller than its headroom
 * wraps around to a huge threshold there, and so it does here.
 */
export class Ns3Buffer implements BufferPolicy {
  /** Per ingress queue: bytes in its reserve and in shared memory, then bytes in its headroom. */
  private readonly books: Int32Array;
  private readonly paused: Uint8Array;
  private readonly queueShift: number;
  /** Whether the shared memory of a switch was ever all but used up: then even an empty queue is paused. */
  private tight = false;
  private readonly headroomLimit: Int32Array;
  private readonly shift: Uint8Array;
  private readonly node: Int32Array;
  /** Per node: memory less headrooms and reserves, and what of it is taken. */
  private readonly freeBytes: Int32Array;
  private readonly sharedBytes: Int32Array;
  private readonly reserveBytes: number;
  private readonly resumeOffsetBytes: number;
  private readonly lossless: boolean;

  constructor(ports: BufferPorts, nodes: number, options: Ns3BufferOptions) {
    const queues = ports.count << ports.queueShift;
    this.queueShift = ports.queueShift;
    this.books = new Int32Array(2 * queues);
    this.paused = new Uint8Array(queues);
    this.headroomLimit = new Int32Array(ports.count);
    this.shift = new Uint8Array(ports.count);
    this.node = ports.node;
    this.freeBytes = new Int32Array(nodes).fill(options.bufferBytes);
    this.sharedBytes = new Int32Array(nodes);
    this.reserveBytes = options.reserveBytes;
    this.resumeOffsetBytes = options.resumeOffsetBytes;
    this.lossless = options.lossless ?? true;
    for (let port = ports.hostPorts; port < ports.count; port++) {
      const rateBps = ports.rateBps[port];
      const perDelay = Math.floor((rateBps * ports.delayNs[port]) / 8 / 1e9);
      this.headroomLimit[port] = this.lossless ? perDelay * options.headroomDelays : 0;
      this.shift[port] = shiftOf(rateBps, options);
      this.freeBytes[ports.node[port]] -= this.headroomLimit[port] + options.reserveBytes;
    }
  }

  passes(ingressQueue: number, bytes: number): boolean {
    const { books } = this;
    return (
      books[ingressQueue << 1] === 0 &&
      books[(ingressQueue << 1) + 1] === 0 &&
      bytes <= this.reserveBytes &&
      (!this.tight || this.threshold(ingressQueue >> this.queueShift) > 0)
    );
  }

  admit(ingressQueue: number, _egressQueue: number, bytes: number): boolean {
    const { books } = this;
    const at = ingressQueue << 1;
    const port = ingressQueue >> this.queueShift;
    const held = books[at];
    const threshold = this.threshold(port);
    if (bytes + books[at + 1] > this.headroomLimit[port] && bytes + this.overReserve(held) > threshold)
      return false;
    const grown = held + bytes;
    const over = grown - this.reserveBytes;
    if (over <= 0) {
      books[at] = grown;
    } else if (over > threshold) {
      books[at + 1] += bytes;
    } else {
      books[at] = grown;
      this.sharedBytes[this.node[port]] += bytes < over ? bytes : over;
      if (this.threshold(port) === 0) this.tight = true;
    }
    return true;
  }

  pauses(ingressQueue: number): boolean {
    if (!this.lossless || this.paused[ingressQueue] !== 0) return false;
    if (
      this.books[(ingressQueue << 1) + 1] === 0 &&
      this.overReserve(this.books[ingressQueue << 1]) < this.threshold(ingressQueue >> this.queueShift)
    )
      return false;
    this.paused[ingressQueue] = 1;
    return true;
  }

  release(ingressQueue: number, _egressQueue: number, bytes: number): void {
    const { books } = this;
    const at = ingressQueue << 1;
    const inHeadroom = books[at + 1];
    const fromHeadroom = inHeadroom < bytes ? inHeadroom : bytes;
    const rest = bytes - fromHeadroom;
    const held = books[at];
    const over = this.overReserve(held);
    books[at + 1] = inHeadroom - fromHeadroom;
    books[at] = held - rest;
    this.sharedBytes[this.node[ingressQueue >> this.queueShift]] -= rest < over ? rest : over;
  }

  resumes(ingressQueue: number): number {
    if (this.paused[ingressQueue] === 0 || this.books[(ingressQueue << 1) + 1] > 0) return -1;
    const over = this.overReserve(this.books[ingressQueue << 1]);
    if (over > 0 && over + this.resumeOffsetBytes > this.threshold(ingressQueue >> this.queueShift))
      return -1;
    this.paused[ingressQueue] = 0;
    return ingressQueue;
  }

  headroomLeft(ingressQueue: number): number {
    return this.headroomLimit[ingressQueue >> this.queueShift] - this.books[(ingressQueue << 1) + 1];
  }

  heldBytes(): number {
    return sumOf(this.books) + sumOf(this.sharedBytes);
  }

  isPaused(ingressQueue: number): boolean {
    return this.paused[ingressQueue] !== 0;
  }

  pausedQueues(): number {
    return sumOf(this.paused);
  }

  private threshold(port: number): number {
    const node = this.node[port];
    return (this.freeBytes[node] - this.sharedBytes[node]) >>> this.shift[port];
  }

  private overReserve(bytes: number): number {
    const over = bytes - this.reserveBytes;
    return over > 0 ? over : 0;
  }
}

/** Each halving of a port's rate down to the hosts' takes one off the shift. */
function shiftOf(rateBps: number, { shareShift, nicBps }: Ns3BufferOptions): number {
  let shift = shareShift;
  for (let rate = rateBps; rate > nicBps && shift > 0; rate = Math.floor(rate / 2)) shift--;
  return shift;
}

function sumOf(column: Int32Array | Uint8Array): number {
  let sum = 0;
  for (let index = 0; index < column.length; index++) sum += column[index];
  return sum;
}
