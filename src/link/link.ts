import type { DatagramBatch } from './datagram-batch.js';

/** How much of an arrived packet's ICRC a link lets its device verify. */
export type IcrcStrictness =
  /** All 32 bits: every field that the ICRC covers is known. */
  | 'full'
  /** The IPv4 identification is not seen and is solved for, which leaves 16 of the 32 bits. */
  | '16 bits'
  /** Nothing can be said. */
  | 'none';

/** How many datagrams a link moves with one call of the system. */
export type Batching =
  /** Many, and runs of equal ones as one piece (UDP segmentation offload). */
  | 'segmentation'
  /** Many (sendmmsg, recvmmsg). */
  | 'batches'
  /** One. */
  | 'single';

/** What a link can do. */
export interface LinkAbilities {
  /** Arrived datagrams have their ECN bits in `trafficClass`. */
  readonly ecnRead: boolean;
  /** Sent datagrams carry their `trafficClass`. */
  readonly ecnSet: boolean;
  /** How strictly the ICRC of what arrives can be verified, by IP version. */
  readonly icrc: { readonly ipv4: IcrcStrictness; readonly ipv6: IcrcStrictness };
  /**
   * Whether what is sent carries exactly the IP fields that the device computes its ICRC with (IPv4 identification 0).
   * Where not, only peers that solve for the identification accept it.
   */
  readonly icrcSent: { readonly ipv4: boolean; readonly ipv6: boolean };
  /** The longest datagram, from BTH to ICRC. */
  readonly maxDatagramBytes: number;
  readonly batching: Batching;
  /**
   * Bytes that the system keeps for the link while its process is busy; absent where that is not known. Peers are taken
   * to have as much.
   */
  readonly receiveBufferBytes?: number;
  /** What the link cannot do, a sentence each, for people. */
  readonly limits: readonly string[];
}

/** The identification (0), flags (don't fragment) and fragment offset (0) of every IPv4 packet that is sent. */
export const SENT_FRAGMENT_WORD = 0x00004000;

/** What a link tells its owner. */
export interface LinkListener {
  /** Datagrams arrived. The batch is the link's again when the call returns; no call may throw. */
  received(batch: DatagramBatch): void;
  /** `send` took less than it was given before, and would take more now. */
  writable(): void;
  /** The link failed and will carry nothing more. */
  failed(error: Error): void;
}

/**
 * Something that carries RoCEv2 datagrams: BTH to ICRC, the payload of UDP port 4791. Sockets, Ethernet frames and a
 * test's loopback are links; capture, faults and statistics are links around another link.
 *
 * ICRCs are computed and verified above the link, so that a middleware that changes bytes is found out as a network
 * would be, and a capture shows them as they were sent.
 *
 * @example
 * link.start({ received: (batch) => device.receive(batch), writable: () => device.flush(), failed: stop });
 * const taken = link.send(batch, 0);
 */
export interface Link {
  /** For people, such as `udp 127.0.0.1:4791`. */
  readonly name: string;
  readonly abilities: LinkAbilities;
  /** The link's own addresses: the GID table of a device on it. */
  readonly gids: readonly Uint8Array[];
  /** The UDP source port of what is sent. */
  readonly sourcePort: number;
  /** The UDP port that it listens at, and sends to: 4791 unless somebody chose another for all. */
  readonly port: number;
  /**
   * A batch to fill for `send`: its memory is where the link can send from without a copy. A link takes batches of
   * other origin too. The caller owns it until the link is closed.
   */
  createBatch(capacity: number, bytes: number): DatagramBatch;
  /** Begins to receive. Called once, before anything is sent. */
  start(listener: LinkListener): void;
  /**
   * Sends datagrams from `from` on and returns the index of the first that was not taken: `batch.count` where all were,
   * less where the link is full for now (`writable` will be called). What was taken is copied or gone at the return.
   * A datagram that cannot be sent at all (no route, too long) is taken and counted.
   */
  send(batch: DatagramBatch, from: number): number;
  /**
   * Looks for arrived datagrams now, without waiting, and hands them to the listener; true where there were some. A
   * link that only hears through events returns false.
   */
  poll(): boolean;
  /**
   * The owner's connections sent or received: more will come soon, and a link that can looks for it without sleeping.
   * What strangers send must not keep a device awake, so that the link does not decide this by itself.
   */
  expect?(): void;
  /** What it counts, by name, such as `link_rx_datagrams`. */
  counters(): Readonly<Record<string, number>>;
  /** Ends it; nothing is received any more. */
  close(): Promise<void>;
}
