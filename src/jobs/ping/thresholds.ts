/** When something counts as what; Hostping §4 and §5 unless said otherwise. */
export interface Thresholds {
  /** A path is abnormal below (1 - this) of its baseline, or with a latency above (1 + this) of it. */
  readonly abnormal: number;
  /** An endpoint is affinitive to an RNIC that reaches it at this share of its best path, or faster (ours). */
  readonly affinitive: number;
  /** Use of a link above this is an overload. */
  readonly overloaded: number;
  /** An RNIC that carries more than this share of its line rate is busy. */
  readonly busy: number;
  /** Share of a second in which an RNIC paused its peer that raises an alarm. */
  readonly pauseAlarm: number;
  /** Contradictory runs in a row until a link counts as flapping. */
  readonly flappingAfter: number;
  /** How far the capacity localiser's prediction may be off a reading (ours). */
  readonly prediction: number;
}

export const THRESHOLDS: Thresholds = {
  abnormal: 0.2,
  affinitive: 0.95,
  overloaded: 0.9,
  busy: 0.05,
  pauseAlarm: 0.03,
  flappingAfter: 3,
  prediction: 0.07,
};
