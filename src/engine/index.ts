/**
 * The engine: a deterministic discrete-event core. Integer time, events as integers in typed arrays, seeded randomness
 * that splits by component name, streaming statistics and invariants. It reads no clock and knows nothing of RDMA.
 *
 * @example
 * const simulation = new Simulation();
 * const random = new Random(42).split('arrivals');
 * const latencyNs = new Histogram();
 * const arrive = simulation.register('arrive', (left) => {
 *   latencyNs.record(Math.round(random.nextExponential(2000)));
 *   if (left > 1) simulation.after(1 + random.nextInt(1000), arrive, left - 1);
 * });
 * simulation.at(0, arrive, 1000);
 * simulation.run();
 * console.log(simulation.events, latencyNs.percentile(99));
 *
 * @module
 */
export { Checker, Ledger } from './checker.js';
export { EventQueue } from './event-queue.js';
export { HeapQueue } from './heap-queue.js';
export { Histogram, type HistogramOptions } from './histogram.js';
export type { EventId, Queue } from './queue.js';
export { Random } from './random.js';
export { type Handler, Simulation, type SimulationOptions, type Trace } from './simulator.js';
export { Statistics } from './statistics.js';
