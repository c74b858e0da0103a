import { KelpieError } from '../error.js';

/** 32-bit words of an address as it stands in a batch. */
export const ADDRESS_WORDS = 4;
const ADDRESS_BYTES = 16;

/**
 * RoCEv2 datagrams, each from its BTH to its ICRC, back to back in one buffer, with what IP and UDP say about them in
 * columns: a datagram is a small integer and none is an object.
 *
 * A sender appends with {@link DatagramBatch.open} and {@link DatagramBatch.commit}; datagrams of one length to one
 * address that follow each other without a gap can leave as one piece (UDP segmentation). A batch that is handed to a
 * listener is valid during the call; whoever wants to keep a datagram copies it.
 *
 * @example
 * const at = batch.open(4112);
 * const end = encode(packet, batch.bytes, at);
 * const index = batch.commit(end, addressWords, 0);
 * batch.trafficClass[index] = 2; // ECT(0)
 */
export class DatagramBatch {
  /** Where the datagrams lie. */
  readonly bytes: Uint8Array;
  /** The most datagrams. */
  readonly capacity: number;
  /** How many there are. */
  count = 0;
  /** Where each begins and ends in `bytes`. */
  readonly offset: Uint32Array;
  readonly end: Uint32Array;
  /**
   * The peer's address (where a datagram goes to or came from) in the form of a GID, sixteen bytes each: IPv4 as
   * `::ffff:a.b.c.d`. The words are those bytes in the machine's order: good for comparing and copying only.
   */
  readonly addressBytes: Uint8Array;
  readonly addressWords: Uint32Array;
  /** The row of the link's own addresses (`link.gids`) that a datagram leaves from or arrived at. */
  readonly gidIndex: Uint8Array;
  /** The UDP source port of a datagram that arrived. What is sent leaves from `link.sourcePort`. */
  readonly sourcePort: Uint16Array;
  /** IPv4's type of service or IPv6's traffic class: DSCP in the upper six bits, ECN in the lower two. */
  readonly trafficClass: Uint8Array;
  /**
   * The second word of an arrived IPv4 header: identification, flags, fragment offset. What it was where the link's
   * `abilities.icrc.ipv4` is `full`, a guess elsewhere. What is sent carries `SENT_FRAGMENT_WORD`.
   */
  readonly fragmentWord: Uint32Array;
  /** Where the next datagram will begin. */
  private next = 0;

  /** A batch over memory of one's own, such as memory that a system call reads. */
  constructor(capacity: number, bytes: Uint8Array) {
    this.capacity = capacity;
    this.bytes = bytes;
    this.offset = new Uint32Array(capacity);
    this.end = new Uint32Array(capacity);
    this.addressBytes = new Uint8Array(ADDRESS_BYTES * capacity);
    this.addressWords = new Uint32Array(this.addressBytes.buffer);
    this.gidIndex = new Uint8Array(capacity);
    this.sourcePort = new Uint16Array(capacity);
    this.trafficClass = new Uint8Array(capacity);
    this.fragmentWord = new Uint32Array(capacity);
  }

  /** Whether a datagram of up to this many bytes can be appended. */
  hasRoom(bytes: number): boolean {
    return this.count < this.capacity && this.next + bytes <= this.bytes.length;
  }

  /** Where to write the next datagram, of at most this many bytes; throws where there is no room. */
  open(bytes: number): number {
    if (this.hasRoom(bytes)) return this.next;
    throw new KelpieError('LINK_BATCH_FULL', 'the batch has no room for another datagram', {
      field: 'bytes',
      given: bytes,
      allowed: `${this.bytes.length - this.next} bytes, ${this.capacity - this.count} datagrams`,
    });
  }

  /**
   * Appends the datagram that was written up to `end`, with the peer's address from `words[at]` on. The other columns
   * are zero.
   */
  commit(end: number, words: Uint32Array, at: number): number {
    const index = this.count++;
    this.offset[index] = this.next;
    this.end[index] = end;
    const own = ADDRESS_WORDS * index;
    this.addressWords[own] = words[at];
    this.addressWords[own + 1] = words[at + 1];
    this.addressWords[own + 2] = words[at + 2];
    this.addressWords[own + 3] = words[at + 3];
    this.gidIndex[index] = 0;
    this.sourcePort[index] = 0;
    this.trafficClass[index] = 0;
    this.fragmentWord[index] = 0;
    this.next = end;
    return index;
  }

  /** Appends a copy of a datagram of another batch, all columns included, and returns its index. */
  append(other: DatagramBatch, index: number): number {
    const from = other.offset[index];
    const bytes = other.end[index] - from;
    const at = this.open(bytes);
    this.bytes.set(other.bytes.subarray(from, from + bytes), at);
    const copy = this.commit(at + bytes, other.addressWords, ADDRESS_WORDS * index);
    this.gidIndex[copy] = other.gidIndex[index];
    this.sourcePort[copy] = other.sourcePort[index];
    this.trafficClass[copy] = other.trafficClass[index];
    this.fragmentWord[copy] = other.fragmentWord[index];
    return copy;
  }

  /** Forgets all datagrams. */
  clear(): void {
    this.count = 0;
    this.next = 0;
  }
}
