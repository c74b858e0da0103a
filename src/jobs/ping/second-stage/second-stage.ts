/** Continuous streams of an RNIC to an endpoint that it reaches at full rate (probes A and B). */
export interface StreamReading {
  readonly rnic: string;
  readonly endpoint: string;
  /** What probes say that the path should give. */
  readonly expectedGbps: number;
  /** Over one queue pair and over several, in Gb/s. */
  readonly one: number;
  readonly four: number;
  readonly sixteen: number;
}

/** Small probes of a path from cores of each socket, and with pauses between them (probe F). */
export interface CoreReading {
  readonly path: number;
  /** By socket. */
  readonly bySocketNs: readonly number[];
  readonly unpausedNs: number;
  readonly pausedNs: number;
}

/** Probes of a path by their size, and small ones that step from page to page through windows (probe E). */
export interface WindowReading {
  readonly path: number;
  readonly windows: readonly { readonly bytes: number; readonly latencyNs: number }[];
  readonly sizes: readonly { readonly bytes: number; readonly gbps: number }[];
}

/** Several RNICs at once through one memory (probe D). */
export interface JointReading {
  readonly endpoint: string;
  readonly rnics: readonly string[];
  /** Reads and writes of all together. */
  readonly gbps: number;
}

/** An endpoint read by an RNIC that writes elsewhere, and the other way round (probe C). */
export interface CrossReading {
  readonly rnic: string;
  readonly endpoint: string;
  readonly other: string;
  readonly readGbps: number;
  readonly writtenGbps: number;
}

/** A path that the first stage left out, which crosses some links of a set and not the others. */
export interface ApartReading {
  readonly path: number;
  readonly gbps: number;
}

/** What the second stage is to ask: only what the first one left open. */
export interface Questions {
  readonly streams: readonly { readonly rnic: string; readonly path: number }[];
  /** Paths. */
  readonly cores: readonly number[];
  /** Paths. */
  readonly windows: readonly number[];
  /** Memories. */
  readonly joint: readonly string[];
  readonly crossed: readonly { readonly path: number; readonly other: string }[];
  /** Paths that tell links apart. */
  readonly apart: readonly number[];
}

/** What the second stage found. */
export interface SecondStage {
  readonly streams: readonly StreamReading[];
  readonly cores: readonly CoreReading[];
  readonly windows: readonly WindowReading[];
  readonly joint: readonly JointReading[];
  readonly crossed: readonly CrossReading[];
  readonly apart: readonly ApartReading[];
}

/** Whether there is anything to ask. */
export function isAsked({ streams, cores, windows, joint, crossed, apart }: Questions): boolean {
  return [streams, cores, windows, joint, crossed, apart].some((each) => each.length > 0);
}
