import {
  ADDRESS_WORDS,
  type DatagramBatch,
  type IdentificationBasis,
  isMapped,
} from '../../../link/index.js';
import { ICRC_BYTES, readIcrc, writeIcrc } from '../../../wire/index.js';
import { type IpEndpoint, socketAddressBytes, writeSocketAddress } from './ip-endpoint.js';
import type { Libc } from './libc.js';
import { CONTROL_BYTES, MessageArray } from './message-array.js';
import {
  ADDRESS_ROOM_BYTES,
  EAGAIN,
  EINTR,
  EINVAL,
  EIO,
  IP_TOS,
  IPPROTO_IP,
  IPPROTO_IPV6,
  IPV6_TCLASS,
  MSG_DONTWAIT,
  SOL_UDP,
  UDP_SEGMENT,
} from './socket-constants.js';
import type { UdpSocket } from './udp-socket.js';

/** Messages of one call; each may be a run of datagrams. */
const MESSAGES = 64;
/** The kernel's limits of a run (UDP_MAX_SEGMENTS, and one IP packet). */
const MOST_SEGMENTS = 64;
const MOST_RUN_BYTES = 65000;
/** `struct cmsghdr` is 16 bytes, its data aligned to 8. */
const CONTROL_STEP_WORDS = 6;

/** Sends datagrams: runs of equal ones as one message each, many messages a call. */
export class UdpSender {
  datagrams = 0;
  bytes = 0;
  calls = 0;
  /** Datagrams that the system refused to send at all. */
  errors = 0;
  /** The error of the last of them. */
  lastErrno = 0;
  private readonly libc: Libc;
  private readonly socket: UdpSocket;
  private readonly endpoint: IpEndpoint;
  private readonly port: number;
  private readonly identifications: IdentificationBasis;
  private readonly messages: MessageArray;
  private readonly runs = new Uint16Array(MESSAGES);
  private readonly addresses = new WeakMap<ArrayBufferLike, number>();
  private segmentation: boolean;

  constructor(
    libc: Libc,
    socket: UdpSocket,
    endpoint: IpEndpoint,
    port: number,
    identifications: IdentificationBasis,
  ) {
    this.libc = libc;
    this.socket = socket;
    this.endpoint = endpoint;
    this.port = port;
    this.identifications = identifications;
    this.messages = new MessageArray(libc, MESSAGES);
    this.segmentation = socket.segmentation;
  }

  /** Sends from `from` on; returns the first datagram that found no room. */
  send(batch: DatagramBatch, from: number): number {
    const base = this.addressOf(batch.bytes);
    let next = from;
    while (next < batch.count) {
      const count = this.fill(batch, next, base);
      const sent = this.libc.sendmmsg(this.socket.fd, this.messages.headers, count, MSG_DONTWAIT);
      this.calls++;
      const done = Math.max(0, sent);
      let at = next;
      for (let message = 0; message < count; message++) {
        const taken = message < done;
        const run = this.runs[message];
        if (taken) this.count(batch, at, run);
        // What did not leave will be cut into runs again, so its ICRCs go back to what they were.
        else this.stamp(batch, at, run);
        at += run;
        if (taken) next = at;
      }
      if (sent >= 0) continue;
      const errno = this.libc.errno();
      if (errno === EAGAIN) return next;
      if (errno !== EINTR) next += this.refuse(errno);
    }
    return next;
  }

  /** Cuts datagrams into runs and describes them; returns how many messages there are. */
  private fill(batch: DatagramBatch, from: number, base: number): number {
    let message = 0;
    for (let at = from; at < batch.count && message < MESSAGES; message++) {
      const run = this.runLength(batch, at);
      this.runs[message] = run;
      this.stamp(batch, at, run);
      this.describe(batch, message, at, run, base);
      at += run;
    }
    return message;
  }

  /** How many datagrams from `first` on can leave as one: back to back, equal but for a shorter last. */
  private runLength(batch: DatagramBatch, first: number): number {
    if (!this.segmentation || !this.reaches(batch, first)) return 1;
    const { offset, end, addressWords, trafficClass, count } = batch;
    const bytes = end[first] - offset[first];
    const word = ADDRESS_WORDS * first;
    const most = Math.min(count - first, MOST_SEGMENTS, Math.floor(MOST_RUN_BYTES / bytes));
    let run = 1;
    while (run < most) {
      const at = first + run;
      const length = end[at] - offset[at];
      if (offset[at] !== end[at - 1] || length > bytes || trafficClass[at] !== trafficClass[first]) break;
      const own = ADDRESS_WORDS * at;
      if (
        addressWords[own + 3] !== addressWords[word + 3] ||
        addressWords[own + 2] !== addressWords[word + 2] ||
        addressWords[own + 1] !== addressWords[word + 1] ||
        addressWords[own] !== addressWords[word]
      )
        break;
      run++;
      if (length < bytes) break;
    }
    return run;
  }

  /**
   * The kernel numbers the segments of an IPv4 run 0, 1, 2, … in the identification, which the ICRC covers; XOR makes
   * a second call undo the first.
   */
  private stamp(batch: DatagramBatch, first: number, run: number): void {
    if (run === 1 || this.endpoint.version === 6) return;
    const { bytes, offset, end } = batch;
    for (let segment = 1; segment < run; segment++) {
      const at = first + segment;
      const icrcAt = end[at] - ICRC_BYTES;
      const change = this.identifications.effect(segment << 16, end[at] - offset[at]);
      writeIcrc(bytes, icrcAt, readIcrc(bytes, icrcAt) ^ change);
    }
  }

  private describe(batch: DatagramBatch, message: number, first: number, run: number, base: number): void {
    const { messages, endpoint } = this;
    const { version } = endpoint;
    const start = batch.offset[first];
    messages.setBytes(message, base + start, batch.end[first + run - 1] - start);
    const gidAt = 16 * first;
    writeSocketAddress(
      messages.names,
      message * ADDRESS_ROOM_BYTES,
      version,
      batch.addressBytes,
      gidAt,
      // The system refuses port 0.
      this.reaches(batch, first) ? this.port : 0,
      isLinkLocal(batch.addressBytes, gidAt) ? endpoint.scopeId : 0,
    );
    let words = 0;
    if (batch.trafficClass[first] !== 0) {
      const level = version === 4 ? IPPROTO_IP : IPPROTO_IPV6;
      const type = version === 4 ? IP_TOS : IPV6_TCLASS;
      this.control(message, words, 4, level, type, batch.trafficClass[first]);
      words += CONTROL_STEP_WORDS;
    }
    if (run > 1) {
      const segmentBytes = batch.end[first] - start;
      this.control(message, words, 2, SOL_UDP, UDP_SEGMENT, segmentBytes);
      words += CONTROL_STEP_WORDS;
    }
    messages.setRoom(message, socketAddressBytes(version), 4 * words);
  }

  /** Whether the socket can send to the address at all: one of its own IP version. */
  private reaches(batch: DatagramBatch, index: number): boolean {
    return isMapped(batch.addressBytes, 16 * index) === (this.endpoint.version === 4);
  }

  private control(
    message: number,
    at: number,
    dataBytes: number,
    level: number,
    type: number,
    data: number,
  ): void {
    const words = this.messages.controlWords;
    const first = (message * CONTROL_BYTES) / 4 + at;
    words[first] = 16 + dataBytes;
    words[first + 1] = 0;
    words[first + 2] = level;
    words[first + 3] = type;
    words[first + 4] = data;
    words[first + 5] = 0;
  }

  private count(batch: DatagramBatch, first: number, run: number): void {
    this.datagrams += run;
    this.bytes += batch.end[first + run - 1] - batch.offset[first];
  }

  /** The first message failed for good: its datagrams are lost, unless it was the run that the system did not like. */
  private refuse(errno: number): number {
    const run = this.runs[0];
    if (run > 1 && (errno === EINVAL || errno === EIO)) {
      this.segmentation = false;
      return 0;
    }
    this.errors += run;
    this.lastErrno = errno;
    return run;
  }

  private addressOf(memory: Uint8Array): number {
    let address = this.addresses.get(memory.buffer);
    if (address === undefined) {
      address = this.libc.addressOf(memory) - memory.byteOffset;
      this.addresses.set(memory.buffer, address);
    }
    return address + memory.byteOffset;
  }
}

function isLinkLocal(gid: Uint8Array, at: number): boolean {
  return gid[at] === 0xfe && (gid[at + 1] & 0xc0) === 0x80;
}
