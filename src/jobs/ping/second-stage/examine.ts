import type { Context } from '../../../verbs/index.js';
import type { Plan } from '../plan.js';
import { type ProbeOptions, Prober } from '../probe.js';
import type { Baseline } from '../status.js';
import type { CoreReading, Questions, SecondStage, WindowReading } from './second-stage.js';
import { stream } from './stream.js';

/** What the second stage is asked on. */
export interface ExaminedHost {
  readonly plan: Plan;
  readonly baseline: Baseline;
  readonly probes: ProbeOptions;
  contextOf(rnic: string): Context;
}

/** A few, since the second stage may take ten milliseconds per probe. */
const REPETITIONS = 3;
/** Longer than any core stays awake for nothing. */
const PAUSE_NS = 5e6;

/** What an IOTLB holds lies between the ends (256 to 512 KB, pcie-bench). */
const WINDOWS_BYTES = [2 ** 16, 2 ** 18, 2 ** 20, 2 ** 22, 2 ** 24, 2 ** 26];
const SIZES_BYTES = [2 ** 12, 2 ** 14, 2 ** 16, 2 ** 18, 2 ** 20];
/** The large probe of a pair that steps through a window, a page long. */
const STEP_BYTES = 4096;
/** Windows are passed three times, so that most of what is counted could be remembered; large ones in part. */
const PASSES = 3;
const MOST_STEPS = 96;

/** Probes what the first stage left open. */
export async function examine(host: ExaminedHost, questions: Questions): Promise<SecondStage> {
  const { plan, baseline } = host;
  const contextOf = (rnic: string) => host.contextOf(rnic);
  const streams = [];
  for (const { rnic, path } of questions.streams) {
    const { endpoint } = plan.paths[path];
    const over = async (queuePairs: number) =>
      (await stream([{ rnic, from: endpoint, to: endpoint, queuePairs }], contextOf))[0];
    const expectedGbps = baseline.paths[path].gbps;
    streams.push({
      ...{ rnic, endpoint, expectedGbps },
      ...{ one: await over(1), four: await over(4), sixteen: await over(16) },
    });
  }
  const cores: CoreReading[] = [];
  for (const path of questions.cores) cores.push(await fromCores(host, path));
  const windows: WindowReading[] = [];
  for (const path of questions.windows) windows.push(await throughWindows(host, path));
  const joint = [];
  for (const endpoint of questions.joint) {
    const { rnics } = plan;
    const flows = rnics.map((rnic) => ({ rnic, from: endpoint, to: endpoint, queuePairs: 4 }));
    const rates = await stream(flows, contextOf);
    joint.push({ endpoint, rnics, gbps: 2 * rates.reduce((sum, rate) => sum + rate, 0) });
  }
  const crossed = [];
  for (const { path, other } of questions.crossed) {
    const { rnic, endpoint } = plan.paths[path];
    const [readGbps] = await stream([{ rnic, from: endpoint, to: other, queuePairs: 4 }], contextOf);
    const [writtenGbps] = await stream([{ rnic, from: other, to: endpoint, queuePairs: 4 }], contextOf);
    crossed.push({ rnic, endpoint, other, readGbps, writtenGbps });
  }
  const further = new Prober(plan, contextOf, { ...host.probes, repetitions: REPETITIONS });
  const { readings } = await further.sweep((path) => questions.apart.includes(path));
  const apart = questions.apart.flatMap((path) => {
    const gbps = readings[path]?.gbps ?? null;
    return gbps === null ? [] : [{ path, gbps }];
  });
  return { streams, cores, windows, joint, crossed, apart };
}

/** Small probes of a path, a page apart, through windows of growing size; and its bandwidth by the size of messages. */
async function throughWindows(
  { plan, probes, contextOf }: ExaminedHost,
  path: number,
): Promise<WindowReading> {
  const reading = async (options: ProbeOptions) => {
    const prober = new Prober(plan, contextOf, { ...probes, ...options });
    return (await prober.sweep((each) => each === path)).readings[path];
  };
  const windows = [];
  for (const bytes of WINDOWS_BYTES) {
    const steps = Math.min(MOST_STEPS, (PASSES * bytes) / STEP_BYTES / 2);
    const window = { memoryWindowBytes: bytes, largeBytes: STEP_BYTES, repetitions: steps };
    windows.push({ bytes, latencyNs: (await reading(window))?.latencyNs ?? Number.NaN });
  }
  const sizes = [];
  for (const bytes of SIZES_BYTES) {
    const size = { memoryWindowBytes: 2 * bytes, largeBytes: bytes, repetitions: REPETITIONS };
    sizes.push({ bytes, gbps: (await reading(size))?.gbps ?? Number.NaN });
  }
  return { path, windows, sizes };
}

/** The small probe of a path from each socket, and with pauses, on the socket that the program has without a choice. */
async function fromCores({ plan, probes, contextOf }: ExaminedHost, path: number): Promise<CoreReading> {
  const latencyNs = async (options: ProbeOptions) => {
    const prober = new Prober(plan, contextOf, { ...probes, ...options, repetitions: REPETITIONS });
    const { readings } = await prober.sweep((each) => each === path);
    return readings[path]?.latencyNs ?? Number.NaN;
  };
  const sockets = 1 + plan.links.filter(({ place }) => place === 'inter-socket').length;
  const bySocketNs = [];
  for (let socket = 0; socket < Math.min(sockets, 2); socket++) bySocketNs.push(await latencyNs({ socket }));
  return {
    path,
    bySocketNs,
    unpausedNs: await latencyNs({}),
    pausedNs: await latencyNs({ spacingNs: PAUSE_NS }),
  };
}
