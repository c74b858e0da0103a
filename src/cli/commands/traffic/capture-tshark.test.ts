import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { typed } from '../../testing/typed.js';

// Goal: a capture of a simulated subsystem shows an operator what one of a real one would. Method: tshark reads it.

const folder = mkdtempSync(join(tmpdir(), 'kelpie-tshark-'));
afterAll(() => rmSync(folder, { recursive: true }));

const hasTshark = (() => {
  try {
    execFileSync('tshark', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();

/** Captures a workload and gives the wanted fields of each frame as tshark reads them. */
async function fields<const Name extends string>(
  workload: string,
  names: readonly Name[],
  ...argv: string[]
): Promise<Record<Name, string>[]> {
  const source = join(folder, 'workload.yaml');
  const file = join(folder, 'run.pcapng');
  writeFileSync(source, workload);
  const { code, err } = await typed(['capture', source, '-o', file, ...argv]);
  expect(code, err).toBe(0);
  const text = execFileSync(
    'tshark',
    ['-r', file, '-T', 'fields', ...names.flatMap((name) => ['-e', name])],
    { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'], maxBuffer: 1 << 28 },
  );
  return text
    .trimEnd()
    .split('\n')
    .map((line) => {
      const cells = line.split('\t');
      return Object.fromEntries(names.map((name, place) => [name, cells[place]])) as Record<Name, string>;
    });
}

const CNP = '129';
const ECT0 = '2';
const CE = '3';

describe.skipIf(!hasTshark)('a capture of a simulated subsystem, read by tshark', () => {
  it('has data that is ECN capable, marks, and notifications for them under DCQCN', async () => {
    const incast = `
direction: nToOne
to: c
senders: { hosts: 2, otherHost: 4 }
settings: { ecn: enabled, congestionControl: dcqcn }
measure: { minNs: 1000000, maxNs: 1000000 }`;
    const frames = await fields(incast, ['ip.dsfield.ecn', 'infiniband.bth.opcode', 'eth.type']);
    const roce = frames.filter((frame) => frame['infiniband.bth.opcode'] !== '');
    const ecn = new Set(roce.map((frame) => frame['ip.dsfield.ecn']));
    expect([...ecn].sort()).toEqual([ECT0, CE]);
    expect(roce.filter((frame) => frame['infiniband.bth.opcode'] === CNP).length).toBeGreaterThan(0);
  });

  it('has BTHs as ever where SRNIC’s extension follows, and frames longer by it', async () => {
    const writes = 'opcode: WRITE\nsizes: [4096]\nmtu: 1024\niterations: 4';
    const names = ['infiniband.bth.opcode', 'infiniband.bth.psn', 'frame.len'] as const;
    const frames = await fields(writes, names, '--subsystem', 'srnic-fpga');
    const [FIRST, MIDDLE, LAST, ACK] = ['6', '7', '8', '17'];
    const sent = frames.filter((frame) => frame['infiniband.bth.opcode'] !== ACK);
    const opcodes = sent.map((frame) => frame['infiniband.bth.opcode']);
    expect(opcodes.slice(0, 4)).toEqual([FIRST, MIDDLE, MIDDLE, LAST]);
    const psns = sent.map((frame) => Number(frame['infiniband.bth.psn']));
    expect(psns).toEqual(psns.map((_, place) => psns[0]! + place));
    // 58 bytes of headers without extension (§4.4.1), 20 in a WRITE, 4 of an AETH and 8 in an acknowledgement.
    expect(new Set(sent.map((frame) => frame['frame.len']))).toEqual(new Set([`${58 + 20 + 1024}`]));
    const acks = frames.filter((frame) => frame['infiniband.bth.opcode'] === ACK);
    expect(acks.length).toBeGreaterThan(0);
    expect(new Set(acks.map((frame) => frame['frame.len']))).toEqual(new Set([`${58 + 4 + 8}`]));
  });

  it('has data that is not ECN capable where ECN is off', async () => {
    const plain = 'iterations: 20\nsettings: { ecn: disabled, congestionControl: none }';
    const frames = await fields(plain, ['ip.dsfield.ecn']);
    expect(new Set(frames.map((frame) => frame['ip.dsfield.ecn']))).toEqual(new Set(['0']));
  });

  it('shows the frames of a receiver that pauses its peer, asked for again while it lasts', async () => {
    // Collie #3: pauses for much of the time.
    const paused = `
opcode: READ
qps: 8
mtu: 1024
sizes: [4194304]
mrBytes: 4194304
measure: { minNs: 1000000, maxNs: 1000000 }`;
    const names = [
      'eth.type',
      'macc.opcode',
      'macc.cbfc.pause_time.c0',
      'frame.interface_name',
      'frame.time_epoch',
    ] as const;
    const frames = await fields(paused, names, '--subsystem', 'collie-f');
    const pauses = frames.filter((frame) => frame['macc.opcode'] !== '');
    expect(pauses.length).toBeGreaterThan(10);
    expect(new Set(pauses.map((frame) => frame['eth.type']))).toEqual(new Set(['0x8808']));
    expect(new Set(pauses.map((frame) => Number(frame['macc.opcode'])))).toEqual(new Set([0x0101]));
    // The reader asks for them, and each hold ends.
    const sent = pauses.filter((frame) => frame['frame.interface_name'] === 'h0/rnic0');
    expect(sent.length).toBeGreaterThan(10);
    expect(new Set(sent.map((frame) => frame['macc.cbfc.pause_time.c0']))).toEqual(new Set(['65535', '0']));
    const times = pauses.map((frame) => Number(frame['frame.time_epoch']));
    expect(times).toEqual([...times].sort((one, other) => one - other));
  });

  it('gives each host an interface and each queue pair a source port', async () => {
    const names = [
      'udp.srcport',
      'infiniband.bth.destqp',
      'frame.interface_name',
      'ip.dst',
      'frame.packet_flags_direction',
    ] as const;
    const frames = await fields('qps: 8\niterations: 20\nsizes: [64]', names);
    const ports = new Map(frames.map((frame) => [frame['infiniband.bth.destqp'], frame['udp.srcport']]));
    expect(new Set(ports.values()).size).toBeGreaterThan(4);
    for (const port of ports.values()) expect(Number(port)).toBeGreaterThanOrEqual(0xc000);
    for (const frame of frames) expect(frame['udp.srcport']).toBe(ports.get(frame['infiniband.bth.destqp']));
    const interfaces = new Map(frames.map((frame) => [frame['frame.interface_name'], frame['ip.dst']]));
    expect([...interfaces].sort()).toEqual([
      ['h0/rnic0', '10.0.0.1'],
      ['h1/rnic0', '10.0.0.2'],
    ]);
    expect(new Set(frames.map((frame) => Number(frame['frame.packet_flags_direction'])))).toEqual(
      new Set([1]),
    );
  });
});
