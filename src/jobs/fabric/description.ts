import { z } from 'zod';
import { controlNames, generations, LONGEST_PAUSE_QUANTA } from '../../models/fabric/index.js';
import { type DocumentKind, number, text, withWords, word } from '../../schema/index.js';

/** What a fabric is to the reader. */
export const FABRIC: DocumentKind = {
  noun: 'a fabric',
  reference: 'docs/fabric.md',
  codes: {
    syntax: 'YAML_SYNTAX',
    unknownField: 'FABRIC_UNKNOWN_FIELD',
    missingField: 'FABRIC_MISSING_FIELD',
    badType: 'FABRIC_BAD_TYPE',
    outOfRange: 'FABRIC_OUT_OF_RANGE',
  },
};

/** The class of flows unless set. */
export const DATA_CLASS = 3;

/** Nobody simulates longer: an hour. */
const MOST_NS = 3.6e12;
const MOST_BYTES = 2 ** 40;

const count = (meaning: string, max: number, unit: string, min = 1) =>
  number(meaning, { min, max, integer: true, unit });
const timeNs = (meaning: string, min = 0) =>
  number(meaning, { min, max: MOST_NS, integer: true, unit: 'ns' });
const bytes = (meaning: string, min = 1, max = MOST_BYTES) =>
  number(meaning, { min, max, integer: true, unit: 'bytes' });
const share = (meaning: string, max: number) => number(meaning, { min: 0, max, integer: false, unit: '' });

const cable = (meaning: string) =>
  z
    .strictObject({
      gbps: number('rate', { min: 0.001, max: 100_000, integer: false, unit: 'Gb/s' }).optional(),
      delayNs: timeNs('delay of the cable and of the node that it leads to', 1).max(1e8).optional(),
    })
    .describe(meaning);

export const topologyKinds = [
  'star',
  'fat-tree',
  'three-tiers',
  'leaf-spine',
  'rail-pods',
  'dragonfly',
  'region',
  'file',
] as const;

const topology = z
  .strictObject({
    kind: word('which shape', topologyKinds),
    file: text('a topology in the format of HPCC, relative to this file').optional(),
    hosts: count('hosts of a star', 65_536, 'hosts').optional(),
    ports: withWords(
      count('ports of a switch of a fat tree, even', 64, 'ports', 2).multipleOf(2),
      '2 to 64 ports, an even number',
    ).optional(),
    pods: count('pods', 4096, 'pods').optional(),
    leavesPerPod: count('leaves of a pod', 4096, 'switches').optional(),
    spinesPerPod: count('spines of a pod', 4096, 'switches').optional(),
    cores: count('switches above the pods', 65_536, 'switches').optional(),
    leaves: count('leaves', 4096, 'switches').optional(),
    spines: count('spines', 4096, 'switches').optional(),
    hostsPerLeaf: count('hosts below a leaf', 4096, 'hosts').optional(),
    parallel: count('cables between a leaf and a spine', 64, 'cables').optional(),
    serversPerPod: count('servers of a pod', 4096, 'servers').optional(),
    rails: count('NICs of a server', 64, 'NICs').optional(),
    routersPerGroup: count('routers of a group', 256, 'routers').optional(),
    hostsPerRouter: count('hosts of a router', 256, 'hosts').optional(),
    globalLinks: count('links of a router to other groups', 256, 'links').optional(),
    groups: count('groups', 4096, 'groups').optional(),
    datacenters: count('datacenters of a region', 64, 'datacenters').optional(),
    clustersPerDatacenter: count('clusters of a datacenter', 256, 'clusters').optional(),
    racksPerCluster: count('racks of a cluster', 256, 'racks').optional(),
    hostsPerRack: count('hosts of a rack', 256, 'hosts').optional(),
    hubs: count('regional hubs', 64, 'hubs').optional(),
    hubMetres: number('length of the cables to the hubs', {
      min: 1,
      max: 1e6,
      integer: false,
      unit: 'm',
    }).optional(),
    host: cable('cables of hosts').optional(),
    fabric: cable('cables between switches').optional(),
    global: cable('cables between groups of a dragonfly').optional(),
  })
  .describe('the shape, by name or from a file');

export const workloadKinds = [
  'poisson',
  'incast',
  'permutation',
  'all-reduce',
  'all-to-all',
  'pipeline',
  'flows',
] as const;

const pattern = z
  .strictObject({
    kind: word('which pattern', workloadKinds),
    file: text('flows in the format of HPCC, relative to this file').optional(),
    sizes: text('sizes of flows: a published distribution, or a file in the format of HPCC').optional(),
    load: share("share of the hosts' bandwidth", 10).gt(0).optional(),
    durationNs: timeNs('how long flows arrive', 1).optional(),
    startNs: timeNs('when it begins').optional(),
    bytes: bytes('bytes of a flow').optional(),
    fanIn: count('senders of an incast', 65_536, 'hosts').optional(),
    times: count('how often', 1_000_000, 'times').optional(),
    periodNs: timeNs('time from one to the next', 1).optional(),
    target: z
      .union([text('host by name'), count('host by number', 1e6, '', 0)])
      .describe('who receives')
      .optional(),
    computeNs: timeNs('what a host computes between what it receives and what it sends').optional(),
    microbatches: count('parts of a batch of a pipeline', 10_000, 'parts').optional(),
    trafficClass: count('traffic class', 7, '', 0).optional(),
    firstHost: count('the first host that takes part', 1e6, '', 0).optional(),
    hosts: count('how many hosts take part', 65_536, 'hosts', 2).optional(),
  })
  .describe('a pattern of flows');

const recovery = z
  .strictObject({
    kind: word('how what was lost is sent again', ['go-back-n', 'selective']),
    timeoutNs: timeNs('retransmission timer of go-back-N; 0: none').optional(),
    lowTimeoutNs: timeNs('timer of selective repeat with few packets in flight', 1).optional(),
    highTimeoutNs: timeNs('and with more', 1).optional(),
    fewPackets: count('what few are', 1000, 'packets').optional(),
  })
  .describe('loss recovery');

const node = z.union([text('a node by name'), count('a node by number', 1e6, '', 0)]);

const failure = z
  .strictObject({
    link: z.array(node).length(2).describe('the two ends'),
    downNs: timeNs('when it fails'),
    upNs: timeNs('when it comes back; default: never', 1).optional(),
    times: count('a flap: how often', 1000, 'times').optional(),
    periodNs: timeNs('from one failure to the next', 1).optional(),
  })
  .describe('a link that fails or flaps');

const storm = z
  .strictObject({
    host: node,
    trafficClass: count('class that it holds', 7, '', 1).optional(),
    fromNs: timeNs('when it begins'),
    untilNs: timeNs('when it ends', 1),
    periodNs: timeNs('a slow receiver: holds a part of each period', 1).optional(),
    heldNs: timeNs('that part', 1).optional(),
  })
  .describe('a NIC that holds its link without need');

const watchdog = z
  .strictObject({
    detectNs: timeNs('how long a storm lasts until it is one', 1).optional(),
    restoreNs: timeNs('how long no pause comes until it is over', 1).optional(),
    pollNs: timeNs('time between two looks', 1000).optional(),
    action: word('what is done with the queue', ['drop', 'forward', 'alert']).optional(),
    rule: word('what a storm is', ['broadcom', 'nvidia']).optional(),
  })
  .describe("SONiC's PFC watchdog; default: 200 ms each");

const linkChange = z
  .strictObject({
    link: z.array(node).length(2).describe('the two ends; the first one sends forward'),
    gbps: number('rate forward', { min: 0.001, max: 100_000, integer: false, unit: 'Gb/s' }).optional(),
    backGbps: number('rate back', { min: 0.001, max: 100_000, integer: false, unit: 'Gb/s' }).optional(),
    delayNs: timeNs('delay forward', 1).max(1e8).optional(),
    backDelayNs: timeNs('delay back', 1).max(1e8).optional(),
    lossRate: share('share of frames that it loses', 0.99).optional(),
  })
  .describe('a link that differs from the others');

const full = z
  .strictObject({
    hosts: z
      .array(node)
      .min(2)
      .max(64)
      .describe('hosts whose NICs are simulated in full, in the order of h0, h1, ...'),
    subsystem: text('what these hosts are: a subsystem by name; default: collie-f').optional(),
    workload: z
      .union([text('a workload file, relative to this file'), z.record(z.string(), z.unknown())])
      .describe('what they do: a workload as `kelpie run` takes it; the run ends with it'),
    trafficClass: count('the class of their traffic', 7, '', 1).optional(),
  })
  .describe('full NICs among light ones');

/** A fabric as people describe it. */
export const fabricSchema = z
  .strictObject({
    topology,
    workload: z.array(pattern).max(64).describe('patterns of flows, all at once'),
    control: word("congestion control, with the settings of HPCC's run.py", controlNames).optional(),
    generations: z
      .strictObject({
        sender: word('who reacts to notifications', generations),
        receiver: word('who sends them', generations),
        leaks: z.boolean().describe('flows of a sender wait for their pace in one line').optional(),
      })
      .describe("DCQCN's generations of Azure's NICs")
      .optional(),
    payloadBytes: bytes('payload of a packet', 1, 65_536).optional(),
    buffer: z
      .strictObject({
        kind: word("whose buffers: HPCC's simulator's, SONiC's, or fixed thresholds", [
          'ns3',
          'sonic',
          'thresholds',
        ]).optional(),
        bytes: bytes('memory of a switch', 100_000, 2 ** 31 - 1).optional(),
        xoffBytes: bytes(
          'fixed thresholds: a queue above this pauses its sender; 0: lossy',
          0,
          2 ** 31 - 1,
        ).optional(),
        xonBytes: bytes('and resumes it below this', 0, 2 ** 31 - 1).optional(),
        headroomBytes: bytes('what is kept for a paused queue', 0, 2 ** 31 - 1).optional(),
        file: text("SONiC's BUFFER_POOL and BUFFER_PROFILE as JSON, relative to this file").optional(),
        losslessClasses: z
          .array(count('a class', 7, '', 1))
          .max(7)
          .describe('classes that must not lose')
          .optional(),
      })
      .describe('memory of switches')
      .optional(),
    marking: z
      .strictObject({
        minBytes: bytes('no marks up to here', 0, 2 ** 31 - 1),
        maxBytes: bytes('everything is marked above', 1, 2 ** 31 - 1),
        probability: share('marks just below it', 1),
      })
      .describe("thresholds of ports with the NICs' rate; those of others are in proportion")
      .optional(),
    recovery: recovery.optional(),
    lossRate: share('share of packets that every link loses', 0.99).optional(),
    failures: z.array(failure).max(1000).describe('links that fail or flap').optional(),
    links: z
      .array(linkChange)
      .max(10_000)
      .describe('links that differ: other rates, delays or losses, each way by itself')
      .optional(),
    convergenceNs: timeNs('how long flows keep their ways after a link has changed').optional(),
    pauses: z
      .strictObject({ quanta: count('quanta of 512 bit times', LONGEST_PAUSE_QUANTA, 'quanta') })
      .describe(
        'pauses run out and are repeated; default: they hold until the resume, with a watchdog 65,535 quanta',
      )
      .optional(),
    storms: z.array(storm).max(1000).describe('NICs that hold their link without need').optional(),
    watchdog: watchdog.optional(),
    full: full.optional(),
    seed: number('seed of all random numbers', {
      min: 0,
      max: Number.MAX_SAFE_INTEGER,
      integer: true,
      unit: '',
    }).optional(),
    order: word("order of events of one nanosecond: by port, or ns-3's", ['canonical', 'ns3']).optional(),
    rng: word("random numbers: a seeded stream per port, or ns-3's", ['own', 'ns3']).optional(),
    rounding: word("times: exact on average, or cut as ns-3's", ['exact', 'ns3']).optional(),
    partitions: count('parts that are simulated apart; the answer is the same', 1024, 'parts').optional(),
    stopNs: timeNs('when the run ends at the latest', 1).optional(),
  })
  .describe('A fabric, its traffic and how to simulate it.');

export type FabricDescription = z.output<typeof fabricSchema>;
export type TopologyDescription = FabricDescription['topology'];
export type PatternDescription = FabricDescription['workload'][number];
