import type { DiagnosisInput } from './diagnosis-input.js';
import { type Finding, finding } from './finding.js';

/** Endpoints that no RNIC reaches, and hosts on which no GPU can be registered. */
export function deadEndpoints({ plan, readings, statuses, admissions = [] }: DiagnosisInput): Finding[] {
  const dead = plan.endpoints.filter((endpoint) => {
    const own = statuses.filter((_, path) => plan.paths[path].endpoint === endpoint);
    return (
      own.some(({ state }) => state === 'failed') &&
      own.every(({ state }) => state === 'failed' || state === 'unjudged')
    );
  });
  // On a busy host some GPUs are not probed at all.
  const probed = plan.paths.filter(
    ({ endpointKind }, path) => endpointKind === 'gpu' && readings[path] !== null,
  );
  const gpus = [...new Set(probed.map(({ endpoint }) => endpoint))];
  const why = (endpoint: string) =>
    statuses.find((status, path) => plan.paths[path].endpoint === endpoint && status.state === 'failed')
      ?.why ?? '';
  const admitted = admissions.find(({ fault }) => fault === 'gdr-dead');
  if (gpus.length > 1 && gpus.every((gpu) => dead.includes(gpu))) {
    const evidence = [`the memory of none of ${gpus.length} GPUs can be registered`, why(gpus[0])];
    return [
      finding('gdr-dead', {
        links: [],
        alternatives: [],
        certainty: admitted === undefined ? 'suspected' : 'verified',
        evidence: admitted === undefined ? evidence : [...evidence, admitted.detail],
        tellApart: [],
      }),
    ];
  }
  return dead.map((endpoint) =>
    finding('gpu-off-bus', {
      links: plan.links.filter(({ ends }) => ends.includes(endpoint)).map(({ name }) => name),
      alternatives: [],
      certainty: 'suspected',
      evidence: [why(endpoint)],
      tellApart: [],
    }),
  );
}
