/**
 * Goal: a second reader of the same bytes agrees with every meaning. Method: one packet of every kind goes into one
 * capture, tshark dissects it, and each of its fields is compared with the meaning it was written from. A field of
 * tshark's that is neither compared nor listed as known is a failure too, so that nothing is left out by accident; this
 * holds for the release whose fields are listed, 4.0, and not for others.
 *
 * tshark shows the ICRC but does not verify it; `icrc.test.ts` does.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { cmCases } from '../cm/tshark.test.data.js';
import { emitPcapng } from '../index.js';
import { type Case, type Expected, hex, roceCases } from './tshark.test.data.js';

/** Fields of tshark's that only frame others, or say again in other words what a compared field says. */
const KNOWN = new Set([
  'infiniband.bth',
  'infiniband.deth',
  'infiniband.reth',
  'infiniband.aeth',
  'infiniband.atomiceth',
  'infiniband.atomicacketh',
  'infiniband.mad',
  'infiniband.mad.data',
  'infiniband.smplid.smpdata',
  'infiniband.cm.req.serviceid.prefix',
  'infiniband.cm.req.serviceid.protocol',
  'infiniband.cm.req.ip_cm',
  'infiniband.vendor',
  // tshark 4.0 takes these two from the first byte of the flow label instead of the last byte of its word.
  'infiniband.cm.req.prim_pktrate',
  'infiniband.cm.req.prim_reserved0',
  'infiniband.cm.req.alt_pktrate',
  'infiniband.cm.req.alt_reserved0',
]);

/** What tshark 4.0 shows in a way of its own and other releases may show better. */
const PECULIAR = new Set([
  'infiniband.reserved',
  'infiniband.vendor',
  'infiniband.mad.data',
  'infiniband.cm.req.prim_flowlabel',
  'infiniband.cm.req.alt_flowlabel',
]);

const TIME_NS = 1_700_000_000_123_456_789n;

/** Every field of a dissected packet with its values in order, whatever tree it lies in. */
function collect(node: unknown, name: string, into: Map<string, string[]>): Map<string, string[]> {
  if (Array.isArray(node)) for (const value of node) collect(value, name, into);
  else if (typeof node === 'object' && node !== null) {
    for (const [key, value] of Object.entries(node)) collect(value, key, into);
  } else into.set(name, [...(into.get(name) ?? []), String(node)]);
  return into;
}

/** The expected value and tshark's in one form. */
function compared(expected: Expected, shown: string): [unknown, unknown] {
  if (expected instanceof Uint8Array) return [hex(expected), shown];
  if (typeof expected === 'string') return [expected, shown];
  return [BigInt(expected), /^(0x[0-9a-f]+|\d+)$/.test(shown) ? BigInt(shown) : shown];
}

/** Dissects the frames of one capture. */
function dissect(cases: readonly Case[]): Map<string, string[]>[] {
  const folder = mkdtempSync(join(tmpdir(), 'kelpie-tshark-'));
  try {
    const file = join(folder, 'every-kind.pcapng');
    const packets = cases.map(({ name, bytes }, index) => ({
      interfaceId: index % 2,
      timeNs: TIME_NS + BigInt(index),
      bytes,
      comment: name,
    }));
    writeFileSync(
      file,
      emitPcapng([{ name: 'port 0' }, { name: 'port 1' }], packets, { application: 'kelpie' }),
    );
    const options = [
      '--disable-protocol',
      'rpcordma',
      '-o',
      'ip.check_checksum:TRUE',
      '-o',
      'udp.check_checksum:TRUE',
    ];
    const run = spawnSync('tshark', ['-n', '-r', file, '-T', 'json', '--no-duplicate-keys', ...options], {
      encoding: 'utf8',
      maxBuffer: 64 * 1024 * 1024,
    });
    if (run.status !== 0) throw new Error(`tshark failed: ${run.stderr}`);
    const dissected = JSON.parse(run.stdout) as { _source: { layers: unknown } }[];
    return dissected.map(({ _source }) => collect(_source.layers, '', new Map()));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const version = spawnSync('tshark', ['--version'], { encoding: 'utf8' });
const installed = version.status === 0;
const isFamiliar = installed && /\b4\.0\.\d/.test(version.stdout);

describe.skipIf(!installed)(installed ? 'tshark' : 'tshark, skipped because it is not installed,', () => {
  const cases = [...roceCases(), ...cmCases()];
  let shown: Map<string, string[]>[] = [];

  beforeAll(() => {
    shown = dissect(cases);
  });

  it('reads as many packets as were written', () => {
    expect(shown).toHaveLength(cases.length);
  });

  it.each(cases.map((one, index) => ({ ...one, index })))(
    'agrees on $name',
    ({ name, bytes, fields, index }) => {
      const seen = shown[index];
      expect(seen.get('frame.comment')).toEqual([name]);
      expect(seen.get('frame.time_epoch')).toEqual([`1700000000.${123_456_789 + index}`]);
      expect(seen.get('frame.interface_name')).toEqual([`port ${index % 2}`]);
      expect(seen.get('frame.len')).toEqual([String(bytes.length)]);
      const malformed = [...seen.keys()].filter(
        (key) => key.startsWith('_ws.malformed') || key.startsWith('_ws.short'),
      );
      expect(malformed).toEqual([]);
      const expected: Record<string, unknown> = {};
      const actual: Record<string, unknown> = {};
      for (const [field, value] of Object.entries(fields)) {
        if (PECULIAR.has(field) && !isFamiliar) continue;
        // The last value is the field itself where tshark shows its header under the same name.
        const values = seen.get(field) ?? ['not shown'];
        const one = field === 'infiniband.reserved' ? values[0] : values[values.length - 1];
        [expected[field], actual[field]] = compared(value, one);
      }
      expect(actual).toEqual(expected);
      const left = [...seen.keys()].filter(
        (key) => isFamiliar && /^(infiniband|macc)\./.test(key) && !(key in fields) && !KNOWN.has(key),
      );
      expect(left).toEqual([]);
    },
  );
});
