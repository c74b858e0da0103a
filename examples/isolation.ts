// What does a neighbour that is never ready to receive do to a tenant, and which scheme keeps it away?
import { type ExperimentBench, runExperiment } from 'kelpie/isolate';
import { schemes } from 'kelpie/schemes';
import { openTestbed } from 'kelpie/testbeds';

const bench: ExperimentBench = {
  open: async ({ hosts, seed, isolation }) => ({
    testbed: await openTestbed({ subsystem: 'husky', hosts, seed, isolation }),
    bounds: null,
  }),
};
const victim = { victim: 'large_bw_write', guaranteeGbps: 50, bypass: false, series: false, seed: 1 };
for (const { name } of schemes.filter((scheme) => ['none', 'sr-iov', 'harmonic'].includes(scheme.name))) {
  const alone = await runExperiment({ ...victim, scheme: name, attacker: null }, bench);
  const beside = await runExperiment({ ...victim, scheme: name, attacker: 'PU-RNR_UC-RNR' }, bench);
  if (alone.kind === 'refused' || beside.kind === 'refused') continue;
  console.log(`${name}: ${alone.gbps.toFixed(1)} Gb/s alone, ${beside.gbps.toFixed(1)} beside the attacker`);
}
