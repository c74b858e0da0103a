import type { Libc } from './libc.js';
import { ADDRESS_ROOM_BYTES, IOVEC_BYTES, MMSGHDR_BYTES } from './socket-constants.js';

/** Room for control messages of one datagram: three of at most 24 bytes. */
export const CONTROL_BYTES = 96;
const TWO_32 = 2 ** 32;

// Places in `struct mmsghdr` in 32-bit words.
const HEADER_WORDS = MMSGHDR_BYTES / 4;
const NAME = 0;
const NAME_BYTES = 2;
const IOVEC = 4;
const IOVEC_COUNT = 6;
const CONTROL = 8;
const CONTROL_LENGTH = 10;
const FLAGS = 12;
const LENGTH = 14;
const IOVEC_WORDS = IOVEC_BYTES / 4;

/**
 * The structures that sendmmsg and recvmmsg read and write, in flat memory: `struct mmsghdr`, each with one iovec, room
 * for an address and room for control messages. Pointers are set once; a call costs a few words per message.
 */
export class MessageArray {
  readonly count: number;
  /** The array to hand to the system. */
  readonly headers: Uint8Array;
  readonly names: Uint8Array;
  readonly control: Uint8Array;
  readonly controlWords: Uint32Array;
  private readonly words: Uint32Array;
  private readonly iovecs: Uint8Array;
  private readonly iovecWords: Uint32Array;

  constructor(libc: Libc, count: number) {
    this.count = count;
    this.headers = new Uint8Array(count * MMSGHDR_BYTES);
    this.words = new Uint32Array(this.headers.buffer);
    this.names = new Uint8Array(count * ADDRESS_ROOM_BYTES);
    this.control = new Uint8Array(count * CONTROL_BYTES);
    this.controlWords = new Uint32Array(this.control.buffer);
    this.iovecs = new Uint8Array(count * IOVEC_BYTES);
    this.iovecWords = new Uint32Array(this.iovecs.buffer);
    const names = libc.addressOf(this.names);
    const control = libc.addressOf(this.control);
    const iovecs = libc.addressOf(this.iovecs);
    for (let message = 0; message < count; message++) {
      const at = message * HEADER_WORDS;
      setPointer(this.words, at + NAME, names + message * ADDRESS_ROOM_BYTES);
      setPointer(this.words, at + IOVEC, iovecs + message * IOVEC_BYTES);
      this.words[at + IOVEC_COUNT] = 1;
      setPointer(this.words, at + CONTROL, control + message * CONTROL_BYTES);
    }
  }

  /** Where the bytes of a message lie. */
  setBytes(message: number, address: number, bytes: number): void {
    const at = message * IOVEC_WORDS;
    setPointer(this.iovecWords, at, address);
    this.iovecWords[at + 2] = bytes;
    this.iovecWords[at + 3] = 0;
  }

  /** How much of the room for the address and for control messages is used, or may be. */
  setRoom(message: number, nameBytes: number, controlBytes: number): void {
    const at = message * HEADER_WORDS;
    this.words[at + NAME_BYTES] = nameBytes;
    this.words[at + CONTROL_LENGTH] = controlBytes;
    this.words[at + CONTROL_LENGTH + 1] = 0;
    this.words[at + FLAGS] = 0;
  }

  /** Bytes of a message that was received or sent. */
  bytesOf(message: number): number {
    return this.words[message * HEADER_WORDS + LENGTH];
  }

  /** Bytes of control messages that were received. */
  controlBytesOf(message: number): number {
    return this.words[message * HEADER_WORDS + CONTROL_LENGTH];
  }

  /** Flags of a message that was received. */
  flagsOf(message: number): number {
    return this.words[message * HEADER_WORDS + FLAGS];
  }
}

function setPointer(words: Uint32Array, at: number, address: number): void {
  words[at] = address % TWO_32;
  words[at + 1] = Math.floor(address / TWO_32);
}
