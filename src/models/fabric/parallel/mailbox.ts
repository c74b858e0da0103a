import { RECORD_SHIFT, type Records } from '../core/records.js';

/** In front of the letters: how many there are. */
const HEAD_WORDS = 1;
/** In front of a packet: the port that it arrives at, and how long after the end of the window. */
const LETTER_WORDS = 2;
const RECORD_WORDS = 1 << RECORD_SHIFT;

/** Words that a packet takes in a box. */
export function letterWords(telemetryStride: number): number {
  return LETTER_WORDS + 2 * RECORD_WORDS + telemetryStride;
}

/** Memory for this many packets. */
export function mailboxBuffer(letters: number, telemetryStride: number): SharedArrayBuffer {
  const words = HEAD_WORDS + letters * letterWords(telemetryStride);
  return new SharedArrayBuffer(words * Int32Array.BYTES_PER_ELEMENT);
}

/** Packets on their way from one thread to another: one writes them for a window, the other reads them behind it. */
export class PartMailbox {
  private readonly words: Int32Array;
  private readonly telemetryStride: number;
  private readonly letterWords: number;
  private at = HEAD_WORDS;

  constructor(buffer: SharedArrayBuffer, telemetryStride: number) {
    this.words = new Int32Array(buffer);
    this.telemetryStride = telemetryStride;
    this.letterWords = letterWords(telemetryStride);
  }

  /** Puts a packet in. Room was made for as many as wires can carry in a window. */
  post(records: Records, record: number, port: number, laterNs: number): void {
    const { words, telemetryStride } = this;
    let { at } = this;
    // Memory that is shared takes what lies beyond its end without a word.
    if (at + this.letterWords > words.length)
      throw new Error('more packets than wires can carry in a window');
    words[at++] = port;
    words[at++] = laterNs;
    const from = record << RECORD_SHIFT;
    for (let word = 0; word < RECORD_WORDS; word++) words[at++] = records.words[from + word];
    for (let word = 0; word < RECORD_WORDS; word++) words[at++] = records.ends[from + word];
    for (let word = 0; word < telemetryStride; word++)
      words[at++] = records.telemetry[record * telemetryStride + word];
    this.at = at;
  }

  /** Hands over what was put in, and begins anew. */
  send(): void {
    this.words[0] = this.at;
    this.at = HEAD_WORDS;
  }

  /** Takes every packet out: each goes into the records of its part, and the receiver is told where it lies there. */
  empty(receiver: MailReceiver): void {
    const { words, telemetryStride } = this;
    const end = words[0];
    for (let at = HEAD_WORDS; at < end; ) {
      const port = words[at++];
      const laterNs = words[at++];
      const records = receiver.recordsOf(port);
      const record = records.take();
      const to = record << RECORD_SHIFT;
      for (let word = 0; word < RECORD_WORDS; word++) records.words[to + word] = words[at++];
      for (let word = 0; word < RECORD_WORDS; word++) records.ends[to + word] = words[at++];
      for (let word = 0; word < telemetryStride; word++)
        records.telemetry[record * telemetryStride + word] = words[at++];
      receiver.arrive(record, port, laterNs);
    }
    words[0] = 0;
  }
}

/** Who takes packets out of a box. */
export interface MailReceiver {
  /** The records of the part that a port belongs to. */
  recordsOf(port: number): Records;
  /** A packet is among them, and arrives at a port this long after the end of the window. */
  arrive(record: number, port: number, laterNs: number): void;
}
