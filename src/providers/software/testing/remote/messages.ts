import { readSync, writeSync } from 'node:fs';
import { deserialize, serialize } from 'node:v8';
import type { MemoryChange } from './memory-mirror.js';

/** A memory that is passed by identity: the bytes come with its first mention. */
export interface MemoryReference {
  $memory: number;
  byteOffset: number;
  length: number;
  /** All bytes of its buffer, where the other side does not have it yet. */
  all?: Uint8Array;
  shared?: boolean;
}

/** What the test's process asks of the other. */
export interface Call {
  /** 0 asks for nothing but news of memory; -1 opens a device; -2 forgets all; -3 aborts a signal. */
  target: number;
  member: string;
  /** Absent where a property is read. */
  args?: unknown[];
  changes: MemoryChange[];
}

/** Its answer. */
export interface Answer {
  value?: unknown;
  error?: ErrorImage;
  changes: MemoryChange[];
}

/** An error that crossed a process. */
export interface ErrorImage {
  code?: string;
  message: string;
  field?: string;
  given?: unknown;
  allowed?: string;
  badWrIndex?: number;
  /** Of a connection that was rejected. */
  reason?: number;
  privateData?: Uint8Array;
}

const LENGTH_BYTES = 4;

/** Writes a message to a descriptor, whole. */
export function writeMessage(fd: number, message: unknown): void {
  const body = serialize(message);
  const framed = Buffer.alloc(LENGTH_BYTES + body.length);
  framed.writeUInt32LE(body.length, 0);
  body.copy(framed, LENGTH_BYTES);
  for (let at = 0; at < framed.length; ) at += writeSync(fd, framed, at);
}

/** Waits for a message from a descriptor; null at its end. */
export function readMessage(fd: number): unknown {
  const length = readBytes(fd, LENGTH_BYTES);
  if (length === null) return null;
  const body = readBytes(fd, length.readUInt32LE(0));
  return body === null ? null : deserialize(body);
}

function readBytes(fd: number, count: number): Buffer | null {
  const bytes = Buffer.alloc(count);
  for (let at = 0; at < count; ) {
    const got = readSync(fd, bytes, at, count - at, null);
    if (got === 0) return null;
    at += got;
  }
  return bytes;
}

/** Takes messages out of pieces as they arrive. */
export class MessageSplitter {
  private pending = Buffer.alloc(0);

  /** Adds a piece and returns the messages that are complete. */
  add(piece: Buffer): unknown[] {
    this.pending = Buffer.concat([this.pending, piece]);
    const messages: unknown[] = [];
    while (this.pending.length >= LENGTH_BYTES) {
      const end = LENGTH_BYTES + this.pending.readUInt32LE(0);
      if (this.pending.length < end) break;
      messages.push(deserialize(this.pending.subarray(LENGTH_BYTES, end)));
      this.pending = this.pending.subarray(end);
    }
    return messages;
  }
}
