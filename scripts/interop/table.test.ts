import { describe, expect, it } from 'vitest';
import type { InteropCase } from './cases/case.js';
import { renderTable } from './table.js';

const row = (name: string, kernelFault?: string): InteropCase => ({
  group: 'Verbs',
  name,
  requester: 'Kelpie',
  ...(kernelFault === undefined ? {} : { kernelFault }),
  run: async () => undefined,
});

describe('the table of interoperation', () => {
  const good = row('SEND');
  const known = row('READ', 'the kernel forgets it');
  const unknown = row('WRITE');
  const result = (each: InteropCase, ip: 4 | 6, error: string | null) => ({
    each,
    ip,
    error,
    remark: '',
    seconds: 1,
  });
  const text = renderTable(
    [
      result(good, 4, null),
      result(good, 6, null),
      result(known, 4, 'gone'),
      result(known, 6, null),
      result(unknown, 4, 'REM_ACCESS_ERR\nmore'),
    ],
    ['Linux 6.1'],
  );

  it('has a row for each case and a cell for each version of IP', () => {
    expect(text).toContain('| SEND | Kelpie | green | green |');
    expect(text).toContain('| READ | Kelpie | **red** | green |');
    expect(text).toContain('| WRITE | Kelpie | **red** | – |');
    expect(text).toContain('- Linux 6.1');
  });

  it("names the kernel's fault of what is red, or says that nobody knows", () => {
    expect(text).toContain('- READ, from Kelpie: the kernel forgets it');
    expect(text).toContain('- WRITE, from Kelpie: not explained yet: REM_ACCESS_ERR');
    expect(text).not.toContain('more');
  });

  it('says why a row is run over IPv4 alone', () => {
    const alone = { ...row('mckey'), ipv4Alone: 'one group shows it' };
    expect(renderTable([result(alone, 4, null)], [])).toContain('- mckey: one group shows it');
  });

  it('has nothing that differs from run to run', () => {
    const again = renderTable([result(good, 4, null)], []);
    expect(renderTable([{ ...result(good, 4, null), seconds: 9, remark: 'x' }], [])).toBe(again);
  });
});
