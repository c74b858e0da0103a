/** What is done with a queue that was paused for too long. */
export type WatchdogAction = 'drop' | 'forward' | 'alert';

/**
 * What a storm is. Broadcom: in an interval pauses arrived, none ended, and the queue was held at both ends of it.
 * NVIDIA: bytes waited, and the queue was held for more than 99 % of it.
 */
export type StormRule = 'broadcom' | 'nvidia';

/** SONiC's PFC watchdog. */
export interface WatchdogOptions {
  readonly detectNs: number;
  readonly restoreNs: number;
  readonly pollNs: number;
  readonly action: WatchdogAction;
  readonly rule: StormRule;
}

/** SONiC's defaults for up to 32 ports (`pfcwd start_default`): 200 ms each. */
export const SONIC_WATCHDOG: WatchdogOptions = {
  detectNs: 200e6,
  restoreNs: 200e6,
  pollNs: 200e6,
  action: 'drop',
  rule: 'broadcom',
};

/** A storm that was found or has ended. */
export interface WatchdogEvent {
  readonly timeNs: number;
  readonly port: number;
  readonly trafficClass: number;
  readonly kind: 'storm' | 'restored';
}
