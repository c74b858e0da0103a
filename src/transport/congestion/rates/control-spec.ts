import { TimedDcqcn, type TimedDcqcnParameters } from './dcqcn.js';
import { Dctcp, type DctcpParameters } from './dctcp.js';
import { Hpcc, type HpccParameters } from './hpcc.js';
import { NicDcqcn } from './nic-dcqcn.js';
import type { NicDcqcnParameters } from './nic-dcqcn-parameters.js';
import { LineRate } from './none.js';
import type { RateControl, RateLimits } from './rate-control.js';
import { Swift, type SwiftParameters } from './swift.js';
import { Timely, type TimelyParameters } from './timely.js';

/** A congestion control as data: which one, and its constants. */
export type ControlSpec =
  | ({ readonly kind: 'none' } & RateLimits)
  | ({ readonly kind: 'dcqcn' } & TimedDcqcnParameters)
  | ({ readonly kind: 'dcqcn-nic' } & NicDcqcnParameters)
  | ({ readonly kind: 'dctcp' } & DctcpParameters)
  | ({ readonly kind: 'timely' } & TimelyParameters)
  | ({ readonly kind: 'swift' } & SwiftParameters)
  | ({ readonly kind: 'hpcc' } & HpccParameters);

/** Makes a control for this many flows. */
export function createControl(spec: ControlSpec, slots: number): RateControl {
  switch (spec.kind) {
    case 'none':
      return new LineRate(slots, spec);
    case 'dcqcn':
      return new TimedDcqcn(slots, spec);
    case 'dcqcn-nic':
      return new NicDcqcn(slots, spec);
    case 'dctcp':
      return new Dctcp(slots, spec);
    case 'timely':
      return new Timely(slots, spec);
    case 'swift':
      return new Swift(slots, spec);
    case 'hpcc':
      return new Hpcc(slots, spec);
  }
}
