import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { KelpieError } from '../../error.js';
import {
  type Conflict,
  describeHost,
  distanceConflicts,
  type ImportedHost,
  hostProfileText,
  type ImportedMachine,
  mergeFacts,
} from '../../host-import/index.js';
import { ProfileLibrary } from '../../profiles/index.js';
import { makeFolder } from '../folder.js';
import { collectHostFacts, importHostFacts } from '../host-facts.js';
import { faultsOf } from './faults-of.js';

/** What a machine says about itself. */
export interface HostCheck {
  readonly name: string;
  readonly sources: readonly string[];
  readonly skipped: readonly { readonly source: string; readonly why: string }[];
  readonly description: ImportedHost;
  readonly conflicts: readonly Conflict[];
  /** The host profile, YAML. */
  readonly profile: string;
  /** What it admits to, as faults that `kelpie ping --profile` injects. */
  readonly faults: readonly string[];
}

/** Where facts come from and where things go. */
export interface HostCheckRequest {
  readonly name: string;
  /** Files and folders from elsewhere; this machine is asked unless set. */
  readonly imported?: readonly string[];
  /** The folder that gets what the programs printed. */
  readonly save?: string;
  /** Told of every source that gave nothing, before anything can fail for want of it. */
  readonly onSkipped: (source: string, why: string) => void;
}

/** Makes a description and a profile out of what a machine prints, and checks that the profile can be read. */
export async function checkHost(request: HostCheckRequest): Promise<HostCheck> {
  const { name, imported, save, onSkipped } = request;
  const { facts, files, skipped } =
    imported === undefined
      ? await collectHostFacts()
      : { facts: importHostFacts(imported), files: new Map<string, string>(), skipped: [] };
  for (const { source, why } of skipped) onSkipped(source, why);
  if (save !== undefined) saveFiles(save, files);
  const machine = mergeFacts(facts);
  const description = imported === undefined ? describeHere(machine) : describeHost(machine);
  const profile = hostProfileText(name, machine, description);
  const library = new ProfileLibrary();
  library.add(profile, `${name}.yaml`);
  library.find('host', name);
  return {
    ...{ name, skipped, description, profile },
    sources: machine.sources,
    conflicts: [...machine.conflicts, ...distanceConflicts(machine, description)],
    faults: [...new Set(description.observations.flatMap((each) => faultsOf(each, description)))],
  };
}

/** A machine without an RNIC is no wrong input where nobody gave it. */
function describeHere(machine: ImportedMachine): ImportedHost {
  try {
    return describeHost(machine);
  } catch (error) {
    if (!(error instanceof KelpieError) || error.code !== 'IMPORT_NO_RNIC') throw error;
    throw new KelpieError('CANNOT_RUN', error.message, {
      ...{ field: '--host', given: machine.sources.join(', '), cause: error },
      allowed: 'a machine with an InfiniBand or RoCE controller, or --import',
    });
  }
}

function saveFiles(folder: string, files: ReadonlyMap<string, string>): void {
  makeFolder(folder);
  for (const [path, text] of files) {
    const target = join(folder, path);
    makeFolder(dirname(target));
    writeFileSync(target, text);
  }
}
