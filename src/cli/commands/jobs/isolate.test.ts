import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { typed } from '../../testing/typed.js';

// Goal: the command says what the simulator found, in text, JSON and a page, with the right exit code.

const folder = mkdtempSync(join(tmpdir(), 'kelpie-isolate-'));
afterAll(() => rmSync(folder, { recursive: true }));

const isolate = (...argv: string[]) => typed(['isolate', '--workers', '1', ...argv]);

const UC_ATTACK = ['--attacker', 'PU-RNR_UC-RNR', '--victim', 'large_bw_write'];
const RC_ATTACK = ['--attacker', 'PU-RNR_RC-RNR-shortus', '--victim', 'large_bw_write'];

describe('kelpie isolate', () => {
  it('shows one pair with both time lines, and exits with 1 where the guarantee is violated', async () => {
    const { code, out } = await isolate(...UC_ATTACK);
    expect(code).toBe(1);
    expect(out).toContain('PU-RNR_UC-RNR against large_bw_write: violated');
    expect(out).toContain('error handling');
    expect(out).toContain('victim alone');
    expect(out).toMatch(/us +\d+\.\d\d #+/);
  });

  it('has schemes that hold: an RNR of RC under sr-iov, and of UC under harmonic', async () => {
    expect((await isolate('--scheme', 'sr-iov', ...RC_ATTACK)).code).toBe(0);
    expect((await isolate('--scheme', 'sr-iov', ...UC_ATTACK)).code).toBe(1);
    expect((await isolate('--scheme', 'harmonic', ...UC_ATTACK)).code).toBe(0);
    expect((await isolate(...RC_ATTACK)).code).toBe(1);
  });

  it('says of a scheme that promises a share what it is by its own guarantee and by Husky, of one scheme too', async () => {
    const pair = await isolate('--scheme', 'harmonic', ...UC_ATTACK);
    expect(pair.out).toContain("holds by its own guarantee, a share; holds by Husky's, bandwidth");
    const both = ['--attacker', 'PU-RNR_UC-RNR', '--victim', 'large_bw_write,small_tput_write'];
    const { out } = await isolate('--scheme', 'harmonic', ...both);
    expect(out).toMatch(/0 of 2 pairs violated by its own guarantee, a share, \d by Husky's, bandwidth/);
    expect(out).toMatch(/\ncolumn of Table 3 +its own guarantee, a share +Husky's, bandwidth/);
    expect(out).toMatch(/\nUD and UC error handling +holds in 2 pairs +(holds|violated) in/);
    // Others are held to bandwidth alone.
    expect((await isolate(...both)).out).not.toContain('its own guarantee');
  });

  it('prints scheme, pairs and summary as JSON, and writes a page', async () => {
    const page = join(folder, 'page.html');
    const { code, out } = await isolate(
      ...['--attacker', 'PU-RNR_*', '--victim', 'large_bw_write,mtu_tput_read', '--json', '--html', page],
    );
    expect(code).toBe(1);
    const answer = JSON.parse(out);
    expect(answer).toMatchObject({ scheme: 'none', partial: false, guaranteeGbps: 50, alpha: 0.25 });
    expect(answer.pairs).toHaveLength(8);
    expect(Object.keys(answer.summary)).toHaveLength(6);
    expect(answer.summary['RC error handling']).toEqual({ holds: false, pairs: 4, violated: 4, refused: 0 });
    expect(readFileSync(page, 'utf8')).toContain('class="heat"');
  });

  it("takes a predicate of the user's own", async () => {
    const pair = ['--attacker', 'PU-RNR_UD-RNR', '--victim', 'large_bw_write'];
    expect((await isolate(...pair)).code).toBe(0);
    expect((await isolate(...pair, '--holds', 'share>=0.99')).code).toBe(1);
  });

  it('refuses by name: a scheme on a provider that has no such device', async () => {
    const { code, out } = await isolate('--provider', 'ideal', '--scheme', 'sr-iov', ...UC_ATTACK);
    expect(out).toContain('refused: sr-iov needs a device with functions; the ideal provider has none');
    expect(code).toBe(0);
  });

  it.each([
    [['--scheme', 'sr-iof'], 'there is no such isolation scheme'],
    [['--scheme', 'sr-iov+sr-iov'], 'names each scheme once'],
    [['--attacker', 'nobody'], "there is no such attacker; --attacker is 'nobody'"],
    [['--alpha', '1'], 'the tolerance is a share'],
    [['--holds', 'speed>=1'], 'not a predicate'],
  ])('says what is wrong with %j', async (argv, message) => {
    const { code, err } = await isolate(...argv);
    expect(code).toBe(2);
    expect(err).toContain(message);
  });
});
