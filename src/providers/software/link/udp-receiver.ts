import { ADDRESS_WORDS, DatagramBatch, SENT_FRAGMENT_WORD } from '../../../link/index.js';
import type { Libc } from './libc.js';
import { CONTROL_BYTES, MessageArray } from './message-array.js';
import {
  ADDRESS_ROOM_BYTES,
  IP_TOS,
  IPPROTO_IP,
  IPPROTO_IPV6,
  IPV6_TCLASS,
  MSG_DONTWAIT,
  MSG_TRUNC,
  SOL_UDP,
  UDP_GRO,
} from './socket-constants.js';
import type { UdpSocket } from './udp-socket.js';

/** Messages of one call. */
const MESSAGES = 32;
/** Room of a message that the kernel put together of a run, and of a single datagram. */
const RUN_BYTES = 65536;
const SINGLE_BYTES = 8192;
/** Shorter than a BTH with its ICRC: no datagram, however many of them a stranger sends in a run. */
const LEAST_BYTES = 16;
const MOST_SEGMENTS = 128;
const CONTROL_HEADER_WORDS = 4;

/** Receives datagrams, many a call, and takes runs that the kernel put together apart again. */
export class UdpReceiver {
  datagrams = 0;
  bytes = 0;
  calls = 0;
  /** Messages that did not fit their room, or were too short to be one of ours. */
  refused = 0;
  readonly batch: DatagramBatch;
  private readonly libc: Libc;
  private readonly fd: number;
  private readonly ipv4: boolean;
  private readonly slotBytes: number;
  private readonly messages: MessageArray;
  private segmentBytes = 0;
  private trafficClass = 0;

  constructor(libc: Libc, socket: UdpSocket, version: 4 | 6) {
    this.libc = libc;
    this.fd = socket.fd;
    this.ipv4 = version === 4;
    this.slotBytes = socket.coalescing ? RUN_BYTES : SINGLE_BYTES;
    const memory = new Uint8Array(MESSAGES * this.slotBytes);
    const segments = socket.coalescing ? MOST_SEGMENTS : 1;
    this.batch = new DatagramBatch(MESSAGES * segments, memory);
    this.messages = new MessageArray(libc, MESSAGES);
    const base = libc.addressOf(memory);
    for (let message = 0; message < MESSAGES; message++) {
      this.messages.setBytes(message, base + message * this.slotBytes, this.slotBytes);
      this.messages.setRoom(message, ADDRESS_ROOM_BYTES, CONTROL_BYTES);
    }
  }

  /** Receives what is there into `batch`; true where there may be more. */
  receive(): boolean {
    const { messages, batch } = this;
    batch.clear();
    const count = this.libc.recvmmsg(this.fd, messages.headers, MESSAGES, MSG_DONTWAIT, null);
    this.calls++;
    for (let message = 0; message < count; message++) {
      this.readControl(message);
      this.split(message);
      messages.setRoom(message, ADDRESS_ROOM_BYTES, CONTROL_BYTES);
    }
    return count === MESSAGES;
  }

  private readControl(message: number): void {
    const { controlWords } = this.messages;
    const first = (message * CONTROL_BYTES) / 4;
    const end = first + this.messages.controlBytesOf(message) / 4;
    this.segmentBytes = 0;
    this.trafficClass = 0;
    for (let at = first; at + CONTROL_HEADER_WORDS < end; ) {
      const level = controlWords[at + 2];
      const type = controlWords[at + 3];
      const data = controlWords[at + CONTROL_HEADER_WORDS];
      if (level === SOL_UDP && type === UDP_GRO) this.segmentBytes = data & 0xffff;
      else if (level === IPPROTO_IP && type === IP_TOS) this.trafficClass = data & 0xff;
      else if (level === IPPROTO_IPV6 && type === IPV6_TCLASS) this.trafficClass = data & 0xff;
      const bytes = controlWords[at];
      if (bytes < 16) return;
      at += ((bytes + 7) & ~7) / 4;
    }
  }

  private split(message: number): void {
    const bytes = this.messages.bytesOf(message);
    const segmentBytes = this.segmentBytes > 0 ? this.segmentBytes : bytes;
    if ((this.messages.flagsOf(message) & MSG_TRUNC) !== 0 || segmentBytes < LEAST_BYTES) {
      this.refused++;
      return;
    }
    const start = message * this.slotBytes;
    this.bytes += bytes;
    for (let at = 0, segment = 0; at < bytes; at += segmentBytes, segment++) {
      if (this.batch.count === this.batch.capacity) {
        this.refused++;
        return;
      }
      this.add(message, start + at, start + Math.min(at + segmentBytes, bytes), segment);
    }
  }

  private add(message: number, offset: number, end: number, segment: number): void {
    const { batch } = this;
    const { names } = this.messages;
    const at = message * ADDRESS_ROOM_BYTES;
    const index = batch.count++;
    batch.offset[index] = offset;
    batch.end[index] = end;
    batch.gidIndex[index] = 0;
    batch.sourcePort[index] = (names[at + 2] << 8) | names[at + 3];
    batch.trafficClass[index] = this.trafficClass;
    // Segments of a run were numbered by their sender's kernel; a single datagram most likely has 0.
    batch.fragmentWord[index] = this.ipv4 ? ((segment << 16) | SENT_FRAGMENT_WORD) >>> 0 : 0;
    const { addressBytes, addressWords } = batch;
    const gidAt = 16 * index;
    if (this.ipv4) {
      addressWords[ADDRESS_WORDS * index] = 0;
      addressWords[ADDRESS_WORDS * index + 1] = 0;
      addressBytes[gidAt + 8] = 0;
      addressBytes[gidAt + 9] = 0;
      addressBytes[gidAt + 10] = 0xff;
      addressBytes[gidAt + 11] = 0xff;
      for (let byte = 0; byte < 4; byte++) addressBytes[gidAt + 12 + byte] = names[at + 4 + byte];
    } else {
      for (let byte = 0; byte < 16; byte++) addressBytes[gidAt + byte] = names[at + 8 + byte];
    }
    this.datagrams++;
  }
}
