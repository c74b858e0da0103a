import type { Random } from '../../../engine/random.js';
import type { FlowSpec } from '../nic/flow-spec.js';
import type { SizeDistribution } from './size-distribution.js';

/** What all flows of a pattern have in common. */
export interface FlowKind {
  readonly trafficClass: number;
  /** Part of the hash; HPCC's analysis takes 100 for ordinary flows and 200 for incasts. */
  readonly dport: number;
}

/** Open-loop traffic: every host starts flows at random times, each to a random other host. */
export interface PoissonOptions extends FlowKind {
  readonly hosts: readonly number[];
  readonly sizes: SizeDistribution;
  /** Share of the hosts' bandwidth. */
  readonly load: number;
  readonly hostBps: number;
  readonly startNs: number;
  readonly durationNs: number;
}

/** Poisson arrivals as HPCC's traffic generator makes them. */
export function poisson(options: PoissonOptions, random: Random): FlowSpec[] {
  const { hosts, sizes, load, hostBps, startNs, durationNs, trafficClass, dport } = options;
  const gapNs = (sizes.meanBytes * 8e9) / (hostBps * load);
  const flows: FlowSpec[] = [];
  for (const [index, source] of hosts.entries()) {
    const own = random.split(`host ${index}`);
    for (let atNs = own.nextExponential(gapNs); atNs < durationNs; atNs += own.nextExponential(gapNs)) {
      const other = own.nextInt(hosts.length - 1);
      const target = hosts[other < index ? other : other + 1];
      flows.push({
        source,
        target,
        trafficClass,
        dport,
        bytes: sizes.draw(own),
        startNs: startNs + Math.floor(atNs),
      });
    }
  }
  return inOrder(flows);
}

/** Many hosts send to one at once, again and again. */
export interface IncastOptions extends FlowKind {
  readonly hosts: readonly number[];
  /** Senders per incast. */
  readonly fanIn: number;
  readonly bytes: number;
  readonly startNs: number;
  /** Incasts, and the time from one to the next. */
  readonly times: number;
  readonly periodNs: number;
  /** The receiver; a random one each time unless set. */
  readonly target?: number;
}

/** Incasts with random senders. */
export function incast(options: IncastOptions, random: Random): FlowSpec[] {
  const { hosts, fanIn, bytes, startNs, times, periodNs, trafficClass, dport } = options;
  const flows: FlowSpec[] = [];
  for (let time = 0; time < times; time++) {
    const target = options.target ?? random.pick(hosts);
    const senders = random.shuffle(hosts.filter((host) => host !== target)).slice(0, fanIn);
    for (const source of senders)
      flows.push({ source, target, trafficClass, dport, bytes, startNs: startNs + time * periodNs });
  }
  return inOrder(flows);
}

/** Every host sends to one other, and receives from one. */
export interface PermutationOptions extends FlowKind {
  readonly hosts: readonly number[];
  readonly bytes: number;
  readonly startNs: number;
}

/** A random permutation without fixed points. */
export function permutation(
  { hosts, bytes, startNs, trafficClass, dport }: PermutationOptions,
  random: Random,
): FlowSpec[] {
  // A random cycle through all hosts: everybody's target is somebody else.
  const order = random.shuffle([...hosts]);
  const targets = new Map(order.map((host, place) => [host, order[(place + 1) % order.length]]));
  return hosts.map((source) => ({
    source,
    target: targets.get(source)!,
    trafficClass,
    dport,
    bytes,
    startNs,
  }));
}

/** Sorts flows by start; those of one start stay in the order in which they were made. */
export function inOrder(flows: FlowSpec[]): FlowSpec[] {
  return flows.sort((a, b) => a.startNs - b.startNs);
}
