import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { rdmaDevices } from './rdma-devices.js';

// Goal: a worker knows the RNICs of its machine by every name that people ask for them with.

const folder = mkdtempSync(join(tmpdir(), 'kelpie-devices-'));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('RNICs of a machine', () => {
  it('are known by name, family and type; soft ones are none', () => {
    for (const name of ['mlx5_0', 'mlx5_1', 'rocep1s0f0'])
      mkdirSync(join(folder, name, 'device'), { recursive: true });
    mkdirSync(join(folder, 'rxe0'));
    writeFileSync(join(folder, 'mlx5_0', 'hca_type'), 'MT4119\n');
    expect(rdmaDevices(folder)).toEqual(['MT4119', 'mlx5', 'mlx5_0', 'mlx5_1', 'rocep1s0f0']);
  });

  it('are none where there is no such class of devices', () => {
    expect(rdmaDevices(join(folder, 'nothing'))).toEqual([]);
  });
});
