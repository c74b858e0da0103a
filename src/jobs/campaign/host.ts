/** What is asked of a machine. */
export interface HostRequest {
  readonly processes: number;
  readonly repetitions: number;
  readonly signal?: AbortSignal;
}

/** What a machine says of itself, and how its processes reach each other: plain data. */
export interface HostExamination {
  /** What its own programs admit to, as faults of `kelpie ping`; null where it could not be asked. */
  readonly admitted: readonly string[] | null;
  /** Why it could not, and which sources gave nothing. */
  readonly notes: readonly string[];
  /** Processes, or pairs of them, that stand out. */
  readonly findings: readonly string[];
  /** Medians over all pairs of processes: a small WRITE there and back, and the rate of large ones. */
  readonly smallUs: number | null;
  readonly largeGbps: number | null;
}

/** Examines the machine that it runs on: there is none in a browser. */
export type HostExaminer = (request: HostRequest) => Promise<HostExamination>;

/** What is asked of the way from this machine to another. */
export interface WayRequest {
  /** The label of the other one. */
  readonly to: string;
  readonly repetitions: number;
  readonly signal?: AbortSignal;
}

/** How this machine reaches another over software devices: medians of a small WRITE there and back, and of large ones. */
export interface WayExamination {
  readonly smallUs: number;
  readonly largeGbps: number;
  /** Where the other end was. */
  readonly address: string;
}

/** Probes the way to another machine; throws with the reason where there is none. */
export type WayProber = (request: WayRequest) => Promise<WayExamination>;

/** What labels of machines begin with. */
export const HOST_LABEL = 'host-';
/** What workers with a real RNIC have. */
export const HARDWARE_LABEL = 'hardware';
const DEVICE_LABEL = 'device-';
/** The longest label. */
const MOST_LETTERS = 40;

/**
 * The label that workers of a machine have, by its name: tasks about a machine need it.
 *
 * @example
 * hostLabel('gpu-17.Rack3'); // 'host-gpu-17-rack3'
 */
export function hostLabel(name: string): string {
  return labelOf(HOST_LABEL, name);
}

/**
 * The label of workers whose machine has such a device: tasks with `needs: { devices: [mlx5] }` need it.
 *
 * @example
 * deviceLabel('mlx5_0'); // 'device-mlx5-0'
 */
export function deviceLabel(name: string): string {
  return labelOf(DEVICE_LABEL, name);
}

function labelOf(kind: string, name: string): string {
  return `${kind}${name.toLowerCase().replaceAll(/[^a-z0-9-]+/g, '-')}`.slice(0, MOST_LETTERS);
}
