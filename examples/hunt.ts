// A small hunt for anomalies in code: thirty experiments on the subsystem that `kelpie hunt` searches by default, watched
// as they end.
import { hunt } from 'kelpie/hunt';

const kinds = new Map<string, number>();
const { experiments, anomalies } = await hunt(
  { testbed: { subsystem: 'collie-f-as-tested' }, budget: '30', seed: 1, advice: false },
  { onExperiment: ({ purpose }) => kinds.set(purpose, (kinds.get(purpose) ?? 0) + 1) },
);
console.log([...kinds].map(([purpose, count]) => `${count} ${purpose}`).join(', '));
console.log(`${experiments} experiments, ${anomalies.length} anomalies`);
for (const { symptom, severity, features } of anomalies)
  console.log(`${symptom} ${(severity * 100).toFixed(1)} %: ${features.join('; ')}`);
