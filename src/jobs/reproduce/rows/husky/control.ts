import type { Measurement, TenantInput } from '../../../../workload/index.js';
import type { Bench } from '../../bench.js';
import { conclude, figures, must, several, single } from '../../check.js';
import { missRate } from '../../readings.js';
import type { RowOutcome, RowSpec } from '../../row.js';
import type { Target } from '../../targets/target.js';

const ON = 'husky';

// §3.2: 6 cores, 16 connections each, 512 B WRITEs. What the paper does not give and what was chosen: 75 translations a QP
// (a working set of 7,200, set so that the victim alone misses as often as the paper says), batches of 8. The rate of
// deregistration is not given either; the device profile holds it (deregistrationNs, about 900 a second).
const VICTIM: TenantInput = {
  name: 'victim',
  opcode: 'WRITE',
  qps: 96,
  threads: 6,
  sizes: [512],
  batch: 8,
  mrs: 75,
  mrChoice: 'random',
};
const FACTS = [
  '75 MRs a QP, random (set so that H1 misses 17 %), batches of 8; miss rate of the sending NIC',
];
const REGISTRATIONS_PER_SECOND = 5000;
const DEREGISTRATIONS_PER_SECOND = 900;
/** H5: 'more than 18K MRs' over 96 QPs. */
const MANY_MRS = 192;
/** H4: flat is within 5 %. */
const NEGLIGIBLE = 0.05;

type Control = NonNullable<TenantInput['control']>;

/** The rows about MRs and the translation cache. */
export const controlRows: Readonly<Record<string, RowSpec>> = {
  H1: { facts: FACTS, unit: 'Gbps L2, share', run: (bench, target) => underControl(bench, target, []) },
  H2: {
    facts: FACTS,
    unit: 'Gbps L2, share',
    run: (bench, target) =>
      underControl(bench, target, [{ host: 'a', verb: 'register', perSecond: REGISTRATIONS_PER_SECOND }]),
  },
  H3: {
    facts: [...FACTS, '900 deregistrations a second (device profile)'],
    unit: 'Gbps L2, share',
    run: (bench, target) => underControl(bench, target, deregistering('a')),
  },
  H4: {
    facts: [...FACTS, "'negligible' is taken as under 5 %"],
    unit: 'loss',
    run: async (bench) => {
      const alone = await victim(bench, []);
      const disturbed = await victim(bench, deregistering('b'));
      const loss = 1 - disturbed.total.wireGbps / alone.total.wireGbps;
      return conclude(figures(loss), [must(loss < NEGLIGIBLE, `loses ${figures(loss * 100)} %`)]);
    },
  },
  H5: {
    facts: [`${MANY_MRS} MRs a QP (18,432 in all), random; loss against the same QPs with one MR each`],
    unit: 'loss',
    run: async (bench, target) => {
      const few = await bench.measure(ON, { tenants: [{ ...VICTIM, mrs: 1 }] });
      const many = await bench.measure(ON, { tenants: [{ ...VICTIM, mrs: MANY_MRS }] });
      return single(target, 1 - many.total.wireGbps / few.total.wireGbps);
    },
  },
};

function deregistering(hostName: string): Control {
  return [{ host: hostName, verb: 'deregister', perSecond: DEREGISTRATIONS_PER_SECOND }];
}

function victim(bench: Bench, control: Control): Promise<Measurement> {
  return bench.measure(ON, { tenants: [{ ...VICTIM, control }] });
}

async function underControl(bench: Bench, target: Target, control: Control): Promise<RowOutcome> {
  const measurement = await victim(bench, control);
  return several(target, {
    bandwidth: measurement.total.wireGbps,
    'MTT miss rate': missRate(measurement, 'a', 'mtt_cache'),
  });
}
