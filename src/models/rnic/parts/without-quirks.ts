/** Constants of every device that stand for mechanisms of ConnectX and of the devices that were modelled like it. */
export const withoutQuirks = {
  // No packet of a READ costs more than another, and atomics wait for no READ.
  readNearBytes: 0,
  atomicReadFenceNs: 0,
  atomicFenceWindowNs: 0,
  // Packets that are sent and received share no processors.
  sharedPacketProcessors: 0,
  packetProcessorNs: 0,
  // A doorbell is a pointer and brings no WQE; re-reads of WQEs do not stop the receive engine.
  pushBytes: 0,
  missQueueShare: 0,
  wqeMissTransmitNs: 0,
  // A context is one entry, whatever its queue pair sends.
  readContextEntries: 1,
  contextElements: 0,
  // Control verbs and receives that are not posted hold nobody.
  invalidationHoldNs: 0,
  rnrHoldReliableNs: 0,
  rnrHoldUnreliableNs: 0,
  rnrHoldDatagramNs: 0,
  rnrHoldReliableReach: 0,
  rnrHoldUnreliableReach: 0,
} as const;
