/** The mechanisms that can be switched off one at a time, to see what they cause. Off means ideal: unbounded or free. */
export const mechanisms = {
  'context-cache': 'QP and CQ contexts are always on chip',
  'translation-cache': 'memory translations are always on chip',
  'receive-wqe-cache': 'receive WQEs posted one by one are always on chip',
  'receive-wqe-window': 'receive WQEs left over from a long post are always on chip',
  'send-wqe-cache': 'fetched send WQEs are never pushed out before they are used',
  'read-response-cost': 'a packet of a long READ response costs the engines no more than any other',
  'engine-shared': 'acknowledgements and re-reads cost the receive engine nothing',
  'pcie-ordering': 'the host orders DMA loosely',
  'cross-socket-link': 'the path to the other socket is as wide as the local one',
  'acs-redirect': 'peer traffic turns around in the PCIe switch',
  'pcie-up-link': 'the PCIe link is twice as fast for DMA writes',
  'transmit-slot-hold': 'a transmit slot is taken when the packet is built, not when its QP is scheduled',
  'burst-grant': 'a long doorbell gets no priority at the port',
  'shared-processors': 'transmit and receive packets of a QP are processed side by side',
  'rnr-hold': 'a message without a receive is refused at once',
  'atomic-fence': 'atomics do not wait for READs that were served just before',
  'invalidation-hold': 'a deregistration does not stop the send scheduler',
  'doorbell-back-pressure': 'a core never waits for a doorbell to be taken',
  'read-credit': 'DMA reads may have any number of bytes outstanding',
} as const;

/** The name of a mechanism. */
export type Mechanism = keyof typeof mechanisms;
