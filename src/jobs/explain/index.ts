/**
 * Explains what limited a run: runs it again with the suspected part off, or twice as fast, and shows the difference.
 *
 * @example
 * import { explain } from 'kelpie/explain';
 * import { type Mechanism, mechanisms } from 'kelpie/simulated';
 * import { openTestbed, subsystemOf } from 'kelpie/testbeds';
 * import { resolveWorkload, runWorkload } from 'kelpie/workload';
 *
 * const subsystem = subsystemOf({ subsystem: 'collie-f' });
 * const workload = resolveWorkload({ sizes: [8], threads: 1, measure: { minNs: 1e5, maxNs: 1e5 } });
 * const measurement = await runWorkload(workload, await openTestbed({ subsystem }));
 * const { conclusion } = await explain(measurement, {
 *   subsystem,
 *   mechanisms,
 *   open: (_, changed, ablate) => openTestbed({ subsystem: changed, ablate: ablate as Mechanism[] }),
 * });
 * console.log(/cores are twice as fast/.test(conclusion)); // true
 *
 * @module
 */
export { type ExplainBench, type Explanation, explain, type WhatIfOutcome } from './explain.js';
export { type Mechanisms, type WhatIf, whatIfs } from './what-if.js';
