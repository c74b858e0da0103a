import { describe, expect, it } from 'vitest';
import { typed } from '../../testing/typed.js';

describe('kelpie ping', () => {
  it('finds nothing on a healthy server and says what the sweep cost', async () => {
    const { code, out } = await typed(['ping', '--repetitions', '3']);
    expect(code).toBe(0);
    expect(out).toContain('these probes find nothing wrong');
    expect(out).toMatch(/320 probes, .* MB/);
    const share = Number(/and ([\d.e-]+) % of what [\w-]+ carries/.exec(out)?.[1]);
    expect(share).toBeGreaterThan(0);
    expect(share).toBeLessThan(0.01);
    expect(out).toContain('medians deviate by at most');
  });

  it('names link and cause of a setting, as the device itself has it', async () => {
    const { code, out } = await typed(['ping', '--repetitions', '3', '--fault', 'mrrs-small@rnic3']);
    expect(code).toBe(1);
    expect(out).toContain('rnic3-up: PCIe read requests are too small (configuration, verified)');
    expect(out).toMatch(/maxReadRequestBytes is 128, \d+ on a healthy host/);
  });

  it('tells by the counters of a link what probes leave open', async () => {
    const argv = ['ping', '--repetitions', '3', '--fault', 'pcie-silent@rnic1:0.4', '--json'];
    const asked = JSON.parse((await typed(argv)).out);
    expect(asked.findings).toMatchObject([
      { links: ['rnic1-up'], cause: 'pcie-silent', certainty: 'verified', alternatives: [] },
    ]);
    expect(asked.matrix).toHaveLength(40);
    const blind = JSON.parse((await typed([...argv, '--no-settings'])).out);
    expect(blind.findings[0]).toMatchObject({ cause: 'pcie-link', certainty: 'suspected' });
    expect(blind.findings[0].alternatives).toEqual(['pcie-width', 'pcie-speed', 'pcie-silent', 'mrrs-small']);
    expect(blind.localisers.binary.suspects[0].links).toEqual(['rnic1-up']);
  });

  it('counts over a matrix of faults what is found, with both localisers side by side', async () => {
    const argv = ['ping', '--matrix', '--workers', '1', '--host', 'single-rnic', '--sweeps', '2'];
    const { code, out } = await typed(argv);
    expect(code).toBe(0);
    expect(out).toMatch(/cases +invisible .* binary +capacity/);
    expect(out).toContain('2 healthy sweeps with jitter: 0 false alarms');
    const { total, faults, seed } = JSON.parse((await typed([...argv, '--json', '--seed', '9'])).out);
    expect(seed).toBe(9);
    expect(total.cases).toBe(faults.length);
    expect(total.visible + total.invisible).toBe(total.cases);
    expect(total.link).toBeGreaterThan(0.9 * total.visible);
  });

  it('refuses a host, a fault or a place that there is not', async () => {
    expect((await typed(['ping', '--host', 'nowhere'])).code).toBe(2);
    const { code, err } = await typed(['ping', '--fault', 'acs@rnic0']);
    expect(code).toBe(2);
    expect(err).toContain('switch0, switch1');
  });
});
