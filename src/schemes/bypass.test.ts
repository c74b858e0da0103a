import { describe, expect, it } from 'vitest';
import { underScheme } from '../jobs/isolate/under-scheme.js';
import { openSimulatedTestbed, subsystemWith } from '../testbeds/index.js';
import { type Measurement, resolveWorkload, runWorkload, type TenantInput } from '../workload/index.js';
import { findScheme, justitia, perf, type Scheme } from './index.js';

const B: TenantInput = { name: 'B', opcode: 'WRITE', sizes: [1 << 20], mrBytes: 1 << 20, sendQueueDepth: 8 };
const D: TenantInput = { name: 'D', opcode: 'WRITE', sizes: [16], outstanding: 1 };
const M: TenantInput = { name: 'M', opcode: 'WRITE', sizes: [16], batch: 32, sendQueueDepth: 128 };

/** B comes when the other is there; both run together for 0.3 ms. */
async function measure(
  other: TenantInput,
  scheme: Scheme | null,
  bypass: readonly string[],
): Promise<Measurement> {
  const resolved = resolveWorkload({
    tenants: [other, { ...B, startNs: 50_000 }],
    measure: { minNs: 100_000, maxNs: 350_000 },
  });
  const { workload, isolation } = underScheme(resolved, scheme, { bypass });
  const testbed = await openSimulatedTestbed({
    subsystem: subsystemWith('perf', {}),
    hosts: 2,
    seed: 1,
    ...(isolation === null ? {} : { isolation }),
  });
  try {
    return await runWorkload(workload, testbed, { seed: 1 });
  } finally {
    await testbed.close();
  }
}

function of(measurement: Measurement, name: string): Measurement['tenants'][number] {
  return measurement.tenants.find((each) => each.name === name)!;
}

describe('a tenant that does not go through the interposer', () => {
  it('escapes justitia: its rate is what it was without', async () => {
    const native = of(await measure(D, null, []), 'B').goodputGbps;
    const obeys = of(await measure(D, justitia, []), 'B').goodputGbps;
    const escapes = of(await measure(D, justitia, ['B']), 'B').goodputGbps;
    expect(obeys).toBeLessThan(0.6 * native);
    expect(escapes).toBeGreaterThan(0.95 * native);
  });

  it('escapes perf: its neighbour has no more messages than without', async () => {
    const native = of(await measure(M, null, []), 'M').messagesPerSecond;
    const obeyed = of(await measure(M, perf, []), 'M').messagesPerSecond;
    const escaped = of(await measure(M, perf, ['B']), 'M').messagesPerSecond;
    expect(obeyed).toBeGreaterThan(2 * native);
    expect(escaped).toBeLessThan(1.1 * native);
  });

  it.each(['sr-iov', 'harmonic'])('does not escape what the device does itself: %s', async (name) => {
    const scheme = findScheme(name);
    const native = of(await measure(M, null, []), 'M').messagesPerSecond;
    const obeyed = await measure(M, scheme, []);
    const tried = await measure(M, scheme, ['B']);
    expect(of(obeyed, 'M').messagesPerSecond).toBeGreaterThan(2 * native);
    expect(tried.tenants).toEqual(obeyed.tenants);
  });
});
