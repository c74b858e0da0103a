import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { isRefusal, OPCODE, parseRocePacket, readPcapng } from '../../../wire/index.js';
import { typed } from '../../testing/typed.js';

const folder = mkdtempSync(join(tmpdir(), 'kelpie-capture-'));
afterAll(() => rmSync(folder, { recursive: true }));

const workload = join(folder, 'workload.yaml');
writeFileSync(
  workload,
  'name: few\nsendQueueDepth: 4\niterations: 20\nsizes: [3000]\nmtu: 1024\nmeasure: { sliceNs: 5000, minNs: 100000, maxNs: 2000000 }\n',
);

const capture = (...argv: string[]) => typed(['capture', workload, ...argv]);

describe.each(['simulated', 'software'])('kelpie capture on %s', (provider) => {
  const file = join(folder, `${provider}.pcapng`);

  it('writes whole packets, requests and acknowledgements, each with a good ICRC', async () => {
    const { code, out, err } = await capture('-o', file, '--provider', provider, '-c', '60');
    expect(code, err).toBe(0);
    expect(out).toContain(`60 packets in ${file}`);
    const { packets } = readPcapng(readFileSync(file));
    expect(packets).toHaveLength(60);
    const opcodes = new Set<number>();
    for (const { bytes } of packets) {
      const packet = parseRocePacket(bytes);
      if (isRefusal(packet)) throw new Error(String(packet));
      opcodes.add(packet.bth.opcode);
    }
    for (const opcode of [OPCODE.RC_WRITE_FIRST, OPCODE.RC_WRITE_MIDDLE, OPCODE.RC_WRITE_LAST])
      expect(opcodes).toContain(opcode);
    expect(opcodes).toContain(OPCODE.RC_ACKNOWLEDGE);
  });

  it('is read by tshark', ({ skip }) => {
    try {
      execFileSync('tshark', ['--version'], { stdio: 'ignore' });
    } catch {
      skip('tshark is not installed');
    }
    const text = execFileSync('tshark', ['-r', file, '-T', 'fields', '-e', 'infiniband.bth.opcode'], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const opcodes = text.trim().split('\n').map(Number);
    expect(opcodes).toHaveLength(60);
    expect(opcodes).toContain(OPCODE.RC_WRITE_FIRST);
    expect(opcodes).toContain(OPCODE.RC_ACKNOWLEDGE);
  });
});

it('refuses a provider without packets, and a folder that is not there', async () => {
  expect(await capture('--provider', 'ideal')).toMatchObject({ code: 2 });
  expect(await capture('-o', join(folder, 'no', 'such.pcapng'))).toMatchObject({ code: 3 });
});
