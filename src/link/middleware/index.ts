/**
 * Middlewares on a link: capture, faults, statistics. Each is a link around a link, so they compose in any order.
 *
 * @example
 * const plan = new FaultPlan({ rates: { loss: 0.01 } });
 * const link = withMiddlewares(udp, [statistics, capture(options), faults(plan, schedule)]);
 *
 * @module
 */
export * from './capture-link.js';
export * from './fault-plan.js';
export { faults, type Schedule } from './faulty-link.js';
export { type Direction, LinkAround, type LinkMiddleware, withMiddlewares } from './middleware.js';
export * from './packet-recorder.js';
export { statistics } from './statistics-link.js';
