import type { Random } from '../../engine/index.js';
import {
  allToAll,
  distributionNames,
  type FlowSpec,
  incast,
  inOrder,
  nameOf,
  permutation,
  pipeline,
  poisson,
  publishedDistribution,
  Reach,
  readDistribution,
  readFlows,
  ringAllReduce,
  type SizeDistribution,
  type Topology,
} from '../../models/fabric/index.js';
import { nearest, type Path, type SourceDocument } from '../../schema/index.js';
import { DATA_CLASS, type PatternDescription } from './description.js';
import { checkFields, type KindFields } from './fields.js';
import { findNode } from './nodes.js';

const COMMON = ['trafficClass', 'startNs', 'firstHost', 'hosts'];
/** More flows do not fit into memory that people have. */
const MOST_FLOWS = 4_000_000;
/** HPCC's analysis takes these for ordinary flows and for incasts. */
const ORDINARY_DPORT = 100;
const INCAST_DPORT = 200;

const FIELDS: Readonly<Record<PatternDescription['kind'], KindFields>> = {
  poisson: { required: ['sizes', 'load', 'durationNs'], optional: COMMON },
  incast: { required: ['fanIn', 'bytes'], optional: ['times', 'periodNs', 'target', ...COMMON] },
  permutation: { required: ['bytes'], optional: COMMON },
  'all-reduce': { required: ['bytes'], optional: ['computeNs', ...COMMON] },
  'all-to-all': { required: ['bytes'], optional: ['computeNs', ...COMMON] },
  pipeline: { required: ['bytes', 'microbatches'], optional: ['computeNs', ...COMMON] },
  flows: { required: ['file'], optional: [] },
};

/** What patterns are made for. */
export interface WorkloadContext {
  readonly document: SourceDocument;
  readonly topology: Topology;
  readonly hostBps: number;
  /** Hosts with full NICs: patterns leave them out, but an incast may be aimed at one. */
  readonly full: readonly number[];
  readonly random: Random;
  readText(file: string, field: string): string;
}

/** The flows of all patterns in order of start; reports what is wrong with them. */
export function flowsOf(patterns: readonly PatternDescription[], context: WorkloadContext): FlowSpec[] {
  const { topology, document } = context;
  const reach = new Reach(topology);
  const flows = patterns.flatMap((pattern, index) => {
    const made = new PatternReader(pattern, index, context).flows();
    const cut = made.find(({ source, target }) => !reach.connects(source, target));
    if (cut !== undefined)
      document.report(document.kind.codes.outOfRange, ['workload', index], {
        problem: 'there is no path from one of its hosts to another',
        given: `${nameOf(topology, cut.source)} to ${nameOf(topology, cut.target)}`,
        allowed: 'hosts that switches connect',
      });
    return made;
  });
  return inOrder(flows);
}

class PatternReader {
  private readonly pattern: PatternDescription;
  private readonly context: WorkloadContext;
  private readonly path: Path;
  private readonly random: Random;

  constructor(pattern: PatternDescription, index: number, context: WorkloadContext) {
    this.pattern = pattern;
    this.context = context;
    this.path = ['workload', index];
    this.random = context.random.split(`pattern ${index}`);
  }

  flows(): FlowSpec[] {
    const { pattern, context, path } = this;
    const fields = FIELDS[pattern.kind];
    checkFields(context.document, path, pattern, pattern.kind, fields);
    if (fields.required.some((field) => pattern[field as keyof PatternDescription] === undefined)) return [];
    if (pattern.kind === 'flows') return this.fromFile(pattern.file!);
    const hosts = this.hosts();
    if (hosts === null) return [];
    const { trafficClass = DATA_CLASS, startNs = 0, bytes = 0 } = pattern;
    const kind = { trafficClass, dport: ORDINARY_DPORT, startNs, hosts };
    switch (pattern.kind) {
      case 'poisson':
        return this.poisson(kind);
      case 'incast':
        return this.incast({ ...kind, dport: INCAST_DPORT });
      case 'permutation':
        return permutation({ ...kind, bytes }, this.random);
      case 'all-reduce':
      case 'all-to-all':
      case 'pipeline':
        return this.collective(pattern.kind, { ...kind, bytes });
    }
  }

  private collective(
    kind: 'all-reduce' | 'all-to-all' | 'pipeline',
    given: { trafficClass: number; dport: number; startNs: number; hosts: number[]; bytes: number },
  ): FlowSpec[] {
    const { computeNs = 0, microbatches = 1 } = this.pattern;
    const { length } = given.hosts;
    const count = kind === 'pipeline' ? 2 * microbatches * length : 2 * length * length;
    if (count > MOST_FLOWS)
      return this.refuse('hosts', 'too many flows', length, `up to ${MOST_FLOWS} flows`);
    const options = { ...given, computeNs };
    if (kind === 'pipeline') return pipeline({ ...options, microbatches });
    return kind === 'all-reduce' ? ringAllReduce(options) : allToAll(options);
  }

  private fromFile(file: string): FlowSpec[] {
    return readFlows(file, this.read(file, 'file'), this.context.topology);
  }

  private poisson(kind: {
    trafficClass: number;
    dport: number;
    startNs: number;
    hosts: number[];
  }): FlowSpec[] {
    const { load = 0, durationNs = 0 } = this.pattern;
    const sizes = this.sizes();
    if (sizes === null) return [];
    const { hostBps } = this.context;
    const expected = (kind.hosts.length * durationNs * hostBps * load) / (sizes.meanBytes * 8e9);
    if (expected > MOST_FLOWS) {
      this.refuse(
        'durationNs',
        'too many flows',
        durationNs,
        `about ${MOST_FLOWS} flows, not ${expected.toExponential(1)}`,
      );
      return [];
    }
    return poisson({ ...kind, sizes, load, hostBps, durationNs }, this.random);
  }

  private incast(kind: {
    trafficClass: number;
    dport: number;
    startNs: number;
    hosts: number[];
  }): FlowSpec[] {
    const { fanIn = 1, bytes = 1, times = 1, periodNs } = this.pattern;
    const target = this.target(kind.hosts);
    if (target === null) return [];
    const most = kind.hosts.length - (target === undefined || kind.hosts.includes(target) ? 1 : 0);
    if (fanIn > most) return this.refuse('fanIn', 'more senders than there are', fanIn, `1 to ${most}`);
    if (fanIn * times > MOST_FLOWS)
      return this.refuse('times', 'too many flows', times, `up to ${MOST_FLOWS} flows`);
    if (times > 1 && periodNs === undefined)
      return this.refuse(
        'periodNs',
        'the field is missing',
        undefined,
        'the time from one incast to the next',
      );
    const where = target === undefined ? {} : { target };
    return incast({ ...kind, fanIn, bytes, times, periodNs: periodNs ?? 0, ...where }, this.random);
  }

  /** The receiver if there is one; null if it is no host that takes part. */
  private target(hosts: readonly number[]): number | undefined | null {
    const { target } = this.pattern;
    if (target === undefined) return undefined;
    const node = findNode(this.context.topology, target);
    if (node !== null && (hosts.includes(node) || this.context.full.includes(node))) return node;
    this.refuse('target', 'not a host that takes part', target, 'the name or the number of a host');
    return null;
  }

  /** Light hosts, from the host of this number on: full ones count, but do not take part. */
  private hosts(): number[] | null {
    const { topology, full } = this.context;
    const { isSwitch } = topology;
    const all = [...isSwitch.keys()].filter((node) => isSwitch[node] === 0);
    const { firstHost = 0 } = this.pattern;
    const left = all.slice(firstHost).filter((node) => !full.includes(node));
    const { hosts = left.length } = this.pattern;
    if (hosts >= 2 && hosts <= left.length) return left.slice(0, hosts);
    const light = all.filter((node) => !full.includes(node));
    const others = full.length === 0 ? 'hosts' : 'hosts beside the full ones';
    if (light.length < 2)
      this.refuse('hosts', `there are too few ${others}`, light.length, '2 or more in the topology');
    else if (left.length < 2)
      this.refuse(
        'firstHost',
        `fewer than 2 ${others} are left from here on`,
        firstHost,
        `0 to ${all.indexOf(light[light.length - 2])}`,
      );
    else
      this.refuse(
        'hosts',
        `there are ${left.length} ${others}${firstHost === 0 ? '' : ` from host ${firstHost} on`}`,
        hosts,
        left.length === 2 ? '2' : `2 to ${left.length}`,
      );
    return null;
  }

  private sizes(): SizeDistribution | null {
    const name = this.pattern.sizes!;
    const published = publishedDistribution(name);
    if (published !== undefined) return published;
    if (/[./\\]/.test(name)) return readDistribution(name, this.read(name, 'sizes'));
    const meant = nearest(name, distributionNames);
    this.context.document.report(this.context.document.kind.codes.outOfRange, [...this.path, 'sizes'], {
      problem: 'no such distribution',
      given: name,
      allowed: `${distributionNames.join(', ')}, or a file`,
      meant,
    });
    return null;
  }

  private read(file: string, field: string): string {
    return this.context.readText(file, `workload[${this.path[1]}].${field}`);
  }

  private refuse(field: string, problem: string, given: unknown, allowed: string): FlowSpec[] {
    const { document } = this.context;
    document.report(document.kind.codes.outOfRange, [...this.path, field], { problem, given, allowed });
    return [];
  }
}
