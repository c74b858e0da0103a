import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { KelpieError } from '../../error.js';
import {
  fctLines,
  type Ns3Config,
  type Ns3Run,
  notesOf,
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
  /** What the configuration asks for and does not get. */
  readonly notes: readonly string[];
  /** Where to write, relative to the configuration. */
  resolve(file: string): string;
}

/** HPCC's own configurations are in `mix` and give paths from the folder above. */
const RELATIVE =
  'paths are relative to the configuration; one with paths from where ns-3 is started has to lie there';

/** Reads a configuration and the topology, flow and trace files that it names, relative to it. */
export function readNs3Job(file: string): Ns3Job {
  const config = readConfig(file, readText(file, '--ns3'));
  const folder = dirname(file);
  const at = (name: string) => resolve(folder, name);
  /** A file that a key names; one that cannot be read is a fault of the key. */
  const named = (name: string, key: string): string => {
    try {
      return readText(at(name), key);
    } catch (error) {
      if (!(error instanceof KelpieError)) throw error;
      const { code, summary, field, given } = error;
      throw new KelpieError(code, `${file}:${config.lines.get(key)}: ${summary}`, {
        field,
        given,
        allowed: `a text file; ${RELATIVE}`,
      });
    }
  };
  const topology = readTopology(config.topologyFile, named(config.topologyFile, 'TOPOLOGY_FILE'));
  const flows = readFlows(config.flowFile, named(config.flowFile, 'FLOW_FILE'), topology);
  const traced =
    config.traceFile === null
      ? []
      : readTrace(config.traceFile, named(config.traceFile, 'TRACE_FILE'), topology);
  for (const [key, name] of [
    ['FCT_OUTPUT_FILE', config.fctOutputFile],
    ['PFC_OUTPUT_FILE', config.pfcOutputFile],
  ] as const)
    if (!existsSync(dirname(at(name))))
      throw new KelpieError('FABRIC_FILE', `${file}:${config.lines.get(key)}: there is no such folder`, {
        field: key,
        given: name,
        allowed: `a file in an existing folder; ${RELATIVE}`,
      });
  const notes = notesOf(config, topology, traced);
  return { config, run: ns3Run(config, topology, flows), notes, resolve: at };
}

/** Writes the FCT and PFC files that the configuration asks for. */
export function writeNs3Outputs(job: Ns3Job, fabric: RunningFabric): void {
  const { config, run } = job;
  writeTextFile(job.resolve(config.fctOutputFile), fctLines(fabric, run.epochNs), 'FCT_OUTPUT_FILE');
  writeTextFile(job.resolve(config.pfcOutputFile), pfcLines(fabric, run.epochNs), 'PFC_OUTPUT_FILE');
}
