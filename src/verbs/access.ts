/**
 * What a memory region, a memory window or a queue pair lets others do: libibverbs' access flags, same bits.
 *
 * @example
 * const mr = pd.regMr(buffer, Access.LOCAL_WRITE | Access.REMOTE_WRITE);
 */
export const Access = {
  LOCAL_WRITE: 1 << 0,
  REMOTE_WRITE: 1 << 1,
  REMOTE_READ: 1 << 2,
  REMOTE_ATOMIC: 1 << 3,
  /** Memory windows may be bound to the region. */
  MW_BIND: 1 << 4,
  /** Remote addresses are offsets from zero, not virtual addresses. */
  ZERO_BASED: 1 << 5,
  /** The device may reorder the PCIe writes to this region. */
  RELAXED_ORDERING: 1 << 20,
} as const;

/** Every bit that {@link Access} knows. */
export const ACCESS_ALL = Object.values(Access).reduce((all, bit) => all | bit, 0);

/** The rights that a peer can be given. */
export const ACCESS_REMOTE = Access.REMOTE_WRITE | Access.REMOTE_READ | Access.REMOTE_ATOMIC;
