/**
 * A packet-level RDMA fabric: thousands of hosts with light NICs, switches with shared buffers, priority flow control,
 * ECN, ECMP and congestion control. With ns-3's order of events, random numbers and rounding it answers as HPCC's
 * simulator does, to the nanosecond.
 *
 * @example
 * const config = readConfig('config.txt', configText);
 * const topology = readTopology(config.topologyFile, topologyText);
 * const run = ns3Run(config, topology, readFlows(config.flowFile, flowText, topology));
 * const fabric = new Fabric(run.spec);
 * fabric.run(run.stopNs);
 * console.log(fctLines(fabric, run.epochNs));
 *
 * @module
 */
export { Fabric } from './core/fabric.js';
export type { EventOrder, FabricSpec, RandomSource } from './core/fabric-spec.js';
export type { Rounding } from './core/rounding.js';
export { checkSettled } from './core/settle.js';
export type { FlowSpec } from './nic/flow-table.js';
export { type LinkDown, type Ns3Config, readConfig } from './ns3/config.js';
export { readFlows } from './ns3/flow-file.js';
export { type Ns3Run, ns3Run } from './ns3/ns3-spec.js';
export { fctLines, idealNs, pfcLines } from './ns3/output-files.js';
export { readTopology } from './ns3/topology-file.js';
export { readTrace } from './ns3/trace-file.js';
export { type CompletionReport, completionReport, type Percentiles } from './report/slowdown.js';
export type { Link, Topology } from './topology/topology.js';
