import { KelpieError } from '../../error.js';

/** A stream of bytes to a peer, such as a TCP connection: what two programs tell each other before RDMA works. */
export interface ByteChannel {
  /** Whether numbers are told as such, and not in text: perftest's way over RDMA-CM. */
  readonly binary?: boolean;
  /** The address of the other end, where the channel is one of RDMA-CM. */
  readonly peerAddress?: string | undefined;
  /** Exactly this many bytes; fails where the stream ends before. */
  read(bytes: number): Promise<Uint8Array>;
  /** Sends them as one piece: peers read messages with one call and want them whole. */
  write(bytes: Uint8Array): Promise<void>;
  /** Done when the peer has ended the stream, or it broke; what came before can still be read. */
  hungUp(): Promise<void>;
  close(): Promise<void>;
}

/** Who connected to whom. The client speaks first. */
export type ExchangeRole = 'client' | 'server';

/** Sends one's own bytes and gives the peer's, as many: the client writes first, the server reads first. */
export async function swap(channel: ByteChannel, role: ExchangeRole, own: Uint8Array): Promise<Uint8Array> {
  if (role === 'client') {
    await channel.write(own);
    return channel.read(own.length);
  }
  const theirs = await channel.read(own.length);
  await channel.write(own);
  return theirs;
}

/** The peer said something that this side does not understand. */
export function exchangeError(field: string, given: unknown, allowed: string): KelpieError {
  return new KelpieError('CANNOT_RUN', 'the peer does not speak the exchange that was expected', {
    field,
    given,
    allowed,
  });
}

const encoder = new TextEncoder();

/** Text as C keeps it: its bytes, then zeros up to `bytes`. */
export function cString(text: string, bytes: number): Uint8Array {
  const room = new Uint8Array(bytes);
  room.set(encoder.encode(text).subarray(0, bytes - 1));
  return room;
}

/** The text before the first zero. */
export function fromCString(bytes: Uint8Array): string {
  const end = bytes.indexOf(0);
  return String.fromCharCode(...bytes.subarray(0, end < 0 ? bytes.length : end));
}
