import { KelpieError } from '../../../error.js';
import { contractCases } from '../cases.js';
import { ContractBench, type ContractDevices, ContractSkipped } from './bench.js';
import { type ContractCase, missingNeed } from './case.js';

/** Cases that a provider is excused from, and why. */
export interface SkipRule {
  reason: string;
  /** Full names, or a pattern over names. */
  cases: readonly string[] | RegExp;
}

/** How to run the suite against a provider. */
export interface ContractOptions {
  /** The provider's name, for people. */
  name: string;
  /** Opens two fresh devices that can reach each other; called once a case. */
  open(): Promise<ContractDevices>;
  /** Named skips; one that matches no case is an error, so that none outlives its reason. */
  skip?: readonly SkipRule[];
  /** How long to wait for what must happen, on the provider's clock; default: 5 s. */
  patienceNs?: number;
  /** Other cases than all of them. */
  cases?: readonly ContractCase[];
}

/** A case and whether a skip rule excuses the provider from it. */
export interface PlannedCase {
  case: ContractCase;
  skipReason: string | null;
}

/** What came of a case. */
export type CaseOutcome = { kind: 'passed' } | { kind: 'skipped'; reason: string };

/** What came of all cases. */
export interface ContractReport {
  provider: string;
  passed: string[];
  failed: { name: string; reason: string }[];
  skipped: { name: string; reason: string }[];
}

/** Pairs every case with the rule that skips it. Refused with CONTRACT_SKIP_UNUSED where a rule names no case. */
export function planContract(options: Pick<ContractOptions, 'skip' | 'cases'>): PlannedCase[] {
  const planned = (options.cases ?? contractCases).map(
    (each): PlannedCase => ({ case: each, skipReason: null }),
  );
  for (const rule of options.skip ?? []) {
    const wanted = rule.cases instanceof RegExp ? [rule.cases] : rule.cases;
    for (const want of wanted) {
      const hits = planned.filter(({ case: { name } }) =>
        typeof want === 'string' ? name === want : want.test(name),
      );
      if (hits.length === 0) {
        throw new KelpieError('CONTRACT_SKIP_UNUSED', 'a skip matches no case of the contract suite', {
          field: 'skip',
          given: String(want),
        });
      }
      for (const hit of hits) hit.skipReason = rule.reason;
    }
  }
  return planned;
}

/** Runs one case on fresh devices; throws when the provider breaks the promise. */
export async function runCase(planned: PlannedCase, options: ContractOptions): Promise<CaseOutcome> {
  if (planned.skipReason !== null) return { kind: 'skipped', reason: planned.skipReason };
  const devices = await options.open();
  try {
    for (const need of planned.case.needs) {
      const reason = missingNeed(need, [devices.left, devices.right], devices.lossless);
      if (reason !== null) return { kind: 'skipped', reason };
    }
    const bench = new ContractBench(devices, options.patienceNs ?? 5e9);
    await planned.case.run(bench);
    bench.dispose();
    return { kind: 'passed' };
  } catch (error) {
    if (error instanceof ContractSkipped) return { kind: 'skipped', reason: error.message };
    throw error;
  } finally {
    await devices.close();
  }
}

/**
 * Runs the whole suite without a test framework.
 *
 * @example
 * const report = await runContract({ name: 'mine', open: openMine });
 * for (const { name, reason } of report.failed) print(`${name}: ${reason}`);
 */
export async function runContract(options: ContractOptions): Promise<ContractReport> {
  const report: ContractReport = { provider: options.name, passed: [], failed: [], skipped: [] };
  for (const planned of planContract(options)) {
    const { name } = planned.case;
    try {
      const outcome = await runCase(planned, options);
      if (outcome.kind === 'passed') report.passed.push(name);
      else report.skipped.push({ name, reason: outcome.reason });
    } catch (error) {
      report.failed.push({ name, reason: error instanceof Error ? error.message : String(error) });
    }
  }
  return report;
}
