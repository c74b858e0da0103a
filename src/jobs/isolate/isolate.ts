import { findScheme } from '../../schemes/index.js';
import { boundsOf } from '../../testbeds/index.js';
import { InProcessPool, type Pool } from '../pool/index.js';
import { chosenSubsystem, type IsolateTestbed } from './bench.js';
import type { ExperimentResult } from './experiment.js';
import { choose } from './find.js';
import { type MatrixResult, measureMatrix, type PairResult } from './matrix.js';
import { huskyHolds, type Predicate, requireAlpha, requireGuarantee } from './predicate.js';
import { type Attacker, attackers, type Victim, victims } from './suite/index.js';
import { type IsolateTask, runIsolateTask } from './task.js';

/** Husky §5.1. */
const DEFAULT_ALPHA = 0.25;
/** Two tenants, an equal share each. */
const TENANTS = 2;
/** What a provider without a line rate is judged by. */
const NO_LINE_GBPS = 100;

/** What anyone can ask of a matrix; nothing needs to be said. */
export interface IsolateRequest {
  /** What to measure on; Husky's simulated machines unless set. */
  testbed?: IsolateTestbed;
  /** How tenants are kept apart, several schemes joined by `+`; `none` unless set. */
  scheme?: string;
  /** Names, or beginnings with `*` (`Cache-*`), joined by commas; all unless set. */
  attackers?: string;
  victims?: string;
  /** Tolerance of the guarantee; 0.25 unless set. */
  alpha?: number;
  /** What each tenant is promised; half of the line unless set. */
  guaranteeGbps?: number;
  /** Whether a victim has what it was promised; Husky's predicate unless set. */
  holds?: Predicate;
  /** Holds a scheme that promises a share of the device to the guarantee in bits all the same. */
  strictBandwidth?: boolean;
  /** The attacker calls the device past the scheme. */
  bypass?: boolean;
  /** A column that is violated needs no more pairs: for the summary alone. */
  untilViolated?: boolean;
  seed?: number;
}

/** A request with nothing left out. */
export interface IsolateOrder {
  testbed: IsolateTestbed;
  subsystem: string;
  scheme: string;
  attackers: Attacker[];
  victims: Victim[];
  alpha: number;
  guaranteeGbps: number;
  holds: Predicate;
  strictBandwidth: boolean;
  bypass: boolean;
  untilViolated: boolean;
  seed: number;
}

/** Who measures a matrix and watches. */
export interface IsolateOptions {
  /** Runs the experiments; here, one at a time, unless set. Stays open. */
  pool?: Pool<IsolateTask, ExperimentResult>;
  /** Called after each pair. */
  onPair?: (pair: PairResult, done: number, all: number) => void;
  /** Ends the matrix; it is then marked partial. */
  signal?: AbortSignal;
}

/** Makes a whole order of a request; refuses what cannot be. */
export function orderIsolation(request: IsolateRequest = {}): IsolateOrder {
  const { testbed = {} } = request;
  const subsystem = chosenSubsystem(testbed);
  const lineGbps = subsystem === null ? null : boundsOf(subsystem).lineRateGbps;
  return {
    testbed,
    subsystem: subsystem?.name ?? testbed.provider ?? '',
    scheme: findScheme(request.scheme ?? 'none').name,
    attackers: choose(attackers, request.attackers ?? 'all', 'attacker'),
    victims: choose(victims, request.victims ?? 'all', 'victim'),
    alpha: requireAlpha(request.alpha ?? DEFAULT_ALPHA),
    guaranteeGbps: requireGuarantee(request.guaranteeGbps ?? (lineGbps ?? NO_LINE_GBPS) / TENANTS, lineGbps),
    holds: request.holds ?? huskyHolds,
    strictBandwidth: request.strictBandwidth === true,
    bypass: request.bypass === true,
    untilViolated: request.untilViolated === true,
    seed: request.seed ?? 1,
  };
}

/** The pool that a job has where nobody gives it one. */
function ownPool(signal?: AbortSignal): Pool<IsolateTask, ExperimentResult> {
  return new InProcessPool((task: IsolateTask) =>
    runIsolateTask(task, signal === undefined ? {} : { signal }),
  );
}

/**
 * Measures what attackers do to victims under a scheme.
 *
 * @example
 * const { pairs } = await isolate({ scheme: 'sr-iov', attackers: 'PU-*', victims: 'large_bw_write' });
 */
export async function isolate(
  request: IsolateRequest | IsolateOrder = {},
  { pool, onPair, signal }: IsolateOptions = {},
): Promise<MatrixResult> {
  const order = isOrder(request) ? request : orderIsolation(request);
  const runner = pool ?? ownPool(signal);
  return measureMatrix({
    ...order,
    run: (task) => runner.run({ job: 'isolate', testbed: order.testbed, ...task }),
    concurrency: runner.size,
    ...(onPair === undefined ? {} : { onPair }),
    ...(signal === undefined ? {} : { signal }),
  });
}

function isOrder(request: IsolateRequest | IsolateOrder): request is IsolateOrder {
  return Array.isArray(request.attackers);
}
