import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Apart } from '../../testing/apart.js';
import { typed } from '../../testing/typed.js';

let apart: Apart;
beforeAll(async () => {
  apart = await Apart.build();
}, 60_000);
afterAll(() => apart.remove());

describe('kelpie ping --provider software', () => {
  it('probes every pair of real processes, and names one that is stopped', async () => {
    const argv = ['ping', '--provider', 'software', '--processes', '3', '--repetitions', '2'];
    const { code, out, err } = await apart.typed([...argv, '--fault', 'stopped@p2', '--json'], 60_000);
    expect(err).not.toContain('kelpie:');
    expect(code).toBe(1);
    const { mesh, findings } = JSON.parse(out);
    expect(mesh.cells[0][1].smallNs).toHaveLength(2);
    expect(mesh.cells[2][0].failure).toBe('the process does not answer');
    expect(findings[0]).toMatchObject({ kind: 'unreachable', processes: ['p2'] });
  }, 90_000);

  it('refuses faults of processes that there are not', async () => {
    for (const fault of ['busy@p9', 'acs@p1', 'busy@p1:2', 'busy']) {
      const { code, err } = await typed(['ping', '--provider', 'software', '--fault', fault]);
      expect(code).toBe(2);
      expect(err).toContain('KIND@PROCESS');
    }
  });
});
