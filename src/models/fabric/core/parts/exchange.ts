import type { Records } from '../records.js';

/** Carries packets from one domain to another. */
export interface Exchange {
  /**
   * Takes over a packet that leaves a domain and arrives at a port of another at a time, no earlier than the end of the
   * window that is being run. The record is copied; its domain frees it.
   */
  carry(records: Records, record: number, port: number, arrivalNs: number): void;
}
