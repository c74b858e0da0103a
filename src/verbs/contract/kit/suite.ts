import { type ContractOptions, type PlannedCase, planContract, runCase } from './run.js';

/** What a test framework hands to a test: a way to say that it was skipped, and why (vitest, node:test). */
export interface TestHandle {
  skip(reason?: string): void;
}

/** The two functions of a test framework that the suite needs. */
export interface TestFramework {
  describe(name: string, body: () => void): void;
  it(name: string, body: (handle: TestHandle) => Promise<void>): void;
}

/**
 * Declares the contract suite as tests of a provider.
 *
 * @example
 * import { describe, it } from 'vitest';
 * contractSuite({ name: 'ideal', open: openTwoIdealDevices, describe, it });
 */
export function contractSuite(options: ContractOptions & TestFramework): void {
  const groups = new Map<string, PlannedCase[]>();
  for (const planned of planContract(options)) {
    const group = groups.get(planned.case.group);
    if (group === undefined) groups.set(planned.case.group, [planned]);
    else group.push(planned);
  }
  options.describe(`verbs contract of ${options.name}`, () => {
    for (const [name, members] of groups) {
      options.describe(name, () => {
        for (const planned of members) declare(planned, options);
      });
    }
  });
}

function declare(planned: PlannedCase, options: ContractOptions & TestFramework): void {
  options.it(planned.case.name, async (handle) => {
    const outcome = await runCase(planned, options);
    if (outcome.kind === 'skipped') handle.skip(outcome.reason);
  });
}
