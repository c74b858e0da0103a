/**
 * What the transport counts, by the names that mlx5 shows under `hw_counters` where it has one. One object serves all
 * endpoints of a device.
 */
export class TransportCounters {
  /** Requests that arrived with a PSN beyond the expected one. */
  out_of_sequence = 0;
  /** Requests that arrived a second time. */
  duplicate_request = 0;
  /** NAKs for a sequence error that the requester received. */
  packet_seq_err = 0;
  /** Responses that showed the requester that an earlier READ's or atomic's response was lost. */
  implied_nak_seq_err = 0;
  /** Times that the requester's acknowledgement timer ran out. */
  local_ack_timeout_err = 0;
  /** Those of them that were waits of adaptive retransmission, and cost no retry. */
  roce_adp_retrans = 0;
  /** RNR NAKs received after the last retry. */
  rnr_nak_retry_err = 0;
  /** RNR NAKs that the responder sent or, on UC and UD, messages dropped for want of a receive. */
  out_of_buffer = 0;
  /** WRITE, READ and atomic requests that the responder received. */
  rx_write_requests = 0;
  rx_read_requests = 0;
  rx_atomic_requests = 0;
  /** Requests that failed with an error of the remote side. */
  req_remote_access_errors = 0;
  req_remote_invalid_request = 0;
  /** Local failures of the requester. */
  req_cqe_error = 0;
  /** Refusals by the responder. */
  resp_remote_access_errors = 0;
  resp_local_length_error = 0;
  resp_cqe_error = 0;
  /** Congestion notifications that reached the sender's rate control. */
  rp_cnp_handled = 0;
  /** Packets that arrived with 'congestion experienced'. */
  np_ecn_marked_roce_packets = 0;
  /** RNR NAKs received. Not a counter of mlx5. */
  rnr_nak_received = 0;
  /** Sequence NAKs sent. Not a counter of mlx5. */
  nak_sent = 0;
  /** Packets of requests that were sent again. Not a counter of mlx5. */
  retransmitted_packets = 0;
  /** Packets that fit no connection or message and were dropped without an answer. Not a counter of mlx5. */
  dropped_packets = 0;
}
