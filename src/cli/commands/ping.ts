import { diagnose, faultKinds, parseFault, statusesOf } from '../../jobs/ping/index.js';
import type { CommandSpec } from '../command.js';
import { ExitCode } from '../exit-code.js';
import { numberFlag, seedFlag } from '../flag-value.js';
import { formatPing, pingJson } from '../ping/report.js';
import { modelBaseline, openServer } from '../ping/server.js';

/** Probes must reach the path: what is shorter rides in the doorbell. */
const SMALL_BYTES = 64;

/** `kelpie ping`: the slow link inside a host, and what is wrong with it. */
export const ping: CommandSpec = {
  options: [
    { flags: '--host <name>', description: 'a host profile', default: 'hostping' },
    { flags: '--device <name>', description: 'the device profile of its RNICs', default: 'connectx-6-200g' },
    {
      flags: '--fault <fault...>',
      description: `break something first: ID@PLACE[:SEVERITY]; ${faultKinds.map(({ id }) => id).join(', ')}`,
    },
    { flags: '--no-settings', description: "judge by probes alone, without the host's own settings" },
    { flags: '--repetitions <number>', description: 'pairs of probes per path', default: '11' },
    { flags: '--seed <number>', description: 'seed of everything random', default: '1' },
    { flags: '--json', description: 'print the result as JSON' },
  ],
  examples: [
    'kelpie ping',
    'kelpie ping --fault acs@switch1',
    'kelpie ping --fault pcie-width@rnic2:0.25 --fault memory-channel@memory0',
    'kelpie ping --host hgx --fault ats-off@rnic3 --json',
  ],
  async run({ options, terminal }) {
    const seed = seedFlag(options);
    const repetitions = numberFlag(options, 'repetitions', '--repetitions', { min: 1, max: 1000 });
    const choice = { host: String(options['host']), device: String(options['device']), seed };
    const probes = { smallBytes: SMALL_BYTES, repetitions };
    const asked = (options['fault'] as string[] | undefined) ?? [];
    const baseline = await modelBaseline(choice, probes);
    const healthy = await openServer(choice);
    const faults = asked.map((text) => parseFault(text, healthy.plan));
    await healthy.close();
    const server = await openServer(
      choice,
      faults.map(({ description }) => description),
      probes,
    );
    try {
      const { plan } = server;
      const sweep = await server.sweep();
      const statuses = statusesOf(plan, sweep.readings, baseline);
      // Read as `lspci -vvv` would show it on a real host.
      const admissions = faults.flatMap(({ kind, place }) =>
        kind.admittedBy === null ? [] : [{ part: place, fault: kind.id, detail: kind.admittedBy }],
      );
      const diagnosis = diagnose({
        plan,
        readings: sweep.readings,
        statuses,
        baseline,
        ...(options['settings'] === false ? {} : { admissions }),
      });
      const result = { host: choice.host, plan, sweep, statuses, diagnosis, baseline: baseline.source };
      terminal.out(
        options['json'] === true ? `${JSON.stringify(pingJson(result), null, 2)}\n` : formatPing(result),
      );
      return diagnosis.findings.length === 0 ? ExitCode.GOOD : ExitCode.FOUND;
    } finally {
      await server.close();
    }
  },
};
