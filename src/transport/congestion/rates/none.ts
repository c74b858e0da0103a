import { RateControl } from './rate-control.js';

/** No control: every flow sends at line rate, within its window if it has one. */
export class LineRate extends RateControl {
  readonly name = 'none';

  onAck(): boolean {
    return false;
  }
}
