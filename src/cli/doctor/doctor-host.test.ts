import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HWLOC_2, NVIDIA_NEW, TREE, VERBOSE } from '../../host-import/testing/samples.js';
import { typed } from '../testing/typed.js';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'kelpie-doctor-'));
  const facts = join(folder, 'facts');
  const card = join(facts, 'sysfs', 'devices', 'pci0000:00', '0000:00:01.0', '0000:01:00.0');
  mkdirSync(join(card, 'infiniband', 'mlx5_0'), { recursive: true });
  writeFileSync(join(card, 'current_link_width'), '8\n');
  writeFileSync(join(card, 'current_link_speed'), '8.0 GT/s PCIe\n');
  const files = { 'tree.txt': TREE, 'verbose.txt': VERBOSE, 'topo.xml': HWLOC_2, 'smi.txt': NVIDIA_NEW };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(facts, name), text);
});
afterAll(() => rmSync(folder, { recursive: true }));

describe('kelpie doctor --host', () => {
  it('makes a profile out of what another machine printed, which kelpie ping takes', async () => {
    const profile = join(folder, 'gpu-17.yaml');
    const asked = ['--import', join(folder, 'facts'), '--name', 'gpu-17', '--out', profile];
    const { code, out, err } = await typed(['doctor', '--host', ...asked]);
    expect(err).toBe('');
    expect(code).toBe(1);
    expect(out).toContain('gpu-17: 2 sockets, 2 memories, 1 PCIe switches, 2 RNICs, 1 GPUs');
    expect(out).toContain('found: rnic0 (0000:01:00.0): link-downgraded, 8 GT/s x8 instead of 16 GT/s x16');
    expect(out).toContain('contradiction: distance of GPU0 and mlx5_0: SYS (the tree), PXB');
    const [, stands] = /as it stands: +kelpie (.*)/.exec(out) ?? [];
    expect(stands).toContain('--fault pcie-width@rnic0:0.5 --fault pcie-speed@rnic0:0.5');
    const healthy = await typed(['ping', '--profile', profile, '--repetitions', '3']);
    expect(healthy.code).toBe(0);
    const degraded = await typed([...stands!.split(' '), '--repetitions', '3']);
    expect(degraded.code).toBe(1);
    expect(degraded.out).toContain('rnic0-up: PCIe link trained');
  });

  it('names the line that makes no sense', async () => {
    const bad = join(folder, 'bad.txt');
    writeFileSync(bad, TREE.replace('\\-04.0', '\\-zz.0'));
    const { code, err } = await typed(['doctor', '--host', '--import', bad]);
    expect(code).toBe(2);
    expect(err).toMatch(/bad\.txt, line 3/);
    const absent = await typed(['doctor', '--host', '--import', join(folder, 'absent')]);
    expect(absent.code).toBe(2);
    expect(absent.err).toContain('no such file or folder');
  });

  it('asks the machine that it runs on, and names the programs that are missing', async () => {
    const path = process.env['PATH'];
    process.env['PATH'] = folder;
    try {
      const { code, err } = await typed(['doctor', '--host', '--save', join(folder, 'here')]);
      for (const program of [
        'lspci -tv',
        'lspci -D -vvv',
        'nvidia-smi topo -m',
        'lstopo-no-graphics --of xml',
      ])
        expect(err).toContain(`skipped: ${program}: not installed`);
      // A machine with an RNIC has a profile; any other cannot be described.
      expect([0, 1, 3]).toContain(code);
    } finally {
      process.env['PATH'] = path;
    }
  });
});
