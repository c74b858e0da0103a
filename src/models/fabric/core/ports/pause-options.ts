/** The longest time that a pause frame can ask for (IEEE 802.1Q, 36.1.3.2). */
export const LONGEST_PAUSE_QUANTA = 65_535;

/** How long a pause holds: until its resume comes, as in ns-3, or as IEEE 802.1Q has it. */
export interface PauseOptions {
  /** Quanta of 512 bit times at the rate of the link that is paused. */
  readonly quanta: number;
}

const BITS_PER_QUANTUM = 512;

/** How long a pause of this many quanta holds a link. */
export function pauseNs(quanta: number, rateBps: number): number {
  return Math.max(1, Math.round((quanta * BITS_PER_QUANTUM * 1e9) / rateBps));
}

/** A NIC that holds its link, all the time or for a part of each period: a broken or a slow receiver. */
export interface PauseStorm {
  readonly host: number;
  readonly trafficClass: number;
  readonly fromNs: number;
  readonly untilNs: number;
  /** Of every `periodNs`, `heldNs` are held; all the time unless set. */
  readonly periodNs?: number;
  readonly heldNs?: number;
}
