/**
 * What a device counts besides the transport's counters: the diagnostic counters that Collie drives high, by the names
 * of NEO-Host where it has one (spaces as underscores), and what ethtool shows.
 */
export class RnicCounters {
  receive_wqe_cache_hit = 0;
  receive_wqe_cache_miss = 0;
  /** Chunks of a receive window that had been overwritten when they were needed. Not a counter of NEO-Host. */
  receive_wqe_window_miss = 0;
  icm_cache_hit = 0;
  icm_cache_miss = 0;
  mtt_cache_hit = 0;
  mtt_cache_miss = 0;
  /** Send WQEs that were read a second time. Not a counter of NEO-Host. */
  send_wqe_cache_miss = 0;
  /** Send WQEs that a device without a cache of them fetched, their bytes, and those of them that it dropped unused. */
  send_wqes_fetched = 0;
  send_wqe_read_bytes = 0;
  send_wqes_dropped = 0;
  /** Events to host software that keeps the bitmaps of losses, bytes of them and of its commands, and its thread's time. */
  slow_path_events = 0;
  slow_path_bytes = 0;
  slow_path_ns = 0;
  /** Times that an event found the queue of software full. */
  slow_path_full = 0;
  /** Packets that the device itself dropped for want of a receive descriptor. */
  rx_dropped_no_descriptor = 0;
  /** Packets for no queue pair or from a stranger. */
  rx_steer_missed_packets = 0;
  rx_bytes_phy = 0;
  rx_packets_phy = 0;
  tx_bytes_phy = 0;
  tx_packets_phy = 0;
  vport_loopback_bytes = 0;
  vport_loopback_packets = 0;
  /** Payload bytes of WRITE, SEND and READ responses that were placed in memory. */
  rx_goodput_bytes = 0;
  rx_goodput_packets = 0;
  np_cnp_sent = 0;
  /** Picoseconds that the receive engine worked, and that it stood still for a receive WQE or an RNR. */
  engine_busy_ps = 0;
  engine_stalled_ps = 0;
  /** Picoseconds that received packets took to pass the processors that they share with packets to be sent. */
  receive_processor_ps = 0;
  /** Messages that arrived with no receive posted. */
  rnr_holds = 0;
  doorbells = 0;
  /** WQEs that the device did alone: WAIT, ENABLE, binds and the like. Not a counter of NEO-Host. */
  local_wqes = 0;
  /** Picoseconds that cores waited for the device to take their doorbells. */
  doorbell_stalled_ps = 0;
  /** Control verbs that touched the translation cache while there was traffic. */
  registrations = 0;
  deregistrations = 0;
  /** Picoseconds that the send scheduler stood still for them. */
  scheduler_held_ps = 0;
}
