/** What posting and polling cost whoever does it, in nanoseconds of its own time. */
export interface PostingCosts {
  /** A call that posts, however many requests it brings. */
  readonly postNs: number;
  /** A send request. */
  readonly wqeNs: number;
  /** An element of a send request beyond the first. */
  readonly elementNs: number;
  /** A receive. */
  readonly receiveWqeNs: number;
  /** The store that rings the doorbell. */
  readonly doorbellNs: number;
  /** A completion that is found. */
  readonly pollNs: number;
}

/** The way of a poster's stores to the device's doorbell page. */
export interface DoorbellPath {
  /** From the store to the device. */
  readonly latencyNs: number;
  /** Whether stores are combined, so that a short request can travel inside its doorbell. */
  readonly writeCombining: boolean;
}

/**
 * Whoever posts work requests and rings doorbells: a core of the host; later a thread block of a GPU or a core of a DPU.
 * Its time runs ahead of the device's while one of its steps is executed.
 */
export interface Poster {
  readonly costs: PostingCosts;
  readonly doorbell: DoorbellPath;
  /** Where it is in its own time, in picoseconds on the device's clock. */
  readonly timePs: number;
  /** It works for this long. */
  charge(costPs: number): void;
}
