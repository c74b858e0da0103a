import { readFileSync } from 'node:fs';
import { Checker } from '../../../engine/checker.js';
import {
  type FabricSpec,
  type Ns3Config,
  type Ns3Run,
  ns3Run,
  readConfig,
  readFlows,
  readTopology,
} from '../index.js';

/** The text of one of the files of the reference runs. */
export function runFile(name: string): string {
  return readFileSync(new URL(`./runs/${name}`, import.meta.url), 'utf8');
}

/** A reference run of ns-3, with keys of its configuration changed. */
export function referenceRun(name: string, changes: Partial<Ns3Config> = {}): Ns3Run {
  const config = { ...readConfig(name, runFile(`${name}.config.txt`)), ...changes };
  const topology = readTopology(config.topologyFile, runFile(config.topologyFile));
  return checked(ns3Run(config, topology, readFlows(config.flowFile, runFile(config.flowFile), topology)));
}

/** A run of ns-3 with settings that `run.py` never has, and the FCT and PFC files that it wrote. */
export function settingsRun(name: string): { run: Ns3Run; fct: string; pfc: string } {
  const file = (part: string) => runFile(`settings/${name}/${part}.txt`);
  const topology = readTopology(name, file('topology'));
  const run = ns3Run(readConfig(name, file('config')), topology, readFlows(name, file('flow'), topology));
  return { run: checked(run), fct: file('fct'), pfc: file('pfc') };
}

/** Every test has the checkers on, also those that look at something else. */
function checked(run: Ns3Run): Ns3Run {
  return changed(run, { checker: new Checker() });
}

/** The same run with parts of what it depends on changed. */
export function changed(run: Ns3Run, changes: Partial<FabricSpec>): Ns3Run {
  return { ...run, spec: { ...run.spec, ...changes } };
}
