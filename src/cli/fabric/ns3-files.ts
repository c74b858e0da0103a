import { dirname, resolve } from 'node:path';
import {
  fctLines,
  type Ns3Config,
  type Ns3Run,
  ns3Run,
  pfcLines,
  type RunningFabric,
  readConfig,
  readFlows,
  readTopology,
  readTrace,
} from '../../models/fabric/index.js';
import { writeTextFile } from '../../node/index.js';
import { readText } from './text-files.js';

/** A configuration of HPCC's simulator with what its files say. */
export interface Ns3Job {
  readonly config: Ns3Config;
  readonly run: Ns3Run;
  /** Things that the configuration asks for and that have no effect. */
  readonly notes: readonly string[];
  /** Where to write, relative to the configuration. */
  resolve(file: string): string;
}

/** Reads a configuration and the topology, flow and trace files that it names, relative to it. */
export function readNs3Job(file: string): Ns3Job {
  const config = readConfig(file, readText(file, '--ns3'));
  const folder = dirname(file);
  const at = (name: string) => resolve(folder, name);
  const topology = readTopology(config.topologyFile, readText(at(config.topologyFile), 'TOPOLOGY_FILE'));
  const flows = readFlows(config.flowFile, readText(at(config.flowFile), 'FLOW_FILE'), topology);
  const notes = config.ignored.map(
    ({ key, line }) => `${file}:${line}: ${key} is no key of HPCC's and is ignored`,
  );
  if (config.traceFile !== null) {
    const traced = readTrace(config.traceFile, readText(at(config.traceFile), 'TRACE_FILE'), topology);
    if (config.trace && traced.length > 0)
      notes.push(
        `TRACE_FILE: packets of ${traced.length} nodes are not dumped; kelpie writes FCT and PFC files`,
      );
  }
  return { config, run: ns3Run(config, topology, flows), notes, resolve: at };
}

/** Writes the FCT and PFC files that the configuration asks for. */
export function writeNs3Outputs(job: Ns3Job, fabric: RunningFabric): void {
  const { config, run } = job;
  writeTextFile(job.resolve(config.fctOutputFile), fctLines(fabric, run.epochNs), 'FCT_OUTPUT_FILE');
  writeTextFile(job.resolve(config.pfcOutputFile), pfcLines(fabric, run.epochNs), 'PFC_OUTPUT_FILE');
}
