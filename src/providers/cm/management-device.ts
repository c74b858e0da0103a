import type { BaseContext } from '../../verbs/base/index.js';
import type { Mtu } from '../../verbs/index.js';
import type { Gid } from '../../wire/ib/gid.js';

/** What connection management needs of a device: datagrams between queue pairs 1, a timer, time and randomness. */
export interface ManagementDevice {
  readonly nowNs: number;
  /** The device's own addresses, by row of its GID table. */
  readonly gids: readonly Gid[];
  readonly activeMtu: Mtu;
  /** READs and atomics that a queue pair can serve, and keep in flight, at a time. */
  readonly maxResponderResources: number;
  readonly maxInitiatorDepth: number;
  /** Sends 256 bytes from queue pair 1 to queue pair 1 of an address; they may be lost. */
  send(datagram: Uint8Array, to: Gid, gidIndex: number): void;
  /** Calls `due` at this time and not before; a later call replaces an earlier one, infinity means never. */
  setTimer(atNs: number): void;
  /** Datagrams that arrived and that `received` has not been called with yet. */
  readonly backlog: number;
  /** 32 bits; where strangers can reach the device, bits that they cannot guess. */
  random32(): number;
  /**
   * Something threw while a datagram or a timer was served, mostly a program's handler of requests at a port: counted,
   * and told to the program that has the context.
   */
  fault(error: unknown, port: number | null, context: BaseContext | null): void;
  /**
   * Sends no request of a queue pair until `release`: its peer's address is what anybody may have written into a
   * request. Calls `onProof` where a packet comes that only the owner of the address can have sent.
   */
  withhold(qpNum: number, onProof: () => void): void;
  /** The peer's address is proven: what the program posted meanwhile goes out. */
  release(qpNum: number): void;
  /**
   * Gives a queue pair before RTR the loss recovery that was agreed on with its peer: selective repeat, or go-back-N. Absent
   * where the device has nothing to agree on.
   */
  readonly setSelective?: ((qpNum: number, selective: boolean) => void) | undefined;
  /** A program begins (1) or ends (-1) to wait for something: a virtual clock lets time pass meanwhile. */
  waiting(step: 1 | -1): void;
  /** A program that waited can go on: a virtual clock gives it a turn before time passes. */
  answered(): void;
}

/** What connection management does for a device. */
export interface ManagementListener {
  /** What a datagram that arrived is (`Urgency`); asked once for each, before `received`, or instead where it is dropped. */
  urgencyOf(bytes: Uint8Array, offset: number, end: number, source: Gid): number;
  /**
   * A datagram that arrived at queue pair 1 from queue pair 1 of `source`, now or a little earlier; the bytes are valid
   * during the call.
   */
  received(bytes: Uint8Array, offset: number, end: number, source: Gid): void;
  /** The time that `setTimer` named has come. */
  due(): void;
}
