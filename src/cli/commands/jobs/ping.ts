import type { JobPool } from '../../../jobs/index.js';
import {
  checkUp,
  type EvaluationHost,
  evaluate,
  evaluatePairs,
  faultKinds,
  healthyTwin,
  openServer,
  parseFault,
  parseService,
  SIMULATED_PROBES,
} from '../../../jobs/ping/index.js';
import { defineCommand } from '../../command.js';
import { ExitCode } from '../../exit-code.js';
import { numberFlag, seedFlag } from '../../flag-value.js';
import { withPool } from '../../job-pool.js';
import { agentOrder } from '../../ping/agent-order.js';
import { runAgent } from '../../ping/agent-run.js';
import { runCollector } from '../../ping/collect-run.js';
import { printHistory } from '../../ping/history.js';
import { formatMatrix, summarise } from '../../ping/matrix.js';
import { runMesh } from '../../ping/mesh/mesh-run.js';
import { ownProfiles } from '../../ping/own-profiles.js';
import { formatPairs, summarisePairs } from '../../ping/pairs.js';
import { formatPing, pingJson } from '../../ping/report.js';
import { RUNS_FOLDER, readRuns } from '../../ping/runs-folder.js';
import { ProgressLine } from '../../progress.js';
import { workersFlag } from '../../workers-flag.js';

/** The server types of the matrix. */
const SERVER_TYPES = [
  'hostping',
  'hostping-cascaded',
  'hgx',
  'two-socket',
  'epyc-nps4',
  'epyc-remote',
  'single-rnic',
];

/** `kelpie ping`: the slow link inside a host, and what is wrong with it. */
export const ping = defineCommand({
  options: [
    {
      flags: '--host <name>',
      description: 'a host profile; default: hostping, with --matrix all server types',
    },
    {
      flags: '--profile <path>',
      description: 'your own profiles, such as kelpie doctor --host writes; the last host in them is used',
      repeats: true,
    },
    {
      flags: '--provider <name>',
      description:
        'software: processes on this machine, each with a software device, instead of a simulated server',
      default: 'simulated',
      choices: ['simulated', 'software'],
    },
    { flags: '--processes <number>', description: 'with --provider software', default: '4' },
    { flags: '--device <name>', description: 'the device profile of its RNICs', default: 'connectx-6-200g' },
    {
      flags: '--fault <fault...>',
      description: `inject a fault first: ID@PLACE[:SEVERITY]; ${faultKinds.map(({ id }) => id).join(', ')}`,
    },
    {
      flags: '--load <load...>',
      description: "service traffic during the probes: RNIC=SHARE of its port's rate",
    },
    { flags: '--no-settings', description: "judge by probes only, without the host's settings" },
    {
      flags: '--matrix',
      description: 'inject every fault at every place of every server type in turn, and count what is found',
    },
    {
      flags: '--pairs',
      description: 'with --matrix: every pair of fault kinds at once on one server, instead of single faults',
    },
    { flags: '--busy', description: 'with --matrix: each fault also on a server with service traffic' },
    {
      flags: '--sweeps <number>',
      description: 'with --matrix: healthy sweeps per server type',
      default: '20',
    },
    { flags: '--workers <number>', description: 'with --matrix: threads; default: number of processors' },
    {
      flags: '--repetitions <number>',
      description: 'pairs of probes per path; default: 11, with --matrix 3',
    },
    {
      flags: '--agent',
      description: 'watch the server: probe it when it is idle or raises an alarm, until Ctrl-C',
    },
    {
      flags: '--every <time>',
      description: 'with --agent: time between runs on an idle server',
      default: '5m',
    },
    { flags: '--for <time>', description: 'with --agent: end after this time, simulated without waiting' },
    { flags: '--name <name>', description: 'with --agent: name of the server; default: its profile' },
    {
      flags: '--folder <path>',
      description: `with --agent, --history: where runs are kept; default: ${RUNS_FOLDER}, with --for nowhere`,
    },
    { flags: '--keep <time>', description: 'with --agent: age at which runs are deleted', default: '92d' },
    {
      flags: '--keep-mb <number>',
      description: 'with --agent: size in MB above which the oldest runs are deleted',
      default: '256',
    },
    {
      flags: '--serve <place>',
      description: 'with --agent: serve a page and metrics at ADDRESS:PORT, such as 127.0.0.1:8080',
    },
    { flags: '--report <url>', description: 'with --agent: report every run to a collector' },
    {
      flags: '--collect <place>',
      description: 'collect reports from agents and serve a page of the fleet at ADDRESS:PORT, until Ctrl-C',
    },
    { flags: '--max-hosts <number>', description: 'with --collect: most hosts to accept', default: '4096' },
    { flags: '--history <link>', description: 'print the history of a link from the runs in a folder' },
    { flags: '--runs <number>', description: 'with --history: how many of the latest runs', default: '288' },
    { flags: '--seed <number>', description: 'random seed', default: '1' },
    { flags: '--json', description: 'print the result as JSON' },
  ],
  examples: [
    'kelpie ping',
    'kelpie ping --fault acs@switch1',
    'kelpie ping --fault pcie-width@rnic2:0.25 --fault memory-channel@memory0',
    'kelpie ping --fault load-upi@socket0-socket1 --load rnic0=0.6 --load rnic2=0.6',
    'kelpie ping --host hgx --fault ats-off@rnic3 --json',
    'kelpie ping --profile my-server.yaml --fault pcie-width@rnic0',
    'kelpie ping --provider software --processes 3 --fault busy@p1',
    'kelpie ping --matrix --seed 7 --sweeps 100',
    'kelpie ping --agent --for 24h --fault memory-channel@memory0:from=3600s:for=700s:every=2000s',
    'kelpie ping --agent --folder my-runs --serve 127.0.0.1:8080',
    'kelpie ping --agent --report http://127.0.0.1:9090 --name gpu-17',
    'kelpie ping --collect 127.0.0.1:9090',
    'kelpie ping --history gpu5 --folder my-runs',
  ],
  endsByInterrupt: ({ agent, collect }) => agent === true || collect !== undefined,
  async run({ options, terminal, signal }) {
    const seed = seedFlag(options);
    const { matrix = false } = options;
    const usual = { ...options, repetitions: options.repetitions ?? (matrix ? '3' : '11') };
    const repetitions = numberFlag(usual, '--repetitions', { min: 1, max: 1000 });
    if (options.provider === 'software') {
      const processes = numberFlag(options, '--processes', { min: 2, max: 32 });
      const request = { processes, repetitions, faults: options.fault ?? [], json: options.json === true };
      return runMesh(request, terminal, signal);
    }
    const { profiles, host } = ownProfiles(options.profile ?? []);
    const named = options.host ?? host;
    const choice = { host: named ?? 'hostping', device: options.device, seed, profiles };
    const probes = { ...SIMULATED_PROBES, repetitions };
    if (options.history !== undefined) {
      const history = await readRuns(options.folder ?? RUNS_FOLDER);
      const runs = numberFlag(options, '--runs', { min: 1, max: 1e6 });
      await printHistory(history, options.history, { runs, json: options.json === true, terminal });
      await history.close();
      return ExitCode.GOOD;
    }
    if (options.collect !== undefined) {
      const maxHosts = numberFlag(options, '--max-hosts', { min: 1, max: 100_000 });
      return runCollector(options.collect, maxHosts, terminal, signal);
    }
    if (options.agent === true) {
      const order = agentOrder(options, { choice, probes });
      return runAgent(order, terminal, signal);
    }
    if (matrix) {
      const progress = new ProgressLine(terminal, performance.now()).keepGoing('the first sweeps');
      const host = (pool: JobPool): EvaluationHost => ({
        ...{ pool, signal },
        onProgress: (done, of) =>
          progress.estimate(done / of, performance.now(), () => `${done} of ${of} sweeps`),
      });
      const workers = workersFlag(options, '--workers');
      if (options.pairs === true) {
        const pairs = await withPool(workers, signal, (pool) =>
          evaluatePairs({ choice, probes, ...host(pool) }),
        ).finally(() => progress.end());
        const summary = summarisePairs(pairs);
        terminal.out(
          options.json === true
            ? `${JSON.stringify({ ...summary, each: pairs }, null, 2)}\n`
            : formatPairs(choice.host, seed, pairs),
        );
        return ExitCode.GOOD;
      }
      const evaluation = await withPool(workers, signal, (pool) =>
        evaluate({
          hosts: named === undefined ? SERVER_TYPES : [named],
          profiles,
          device: options.device,
          seed,
          probes,
          busy: options.busy === true,
          settings: options.settings !== false,
          healthySweeps: numberFlag(options, '--sweeps', { min: 0, max: 1e6 }),
          ...host(pool),
        }),
      ).finally(() => progress.end());
      terminal.out(
        options.json === true
          ? `${JSON.stringify({ ...summarise(evaluation), ...evaluation }, null, 2)}\n`
          : formatMatrix(evaluation),
      );
      return evaluation.healthy.some(({ alarms }) => alarms > 0) ? ExitCode.FOUND : ExitCode.GOOD;
    }
    const asked = options.fault ?? [];
    const twin = await healthyTwin(choice, probes);
    const { plan, baseline } = twin;
    const faults = [
      ...asked.map((text) => parseFault(text, plan).description),
      ...(options.load ?? []).flatMap((text) => parseService(text, plan, twin.portGbps)),
    ];
    const server = await openServer(choice, faults, probes);
    try {
      // Which faults were injected is not known from here on.
      const settings = options.settings !== false;
      const { sweep, statuses, diagnosis } = await checkUp(server, twin, { settings });
      const result = { host: choice.host, plan, sweep, statuses, diagnosis, baseline: baseline.source };
      terminal.out(
        options.json === true ? `${JSON.stringify(pingJson(result), null, 2)}\n` : formatPing(result),
      );
      return diagnosis.findings.length === 0 ? ExitCode.GOOD : ExitCode.FOUND;
    } finally {
      await server.close();
    }
  },
});
