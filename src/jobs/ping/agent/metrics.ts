import { Exposition, type Labels } from '../../exposition.js';
import type { Plan } from '../plan.js';
import type { HostSample } from './monitor.js';
import type { RunRecord } from './run-record.js';

/** What the numbers of a state are, in the order of the numbers. */
const PATH_STATES = ['normal', 'abnormal', 'failed', 'unjudged'];
const LINK_STATES = ['normal', 'abnormal', 'flapping', 'overloaded', 'gray', 'unknown'];

const words = (states: readonly string[]) => states.map((state, number) => `${number} ${state}`).join(', ');

/**
 * What an agent tells Prometheus, in its text format 0.0.4. Labels have the names of the plan and of causes, so their
 * number is bounded by the host. What was not read has no sample.
 *
 * @example
 * const metrics = new AgentMetrics(plan);
 * metrics.run(record);
 * response.end(metrics.text());
 */
export class AgentMetrics {
  private readonly plan: Plan;
  private readonly runs = new Map<string, number>();
  private readonly skips = new Map<string, number>();
  private probeBytes = 0;
  private probeSeconds = 0;
  private last: RunRecord | null = null;
  private lastSample: HostSample | null = null;

  constructor(plan: Plan) {
    this.plan = plan;
  }

  run(record: RunRecord): void {
    this.last = record;
    this.runs.set(record.trigger, (this.runs.get(record.trigger) ?? 0) + 1);
    this.probeBytes += record.cost.bytes;
    this.probeSeconds += record.cost.busyNs / 1e9;
  }

  skip(reason: string): void {
    this.skips.set(reason, (this.skips.get(reason) ?? 0) + 1);
  }

  sample(sample: HostSample): void {
    this.lastSample = sample;
  }

  text(): string {
    const { plan, last } = this;
    const text = new Exposition('kelpie_ping');
    const paths = plan.paths.flatMap(({ rnic, endpoint }, path) => {
      const read = last?.paths[path] ?? null;
      return read === null ? [] : [{ labels: { rnic, endpoint }, read }];
    });
    const links =
      last === null ? [] : plan.links.map(({ name }, link) => ({ labels: { link: name }, link, name }));
    text.family('path_gbps', 'gauge', 'Bandwidth of a path.');
    for (const { labels, read } of paths) text.sample(labels, read.gbps);
    text.family('path_latency_us', 'gauge', 'Latency of a path, median of the small probe.');
    for (const { labels, read } of paths)
      text.sample(labels, read.latencyNs === null ? null : read.latencyNs / 1000);
    text.family('path_status', 'gauge', `State of a path: ${words(PATH_STATES)}.`);
    for (const { labels, read } of paths) text.sample(labels, PATH_STATES.indexOf(read.state));
    text.family('link_status', 'gauge', `State of a link: ${words(LINK_STATES)}.`);
    for (const { labels, link, name } of links)
      text.sample(
        labels,
        LINK_STATES.indexOf(last!.flapping.includes(name) ? 'flapping' : last!.links[link]),
      );
    text.family('link_accusers', 'gauge', 'RNICs whose paths accuse a link.');
    for (const { labels, link } of links) text.sample(labels, last!.accusers[link]);
    text.family('link_utilisation', 'gauge', 'Use of a link without probes, 0 to 1.');
    for (const { labels, link } of links) text.sample(labels, last!.utilisation[link]);
    text.family('bottleneck', 'gauge', 'Links that the last run named, with the cause.');
    for (const labels of bottlenecks(last)) text.sample(labels, 1);
    text.family('runs_total', 'counter', 'Runs by what caused them.');
    for (const [trigger, count] of this.runs) text.sample({ trigger }, count);
    text.family('skipped_total', 'counter', 'Runs that were due and not made, by reason.');
    for (const [reason, count] of this.skips) text.sample({ reason }, count);
    text.family('probe_bytes_total', 'counter', 'Bytes that probes read, and wrote.');
    text.sample({}, this.probeBytes);
    text.family('probe_seconds_total', 'counter', 'Time in which a probe was in flight.');
    text.sample({}, this.probeSeconds);
    text.family('rnic_pause_ratio', 'gauge', 'Share of the last second in which an RNIC paused its peer.');
    for (const { rnic, pauseShare } of this.lastSample?.rnics ?? []) text.sample({ rnic }, pauseShare);
    return text.end();
  }
}

/** Links and causes of a run, each pair once. */
function bottlenecks(record: RunRecord | null): Labels[] {
  const pairs = new Map<string, Labels>();
  for (const { links, cause } of record?.findings ?? [])
    for (const link of links.length === 0 ? ['host'] : links) pairs.set(`${link}\n${cause}`, { link, cause });
  return [...pairs.values()];
}
