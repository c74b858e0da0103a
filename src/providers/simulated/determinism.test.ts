import { spawnSync } from 'node:child_process';
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { openSimulatedTestbed, subsystemWith } from '../../testbeds/index.js';
import { deterministicPart, resolveWorkload, runWorkload, type WorkloadInput } from '../../workload/index.js';

/** Caches that replace at random, both directions, READs beside WRITEs, marks and notifications: whatever is drawn. */
const WORKLOAD: WorkloadInput = {
  tenants: [
    {
      name: 'writer',
      opcode: 'WRITE',
      qps: 48,
      sizes: [512, 4096],
      mrs: 100,
      mrChoice: 'random',
      direction: 'bi',
    },
    { name: 'reader', opcode: 'READ', qps: 4, sizes: [65536] },
  ],
};

const SETTINGS = { ecn: 'enabled', congestionControl: 'dcqcn' };

/** The same run as a program of its own. */
const PROGRAM = `
  import { openSimulatedTestbed, subsystemWith } from './src/testbeds/index.js';
  import { deterministicPart, resolveWorkload, runWorkload } from './src/workload/index.js';
  const workload = resolveWorkload(${JSON.stringify(WORKLOAD)});
  const subsystem = subsystemWith('husky', ${JSON.stringify(SETTINGS)});
  const testbed = await openSimulatedTestbed({ subsystem, hosts: 2, seed: 7 });
  process.stdout.write(JSON.stringify(deterministicPart(await runWorkload(workload, testbed, { seed: 7 }))));
`;

async function measure(seed: number): Promise<string> {
  const workload = resolveWorkload(WORKLOAD);
  const subsystem = subsystemWith('husky', SETTINGS);
  const testbed = await openSimulatedTestbed({ subsystem, hosts: 2, seed });
  try {
    return JSON.stringify(deterministicPart(await runWorkload(workload, testbed, { seed })));
  } finally {
    await testbed.close();
  }
}

async function measureElsewhere(node: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: PROGRAM, resolveDir: process.cwd(), loader: 'ts' },
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
    // Packages written for CommonJS look for 'require' when they are bundled.
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire('file:///');" },
    logLevel: 'silent',
  });
  const run = spawnSync(node, ['--input-type=module'], {
    input: outputFiles[0].text,
    encoding: 'utf8',
    maxBuffer: 1 << 26,
  });
  expect(run.stderr).toBe('');
  return run.stdout;
}

const otherNode = process.env['KELPIE_OTHER_NODE'];

describe('the same seed gives the same Measurement, byte for byte,', () => {
  it('in two runs of one process, and another seed another one', async () => {
    const first = await measure(7);
    expect(JSON.parse(first).events).toBeGreaterThan(10_000);
    expect(await measure(7)).toBe(first);
    expect(await measure(8)).not.toBe(first);
  });

  it('in a fresh process', async () => {
    expect(await measureElsewhere(process.execPath)).toBe(await measure(7));
  });

  it('on another version of Node', async ({ skip }) => {
    if (otherNode === undefined) skip('KELPIE_OTHER_NODE names no other Node');
    else expect(await measureElsewhere(otherNode)).toBe(await measure(7));
  });
});
