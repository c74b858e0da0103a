import { describe, expect, it } from 'vitest';
import type { Measurement } from '../../workload/index.js';
import { typed } from '../testing/typed.js';

// Goal: the flags for loss and architecture do what they say, on the commands that have them.

const WRITES = ['bw', 'write', '-s', '4096', '-m', '1024', '-D', '0.0005', '--subsystem', 'srnic', '--json'];

async function writes(...flags: string[]): Promise<Measurement> {
  const { code, out, err } = await typed([...WRITES, ...flags]);
  expect(code, err).toBeLessThan(2);
  return (JSON.parse(out) as Measurement[])[0]!;
}

/** What the hosts counted together. */
function counted({ hosts }: Measurement, name: string): number {
  return Object.values(hosts).reduce((sum, { counters }) => sum + (counters[name] ?? 0), 0);
}

describe('loss and architecture by flags', () => {
  it('lose packets, and selective repeat sends fewer of them again than go-back-N', async () => {
    const clean = await writes();
    const goBackN = await writes('--loss', '0.01');
    const irn = await writes('--loss', '0.01', '--architecture', 'irn');
    expect(counted(clean, 'retransmitted_packets')).toBe(0);
    expect(counted(irn, 'retransmitted_packets')).toBeGreaterThan(5);
    expect(counted(goBackN, 'retransmitted_packets')).toBeGreaterThan(
      3 * counted(irn, 'retransmitted_packets'),
    );
    expect(irn.total.goodputGbps).toBeGreaterThan(1.5 * goBackN.total.goodputGbps);
  });

  it('lose what they name: of data nothing where acknowledgements alone are lost', async () => {
    const lost = await writes('--loss', '0.01', '--loss-kinds', 'ack,nak');
    expect(counted(lost, 'out_of_sequence')).toBe(0);
    const data = await writes('--loss', '0.01', '--loss-kinds', 'data', '--loss-burst', '4');
    expect(counted(data, 'out_of_sequence')).toBeGreaterThan(0);
    const back = await writes('--back-loss', '0.5', '--loss-kinds', 'ack');
    expect(counted(back, 'out_of_sequence')).toBe(0);
    expect(back.total.goodputGbps).toBeGreaterThan(0);
  });

  it.each(['connectx', 'irn', 'melo', 'srnic', 'ideal'])(
    'put any loss recovery on a device of %s, and each delivers',
    async (architecture) => {
      const flags = architecture === 'connectx' ? [] : ['--architecture', architecture];
      const again: Record<string, number> = {};
      for (const recovery of ['go-back-0', 'go-back-n', 'irn', 'melo', 'srnic']) {
        const measured = await writes('--loss', '0.003', ...flags, '--recovery', recovery);
        again[recovery] = counted(measured, 'retransmitted_packets');
        expect(measured.total.goodputGbps, recovery).toBeGreaterThan(20);
      }
      for (const selective of ['irn', 'melo', 'srnic']) {
        expect(again[selective]).toBeGreaterThan(0);
        expect(again[selective]).toBeLessThan(again['go-back-n'] / 3);
      }
    },
  );

  it('go back to the start of a message as fast as to the packet that is missing', async () => {
    const by = (recovery: string, ...flags: string[]) =>
      writes('--loss', '0.003', '--recovery', recovery, ...flags);
    const rate = async (...words: [string, ...string[]]) => (await by(...words)).total.goodputGbps;
    // Four packets more or less do not count beside all that leaves before the NAK is handled; 256 do.
    expect(Math.abs((await rate('go-back-0')) / (await rate('go-back-n')) - 1)).toBeLessThan(0.1);
    const long = ['-s', '256K', '-D', '0.001'];
    expect(await rate('go-back-0', ...long)).toBeLessThan(0.7 * (await rate('go-back-n', ...long)));
    // Where NAKs are lost too, it waits as the device does, not for the whole timeout of its queue pair.
    const deaf = await by('go-back-0', '--back-loss', '0.5', '--loss-kinds', 'data,nak', '-D', '0.01');
    expect(counted(deaf, 'roce_adp_retrans')).toBeGreaterThan(0);
  });

  it('take the name of the recovery that a device has as no change', async () => {
    const { total, hosts } = await writes('--loss', '0.003');
    for (const recovery of ['go-back-n', 'connectx', 'go-back-n@connectx-6-100g'])
      expect(await writes('--loss', '0.003', '--recovery', recovery)).toMatchObject({ total, hosts });
  });

  it.each([
    [['--subsystem', 'srnic', '--recovery', 'prayer'], 'go-back-0'],
    [['--subsystem', 'srnic', '--recovery', 'prayer'], 'srnic'],
    [['--subsystem', 'srnic', '--recovery', 'irn@connectx-6-100g'], 'irn@irn-100g'],
    [['--subsystem', 'srnic-fpga', '--recovery', 'go-back-n'], 'go-back-n@connectx-6-100g'],
    [['--subsystem', 'husky-chelsio', '--recovery', 'irn'], 'iWARP'],
    [['--world', 'two-servers', '--recovery', 'irn'], '--subsystem in place of the world'],
    [['--provider', 'software', '--recovery', 'prayer'], 'go-back-n, go-back-0, irn, srnic, melo'],
    [['--provider', 'ideal', '--recovery', 'irn'], '--provider simulated'],
  ])('refuse the recovery of %j', async (flags, words) => {
    const { code, err } = await typed(['bw', 'write', '-D', '0.0005', ...flags]);
    expect(code).toBe(2);
    expect(err).toContain(words);
  });

  it('react to congestion as asked, with switches that mark where marks are needed', async () => {
    const { workload } = await writes('--congestion', 'dctcp');
    expect(workload.settings).toMatchObject({ congestionControl: 'dctcp', ecn: 'enabled' });
    const swift = await writes('--congestion', 'swift');
    expect(swift.workload.settings).toEqual({ congestionControl: 'swift' });
    expect(swift.total.goodputGbps).toBeGreaterThan(0);
  });

  it.each([
    [['--congestion', 'prayer'], 'none, dcqcn, dcqcn-paper, dcqcn-nic, dctcp, timely, swift, hpcc'],
    [['--provider', 'software', '--congestion', 'hpcc'], 'none, dcqcn, dcqcn-paper, timely, swift'],
    [['--provider', 'ideal', '--congestion', 'swift'], '--provider simulated or software'],
  ])('refuse the congestion control of %j', async (flags, words) => {
    const { code, err } = await typed(['bw', 'write', '-D', '0.0005', ...flags]);
    expect(code).toBe(2);
    expect(err).toContain('--congestion');
    expect(err).toContain(words);
  });

  it.each([
    [['--loss', '2'], '--loss'],
    [['--loss-kinds', 'data'], '--loss-kinds'],
    [['--loss', '0.1', '--loss-kinds', 'datum'], 'datum'],
    [['--loss', '0.1', '--loss-burst', '0'], '--loss-burst'],
    [['--loss', '0.1', '--loss-at', 'nowhere'], 'nowhere'],
    [['--architecture', 'quantum'], 'quantum'],
    [['--provider', 'ideal', '--loss', '0.1'], '--provider simulated'],
  ])('refuse %j', async (flags, words) => {
    const own = flags.includes('--provider')
      ? WRITES.filter((word) => !/subsystem|srnic/.test(word))
      : WRITES;
    const { code, err } = await typed([...own, ...flags]);
    expect(code).toBe(2);
    expect(err).toContain(words);
  });

  it('refuse an architecture that several devices have, and name them', async () => {
    const { code, err } = await typed([
      'bw',
      'write',
      '--subsystem',
      'srnic-fpga',
      '--architecture',
      'connectx',
    ]);
    expect(code).toBe(2);
    expect(err).toContain('connectx-6-200g');
  });
});
