import type { z } from 'zod';
import { list, name, number, object, text, word } from '../schema/index.js';
import type { Constant } from './constant.js';
import { type Settings, settings } from './settings.js';

/** What a node of a host can be. */
export const nodeKinds = ['socket', 'memory', 'switch', 'gpu', 'rnic'] as const;

/** What a link of a host can be; its rate and latency come from the host's constants by this kind. */
export const linkKinds = ['memory', 'inter-socket', 'slot', 'switch', 'gpu'] as const;

/** A socket, a NUMA node's memory, a PCIe switch, a GPU or an RNIC. */
export interface TopologyNode {
  readonly name: string;
  readonly kind: (typeof nodeKinds)[number];
  readonly title?: string;
}

/** A link between two nodes. A PCIe link (slot, switch, gpu) has a generation and lanes. */
export interface TopologyLink {
  /** Default: its lower end with `-up` (`switch1-up`), or its two ends with a hyphen (`socket0-socket1`). */
  readonly name?: string;
  readonly between: readonly [string, string];
  readonly kind: (typeof linkKinds)[number];
  readonly generation?: number;
  readonly lanes?: number;
  /** In place of the rate that its kind gives: a degraded link. */
  readonly gbps?: Constant;
  /** In place of the latency that its kind gives. */
  readonly latencyNs?: Constant;
  /** ACS of the port of a PCIe switch on this link, in place of the host's setting. */
  readonly acs?: Settings['acs'];
}

/** The graph of a host. Each link between a socket and something else on PCIe is a root port. */
export interface HostTopology {
  /** Where the structure comes from. */
  readonly source: string;
  readonly nodes: readonly TopologyNode[];
  readonly links: readonly TopologyLink[];
}

/** The kinds of node that a kind of link may join, in either order. */
export const linkEnds: Readonly<
  Record<TopologyLink['kind'], readonly (readonly [TopologyNode['kind'], TopologyNode['kind']])[]>
> = {
  memory: [['socket', 'memory']],
  'inter-socket': [['socket', 'socket']],
  slot: [['socket', 'rnic']],
  switch: [
    ['socket', 'switch'],
    ['switch', 'switch'],
    ['switch', 'rnic'],
  ],
  gpu: [
    ['switch', 'gpu'],
    ['socket', 'gpu'],
  ],
};

/** Whether a kind of link is PCIe, with a generation and lanes. */
export function isPcie(kind: TopologyLink['kind']): boolean {
  return kind === 'slot' || kind === 'switch' || kind === 'gpu';
}

/** Gigatransfers a second of a lane by PCIe generation; generation 6 counts what its flits leave. */
const laneGbps = [
  0,
  2.5 * 0.8,
  5 * 0.8,
  (8 * 128) / 130,
  (16 * 128) / 130,
  (32 * 128) / 130,
  (64 * 242) / 256,
];

/** What a PCIe link can do, or trained to. */
export interface PcieTraining {
  readonly generation: number;
  readonly lanes: number;
}

/** Rate of a PCIe link a direction after line coding: 8b/10b, 128b/130b, or the flits of generation 6. */
export function pcieLinkGbps(generation: number, lanes: number): number {
  return laneGbps[generation] * lanes;
}

/** What the topology of a host file looks like. */
export function topologySchema(
  constantSchema: (meaning: string, value: z.ZodType) => z.ZodObject,
): z.ZodObject {
  const node = object(
    'A node of the graph.',
    { name: name('Its name.'), kind: word('What it is.', nodeKinds), title: text('The product.', 120) },
    ['name', 'kind'],
  );
  const real = (unit: string, max: number, min = 0) => number(unit, { unit, min, max, integer: false });
  const whole = (unit: string, max: number) => number(unit, { unit, min: 1, max, integer: true });
  const link = object(
    'A link between two nodes.',
    {
      name: name('Its name; by default its lower end with -up, or its two ends with a hyphen.'),
      between: list('The names of its two ends.', name('A node.'), 2),
      kind: word('What it is; rate and latency follow from it.', linkKinds),
      generation: whole('PCIe generation', 6),
      lanes: whole('PCIe lanes', 32),
      gbps: constantSchema(
        'Its rate where it is not what its kind gives: a degraded link.',
        real('Gb/s', 100_000, 0.001),
      ),
      latencyNs: constantSchema(
        'Its latency, one way, where it is not what its kind gives.',
        real('ns', 1e9),
      ),
      acs: word(settings.acs.meaning, settings.acs.values),
    },
    ['between', 'kind'],
  );
  return object(
    'What hangs where.',
    {
      source: text('Where the structure comes from.', 500),
      nodes: list('The nodes.', node, 256),
      links: list('The links.', link, 1024),
    },
    ['source', 'nodes', 'links'],
  );
}
