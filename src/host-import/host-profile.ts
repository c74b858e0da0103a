import { KelpieError } from '../error.js';
import { profileYaml } from '../profiles/index.js';
import type { DescribedNode, ImportedHost } from './host-description.js';
import type { ImportedMachine } from './merge.js';

/** The host whose constants stand in for what no program prints: latencies, cores, channels, credits. */
const BASE = 'hostping';
const GIGABYTE = 1e9;

/**
 * The host profile of a machine as YAML: its graph with the links as they are able to be. What it runs at less, or is set
 * up otherwise, is not part of it: a profile is what probes are held against.
 *
 * @example
 * library.add(hostProfileText('gpu-17', machine, describeHost(machine)), 'gpu-17.yaml');
 */
export function hostProfileText(
  name: string,
  { sources, numaNodes }: ImportedMachine,
  { nodes, links }: ImportedHost,
): string {
  const count = (kind: DescribedNode['kind']) => nodes.filter((node) => node.kind === kind).length;
  const sockets = count('socket');
  const perSocket = count('memory') / sockets;
  if (!Number.isInteger(perSocket)) {
    throw new KelpieError(
      'IMPORT_UNEVEN',
      'the sockets of this machine have different numbers of NUMA nodes',
      {
        field: 'memory',
        given: `${count('memory')} NUMA nodes on ${sockets} sockets`,
        allowed: 'as many on each socket',
      },
    );
  }
  const source = `printed by the machine: ${sources.join(', ')}`;
  const printed = (value: number) => ({ value, evidence: 'measured', source });
  const bytes = numaNodes.reduce((sum, { memoryBytes = 0 }) => sum + memoryBytes, 0);
  return profileYaml({
    profile: 'host',
    name,
    extends: BASE,
    title: `Imported from ${sources.join(', ')}`.slice(0, 120),
    description: `${sockets} sockets, ${count('rnic')} RNICs, ${count('gpu')} GPUs. What no program prints (latencies, rates of memory and between sockets, cores) is that of ${BASE}.`,
    processor: 'as imported',
    constants: {
      sockets: printed(sockets),
      numaNodesPerSocket: printed(perSocket),
      ...(bytes < GIGABYTE ? {} : { memoryGigabytes: printed(Math.round(bytes / GIGABYTE)) }),
    },
    topology: {
      source,
      nodes: nodes.map(({ name: node, kind, title, address }) => {
        const said = [title, address].filter((each) => each !== undefined).join(', ');
        return { name: node, kind, ...(said === '' ? {} : { title: said.slice(0, 120) }) };
      }),
      links: links.map(({ between, kind, generation, lanes }) => ({
        between,
        kind,
        ...(generation === undefined ? {} : { generation }),
        ...(lanes === undefined ? {} : { lanes }),
      })),
    },
  });
}
