import { afterEach, describe, expect, it } from 'vitest';
import type { MachineSupport } from '../../../providers/software/index.js';
import { openTestbed } from '../../../testbeds/index.js';
import type { Measurement } from '../../../workload/index.js';
import { typed } from '../../testing/typed.js';

const kelpie = (...argv: string[]) => typed(argv);

const given = process.env['KELPIE_LINK'];
afterEach(() => {
  if (given === undefined) delete process.env['KELPIE_LINK'];
  else process.env['KELPIE_LINK'] = given;
});

// Goal: the software provider is at hand from the command line, and says what it cannot do.
describe('kelpie doctor', () => {
  it('says how strictly ICRCs are checked, and where port 4791 is free', async () => {
    const { code, out, err } = await kelpie('doctor');
    expect(err).toBe('');
    expect([0, 1]).toContain(code);
    expect(out).toMatch(/IPv4 ICRC +checked: 16 bits/);
    expect(out).toMatch(/port 4791 +(not )?free on 127\.0\.0\.1/);
    expect(code === 0).toBe(!out.includes('missing:'));
  });

  it('finds that node:dgram alone lacks ECN and exact ICRCs, and exits with 1', async () => {
    process.env['KELPIE_LINK'] = 'dgram';
    const { code, out } = await kelpie('doctor', '--json');
    expect(code).toBe(1);
    const diagnosis = JSON.parse(out) as MachineSupport;
    expect(diagnosis.sockets[0]).toMatchObject({
      version: 4,
      link: 'dgram',
      works: true,
      icrcSent: false,
      icrcChecked: '16 bits',
      ecn: false,
      segmentation: false,
    });
    expect(diagnosis.findings.join()).toContain('ECN');
  });

  it('refuses a link that there is not', async () => {
    process.env['KELPIE_LINK'] = 'carrier-pigeon';
    const { out } = await kelpie('doctor');
    expect(out).toMatch(/carrier-pigeon.*allowed: auto, libc, dgram/);
  });
});

describe('the software provider from the command line', () => {
  it('measures bandwidth with both ends in this process, and says so', async () => {
    const { code, out } = await kelpie(
      'bw',
      'write',
      '--provider',
      'software',
      '--loopback',
      '-n',
      '200',
      '-s',
      '4096',
    );
    expect(code).toBe(0);
    expect(out).toContain('RDMA_Write BW Test');
    expect(out).toContain('note: software devices in one process');
  });

  it('takes the congestion control of the flag or of the workload, and tells of one that it has not', async () => {
    const loopback = ['--provider', 'software', '--loopback', '-n', '200', '-s', '4096', '--json'];
    const flags = ['--congestion', 'swift', '--recovery', 'irn'];
    const { code, out } = await kelpie('bw', 'write', ...loopback, ...flags);
    expect(code).toBe(0);
    const [{ workload, notes }] = JSON.parse(out) as Measurement[];
    expect(workload.settings).toEqual({ congestionControl: 'swift' });
    expect(notes.join()).not.toContain('change nothing');
    const testbed = await openTestbed({ provider: 'software', settings: { congestionControl: 'hpcc' } });
    expect(testbed.notes.join()).toContain('a software device has no hpcc');
    await testbed.close();
  });

  it('measures latency of datagrams', async () => {
    const { code, out } = await kelpie(
      'lat',
      'send',
      '--provider',
      'software',
      '--loopback',
      '-c',
      'UD',
      '-n',
      '100',
    );
    expect(code).toBe(0);
    expect(out).toContain('Send Latency Test');
  });
});
