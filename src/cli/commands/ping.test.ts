import { describe, expect, it } from 'vitest';
import { typed } from '../testing/typed.js';

describe('kelpie ping', () => {
  it('finds nothing on a healthy server and says what the sweep cost', async () => {
    const { code, out } = await typed(['ping', '--repetitions', '3']);
    expect(code).toBe(0);
    expect(out).toContain('nothing is wrong that these probes can see');
    expect(out).toMatch(/320 probes, .* MB/);
  });

  it('names link and cause of a fault, with what the host shows and what to do', async () => {
    const { code, out } = await typed(['ping', '--repetitions', '3', '--fault', 'pcie-speed@gpu3']);
    expect(code).toBe(1);
    expect(out).toContain('gpu3-up: PCIe link trained at a lower generation (failure, verified)');
    expect(out).toContain('LnkSta shows a lower speed than LnkCap');
  });

  it('leaves open what probes alone cannot tell', async () => {
    const argv = ['ping', '--repetitions', '3', '--fault', 'pcie-silent@rnic1:0.4', '--json'];
    const asked = JSON.parse((await typed(argv)).out);
    expect(asked.findings).toMatchObject([
      { links: ['rnic1-up'], cause: 'pcie-silent', certainty: 'suspected' },
    ]);
    expect(asked.matrix).toHaveLength(40);
    const blind = JSON.parse((await typed([...argv, '--no-settings'])).out);
    expect(blind.findings[0].cause).toBe('pcie-link');
    expect(blind.findings[0].alternatives).toContain('pcie-silent');
    expect(blind.localisers.binary.suspects[0].links).toEqual(['rnic1-up']);
  });

  it('refuses a host, a fault or a place that there is not', async () => {
    expect((await typed(['ping', '--host', 'nowhere'])).code).toBe(2);
    const { code, err } = await typed(['ping', '--fault', 'acs@rnic0']);
    expect(code).toBe(2);
    expect(err).toContain('switch0, switch1');
  });
});
