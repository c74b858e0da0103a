/** The mechanisms that can be switched off one at a time, to see what they cause. Off means ideal: unbounded or free. */
export const mechanisms = {
  'context-cache': 'QP and CQ contexts are always on chip',
  'translation-cache': 'memory translations are always on chip',
  'receive-wqe-cache': 'receive WQEs that were posted one by one are always on chip',
  'receive-wqe-window': 'receive WQEs that a long post leaves over are always on chip',
  'send-wqe-cache': 'fetched send WQEs are never pushed out before they are used',
  'read-response-cost': 'a packet of a long READ response costs the engines what any other packet does',
  'engine-shared': 'acknowledgements and re-reads cost the receive engine nothing',
  'pcie-ordering': 'the host orders DMA loosely',
  'cross-socket-link': 'the way to the other socket is as wide as the local one',
  'acs-redirect': 'peer traffic turns around in the PCIe switch',
  'pcie-up-link': 'DMA writes find the PCIe link twice as fast',
  'transmit-slot-hold': 'a transmit slot is taken when the packet is built, not when its QP is scheduled',
  'burst-grant': 'a long doorbell has no right to the port before others',
  'shared-processors': 'transmit and receive packets of a QP are processed side by side',
  'rnr-hold': 'a message without a receive is refused at once',
  'atomic-fence': 'atomics do not wait for READs that were served just before',
  'invalidation-hold': 'a deregistration does not stop the send scheduler',
  'doorbell-back-pressure': 'a core never waits until a doorbell is taken',
  'read-credit': 'any number of DMA read bytes may be outstanding',
} as const;

/** The name of a mechanism. */
export type Mechanism = keyof typeof mechanisms;
