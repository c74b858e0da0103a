import { describe, expect, it } from 'vitest';
import { typed } from '../../testing/typed.js';

describe('kelpie headroom', () => {
  it('computes what SONiC computes', async () => {
    const { code, out } = await typed(['headroom', '--speed', '100G', '--length', '80km', '--json']);
    expect(code).toBe(0);
    const answer = JSON.parse(out);
    expect(answer.cableBytes / 1e6).toBeCloseTo(10.1, 2);
    // 22.3 MB with cells of 144 bytes: 22,272 KiB and a packet.
    expect(answer.xoffBytes).toBe(22_273 * 1024);
  });

  it('prints a table', async () => {
    const { code, out } = await typed(['headroom', '--speed', '40G', '--length', '300m']);
    expect([code, out]).toEqual([0, expect.stringContaining('74752 B  headroom (xoff)')]);
  });

  it.each([
    [['--speed', 'fast'], /--speed.*fast.*100G/],
    [['--speed', '33G'], /--speed.*33G.*40G/],
    [['--length', '3'], /--length.*300m/],
    [['--cell', '0'], /--cell.*1 to 65536/],
  ])('refuses %j', async (flags, message) => {
    const { code, out, err } = await typed(['headroom', ...flags]);
    expect([code, out]).toEqual([2, '']);
    expect(err).toMatch(message);
  });
});
