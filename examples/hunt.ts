// A small hunt for anomalies in code: thirty experiments on the subsystem that `kelpie hunt` searches by default.
import { answerOf, type Experiment, hunt, planFor } from 'kelpie/hunt';
import { findProfile, resolveSubsystem } from 'kelpie/profiles';
import { openTestbedFor } from 'kelpie/testbeds';
import { runWorkload } from 'kelpie/workload';

const subsystem = resolveSubsystem(findProfile('subsystem', 'collie-f-as-tested'));
const experiment: Experiment = async (workload, seed) => {
  const testbed = await openTestbedFor(workload, { subsystem, seed });
  try {
    return await runWorkload(workload, testbed, { seed });
  } finally {
    await testbed.close();
  }
};
const plan = planFor(subsystem, { kind: 'experiments', amount: 30 }, { seed: 1, advice: false });
const result = await hunt(plan, { experiment });
const { experiments, anomalies } = answerOf(subsystem.name, plan, result, 0);
console.log(`${experiments} experiments, ${anomalies.length} anomalies`);
for (const { symptom, severity, features } of anomalies)
  console.log(`${symptom} ${(severity * 100).toFixed(1)} %: ${features.join('; ')}`);
