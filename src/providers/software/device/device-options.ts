import type { CrcUpdate, Link } from '../../../link/index.js';
import type { LossRecovery } from '../../../transport/index.js';
import type { RealTimeClock } from '../real-time-clock.js';
import type { SoftwareControl } from './congestion.js';

/** Choices about a device. */
export interface SoftwareDeviceOptions {
  link: Link;
  clock: RealTimeClock;
  congestion: SoftwareControl;
  /** RC: packets that one queue pair, and all of them, may have unacknowledged. */
  windowPackets: number;
  deviceWindowPackets: number;
  /** RC: how lost packets are sent again, unless the peer cannot. */
  recovery: LossRecovery;
  crc: CrcUpdate;
  /** A number from 0 up to 1 that nobody can guess. */
  draw: () => number;
}
