/** How far an arrived packet is, as bits of its `stage`. */
export const Stage = {
  CONTEXT: 1,
  TRANSLATION: 2,
  RECEIVE: 4,
  DESCRIPTOR: 8,
  LOOPBACK: 16,
  LOST: 32,
  DROPPED: 64,
  /** The scatter list of a READ was asked for while its response waited behind another. */
  LIST: 128,
} as const;
