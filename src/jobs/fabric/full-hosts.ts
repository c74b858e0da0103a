import { type GuestHosts, guestClasses, type Topology } from '../../models/fabric/index.js';
import { DescriptionError, nearest, type SourceDocument } from '../../schema/index.js';
import { DEFAULT_SUBSYSTEM, libraryOf } from '../../testbeds/index.js';
import { hostsNeeded, parseWorkload, resolveWorkload, type Workload } from '../../workload/index.js';
import { DATA_CLASS, type FabricDescription } from './description.js';
import { findNode } from './nodes.js';

/** The full hosts of a fabric and what they do. */
export interface FullHosts {
  /** Their nodes, in the order of the workload's hosts. */
  readonly nodes: readonly number[];
  /** A subsystem by name. */
  readonly subsystem: string;
  readonly workload: Workload;
  readonly trafficClass: number;
  readonly seed: number;
}

/** The largest MTU, 4,096 bytes, with every header that a packet may have. */
const LARGEST_FULL_BYTES = 4096 + 160;

/** The full hosts of a description; null if there are none, or if what is wrong with them was reported. */
export function fullHosts(
  document: SourceDocument,
  { full, seed = 1 }: FabricDescription,
  topology: Topology,
  readText: (file: string, field: string) => string,
): FullHosts | null {
  if (full === undefined) return null;
  const { hosts, subsystem = DEFAULT_SUBSYSTEM, trafficClass = DATA_CLASS } = full;
  const refuse = (field: string, problem: string, given: unknown, allowed: string, meant?: string) =>
    document.report(document.kind.codes.outOfRange, field, { problem, given, allowed, meant });
  const nodes = hosts.map((host, index) => {
    const node = findNode(topology, host);
    if (node !== null && topology.isSwitch[node] === 0) return node;
    refuse(`full.hosts[${index}]`, 'there is no such host', host, 'the name or the number of a host');
    return -1 - index;
  });
  const twice = nodes.findIndex((node, index) => nodes.indexOf(node) !== index);
  if (twice >= 0)
    refuse(`full.hosts[${twice}]`, 'a host that is full already', hosts[twice], 'each host once');
  const known = libraryOf({}).list('subsystem');
  if (!known.includes(subsystem))
    refuse(
      'full.subsystem',
      'there is no such subsystem',
      subsystem,
      'one that kelpie subsystems lists',
      nearest(subsystem, known),
    );
  const workload =
    typeof full.workload === 'string'
      ? parseWorkload(readText(full.workload, 'full.workload'), full.workload)
      : described(document, full.workload);
  if (workload === null) return null;
  const needed = hostsNeeded(workload).length;
  if (needed !== nodes.length)
    refuse('full.hosts', `the workload needs ${needed} hosts`, nodes.length, `${needed} hosts`);
  return { nodes, subsystem, workload, trafficClass, seed };
}

/** A workload that stands in the description itself, where its faults have their lines. */
function described(document: SourceDocument, workload: Record<string, unknown>): Workload | null {
  try {
    return resolveWorkload(workload);
  } catch (error) {
    if (!(error instanceof DescriptionError)) throw error;
    for (const { code, field, problem, given, allowed, meant } of error.faults)
      document.report(code, `full.workload${field === '' ? '' : `.${field}`}`, {
        problem,
        given,
        ...(allowed === undefined ? {} : { allowed }),
        meant,
      });
    return null;
  }
}

/** What the fabric has to know of full hosts. */
export function guestsOf({ nodes, trafficClass }: FullHosts): GuestHosts {
  return { nodes, trafficClasses: guestClasses(trafficClass), largestBytes: LARGEST_FULL_BYTES };
}
