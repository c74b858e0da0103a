import { describe, expect, it } from 'vitest';
import { resolveWorkload } from '../../../workload/index.js';
import { attackers, COLUMNS, victims } from './index.js';

// Goal: the suite is Husky's, whole, and every part of it can be run.

describe('the suite', () => {
  it('has 52 attackers in four classes and 21 victims, each once', () => {
    const count = (name: string) => attackers.filter(({ attackClass }) => attackClass === name).length;
    expect([count('bandwidth'), count('pcie'), count('pu'), count('cache')]).toEqual([6, 4, 14, 28]);
    expect(new Set(attackers.map(({ name }) => name)).size).toBe(52);
    expect(new Set(victims.map(({ name }) => name)).size).toBe(21);
  });

  it('files every attacker but those of bandwidth under a column of Table 3', () => {
    for (const { attackClass, column, name } of attackers)
      expect(column === null, name).toBe(attackClass === 'bandwidth');
    expect(new Set(attackers.flatMap(({ column }) => column ?? []))).toEqual(new Set(COLUMNS));
  });

  it.each([...attackers, ...victims].map((entry) => [entry.name, entry] as const))(
    '%s is a legal tenant',
    (name, { tenant }) => {
      expect(resolveWorkload({ tenants: [{ ...tenant, name }] }).tenants[0].name).toBe(name);
    },
  );

  it("names the public tool's faults where it corrects them", () => {
    const corrected = attackers
      .filter((attacker) => attacker.corrected !== undefined)
      .map(({ name }) => name);
    expect(corrected).toEqual([
      'PCIe-loopback_receiver',
      'PCIe-loopback_sender',
      'Cache-recvwqe_UD_recv',
      'Cache-recvwqe_UC_recv',
    ]);
  });

  it('calls control verbs without sending anything', () => {
    const control = attackers.filter(({ column }) => column === 'control verbs on the cache');
    expect(control).toHaveLength(12);
    for (const { tenant } of control) expect([tenant.qps, tenant.control?.length]).toEqual([0, 6]);
  });
});
