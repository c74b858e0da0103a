import type { Endpoint } from './endpoint.js';
import { NEVER_PS } from './timers.js';

/**
 * The one timer of an endpoint. Deadlines move with every acknowledgement, the device's timer does not: it is set only
 * where it would come too late, and an early one is set again when it comes. A stream that flows costs no timer events.
 */
export class EndpointTimer {
  private readonly endpoint: Endpoint;
  private armedPs = NEVER_PS;

  constructor(endpoint: Endpoint) {
    this.endpoint = endpoint;
  }

  /** Makes sure that the timer comes no later than this. */
  arm(atPs: number): void {
    if (atPs >= this.armedPs) return;
    this.armedPs = atPs;
    this.endpoint.context.device.setTimer(this.endpoint, atPs);
  }

  /** The timer came. */
  fired(): void {
    this.armedPs = NEVER_PS;
  }

  /** No timer is wanted any more. */
  clear(): void {
    if (this.armedPs === NEVER_PS) return;
    this.armedPs = NEVER_PS;
    this.endpoint.context.device.clearTimer(this.endpoint);
  }
}
