import type { DmaPath } from '../pcie/dma-path.js';
import type { NicQueuePair } from './queue-pair/nic-queue-pair.js';

/** The send queues of the verbs, as the device takes requests from them. */
export interface SendQueues {
  /** The first request of a send queue that the transport has not taken. */
  firstUntaken(pair: NicQueuePair): number;
  /** Executes the first untaken request, which the device does alone; false where it must wait. */
  executeLocal(pair: NicQueuePair): boolean;
  /** More requests are on chip: the transport may take them. */
  wqesVisible(pair: NicQueuePair): void;
}

/** Where packets go and come from. */
export interface PacketRouter {
  /** The queue pair that an arrived packet is for, null where there is none or it hears another peer. */
  findQueuePair(packet: number): NicQueuePair | null;
  /** Writes where a packet goes: node and class. */
  route(packet: number, pair: NicQueuePair, wqe: number): void;
}

/** The places of the host's memory. */
export interface PlacementPaths {
  /** The way to a placement, by its number. */
  pathTo(placement: number): DmaPath;
}

/** What packets carry. */
export interface PayloadOwner {
  /** A packet ends: frees what its payload refers to. */
  releasePayload(packet: number): void;
}

/** What the device that a model times does for it: the side of the verbs. */
export interface RnicClient extends SendQueues, PacketRouter, PlacementPaths, PayloadOwner {}
