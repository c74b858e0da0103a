/**
 * The engine: a deterministic discrete-event core. Integer time, events as integers in typed arrays, seeded randomness
 * that splits by component name, streaming statistics and invariants. It reads no clock and knows nothing of RDMA.
 *
 * @example
 * import { Random, Simulation, Statistics } from 'kelpie/engine';
 *
 * const simulation = new Simulation();
 * const random = new Random(42).split('arrivals');
 * const gapNs = new Statistics();
 * const arrive = simulation.register('arrive', (left) => {
 *   const ns = 1 + random.nextInt(1000);
 *   gapNs.add(ns);
 *   if (left > 1) simulation.after(ns, arrive, left - 1);
 * });
 * simulation.at(0, arrive, 1000);
 * simulation.run();
 * console.log(simulation.events, Math.round(gapNs.mean)); // 1000 484
 *
 * @module
 */
export { Checker } from './checker.js';
export { EventQueue } from './event-queue.js';
export { HeapQueue } from './heap-queue.js';
export { type Burst, LossProcess } from './loss-process.js';
export type { EventId, Handler, Queue } from './queue.js';
export { Random } from './random.js';
export { Simulation, type SimulationOptions, type Trace } from './simulator.js';
export { Statistics } from './statistics.js';
