/**
 * Why a connection was rejected: the codes that librdmacm gives as the status of a REJECTED event (IBTA vol. 1, 12.6.7.2),
 * those that a program meets.
 */
export const REJECT_REASON = {
  NO_RESOURCES: 3,
  /** The other program did not answer in time. */
  TIMEOUT: 4,
  UNSUPPORTED: 5,
  /** Nobody listens at the port. */
  INVALID_SERVICE_ID: 8,
  INVALID_TRANSPORT_TYPE: 9,
  /** The queue pair has a connection already, as the other side sees it. */
  STALE_CONN: 10,
  INVALID_GID: 12,
  INVALID_MTU: 26,
  /** The other program said no. */
  CONSUMER_DEFINED: 28,
} as const;
