import {
  type Cable,
  dragonfly,
  fatTree,
  laboratoryRegion,
  leafSpine,
  railPods,
  readTopology,
  region,
  star,
  type Topology,
  threeTiers,
} from '../../models/fabric/index.js';
import type { SourceDocument } from '../../schema/index.js';
import type { TopologyDescription } from './description.js';
import { checkFields, type KindFields } from './fields.js';

const CABLE: Cable = { gbps: 100, delayNs: 1000 };
/** Larger fabrics do not fit into memory that people have. */
const MOST_HOSTS = 65_536;

/** A shape that fields describe. */
interface Shape extends KindFields {
  /** Hosts that it would have: known before it is built. */
  hosts(given: Given): number;
  build(given: Given, cables: { host: Cable; fabric: Cable; global: Cable }): Topology;
}

/** A description whose required fields are there. */
type Given = Required<TopologyDescription> & Pick<TopologyDescription, 'parallel' | 'groups'>;

const CABLES = ['host', 'fabric'];

const SHAPES: Readonly<Record<Exclude<TopologyDescription['kind'], 'file'>, Shape>> = {
  star: {
    required: ['hosts'],
    optional: ['host'],
    hosts: ({ hosts }) => hosts,
    build: ({ hosts }, { host }) => star({ hosts, host }),
  },
  'fat-tree': {
    required: ['ports'],
    optional: CABLES,
    hosts: ({ ports }) => ports ** 3 / 4,
    build: ({ ports }, { host, fabric }) => fatTree({ ports, host, fabric }),
  },
  'three-tiers': {
    required: ['pods', 'leavesPerPod', 'spinesPerPod', 'hostsPerLeaf', 'cores'],
    optional: CABLES,
    hosts: ({ pods, leavesPerPod, hostsPerLeaf }) => pods * leavesPerPod * hostsPerLeaf,
    build: (given, { host, fabric }) => threeTiers({ ...given, host, fabric }),
  },
  'leaf-spine': {
    required: ['leaves', 'spines', 'hostsPerLeaf'],
    optional: ['parallel', ...CABLES],
    hosts: ({ leaves, hostsPerLeaf }) => leaves * hostsPerLeaf,
    build: ({ leaves, spines, hostsPerLeaf, parallel = 1 }, { host, fabric }) =>
      leafSpine({ leaves, spines, hostsPerLeaf, parallel, host, fabric }),
  },
  'rail-pods': {
    required: ['pods', 'serversPerPod', 'rails', 'spines'],
    optional: CABLES,
    hosts: ({ pods, serversPerPod, rails }) => pods * serversPerPod * rails,
    build: (given, { host, fabric }) => railPods({ ...given, host, fabric }),
  },
  dragonfly: {
    required: ['routersPerGroup', 'hostsPerRouter', 'globalLinks'],
    optional: ['groups', 'global', ...CABLES],
    hosts: (given) => groupsOf(given) * given.routersPerGroup * given.hostsPerRouter,
    build: (given, { host, fabric, global }) =>
      dragonfly({ ...given, groups: groupsOf(given), host, local: fabric, global }),
  },
  region: {
    required: [],
    optional: [
      'datacenters',
      'clustersPerDatacenter',
      'racksPerCluster',
      'hostsPerRack',
      'hubs',
      'hubMetres',
    ],
    hosts: (given) => {
      const all = { ...laboratoryRegion, ...given };
      return all.datacenters * all.clustersPerDatacenter * all.racksPerCluster * all.hostsPerRack;
    },
    build: ({ hubMetres = laboratoryRegion.t2ToHub.metres, ...given }) => {
      const { host: _host, ...counts } = given;
      const t2ToHub = { ...laboratoryRegion.t2ToHub, metres: hubMetres };
      return region({ ...laboratoryRegion, ...counts, t2ToHub });
    },
  },
};

function groupsOf({ groups, routersPerGroup, globalLinks }: Given): number {
  return groups ?? routersPerGroup * globalLinks + 1;
}

/** Builds the topology of a description, or reports what is wrong with it and returns null. */
export function topologyOf(
  document: SourceDocument,
  description: TopologyDescription,
  readText: (file: string, field: string) => string,
): Topology | null {
  const path = ['topology'];
  if (description.kind === 'file') {
    const { file } = description;
    checkFields(document, path, description, 'a file', { required: ['file'], optional: [] });
    return file === undefined ? null : readTopology(file, readText(file, 'topology.file'));
  }
  const shape = SHAPES[description.kind];
  checkFields(document, path, description, description.kind, shape);
  if (shape.required.some((field) => description[field as keyof TopologyDescription] === undefined))
    return null;
  const given = description as Given;
  const { codes } = document.kind;
  const refuse = (field: string, problem: string, value: unknown, allowed: string) => {
    document.report(codes.outOfRange, [...path, field], { problem, given: value, allowed });
    return null;
  };
  if (given.kind === 'three-tiers' && given.cores % given.spinesPerPod !== 0)
    return refuse(
      'cores',
      'not a multiple',
      given.cores,
      `a multiple of spinesPerPod, ${given.spinesPerPod}`,
    );
  if (given.kind === 'dragonfly' && groupsOf(given) > given.routersPerGroup * given.globalLinks + 1)
    return refuse(
      'groups',
      'too many',
      given.groups,
      `up to ${given.routersPerGroup * given.globalLinks + 1}`,
    );
  const hosts = shape.hosts(given);
  if (hosts < 2 || hosts > MOST_HOSTS)
    return refuse('kind', 'a fabric of another size', `${hosts} hosts`, `2 to ${MOST_HOSTS} hosts`);
  const host = { ...CABLE, ...defined(given.host) };
  const fabric = { ...host, ...defined(given.fabric) };
  return shape.build(given, { host, fabric, global: { ...fabric, ...defined(given.global) } });
}

/** The fields of a cable that are given. */
function defined(
  cable: { gbps?: number | undefined; delayNs?: number | undefined } | undefined,
): Partial<Cable> {
  return {
    ...(cable?.gbps === undefined ? {} : { gbps: cable.gbps }),
    ...(cable?.delayNs === undefined ? {} : { delayNs: cable.delayNs }),
  };
}
