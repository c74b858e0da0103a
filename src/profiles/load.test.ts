import { describe, expect, it } from 'vitest';
import { KelpieError } from '../error.js';
import { ProfileError, type ProfileFault } from './fault.js';
import { ProfileLibrary, parseProfile, profileText } from './library.js';

const variant = (constants: string) => `profile: device
name: my-nic
extends: connectx-6-200g
title: Mine
constants:
${constants}`;

/** The faults of a text that must be refused. */
function faultsOf(text: string, library?: ProfileLibrary): readonly ProfileFault[] {
  try {
    parseProfile(text, 'mine.yaml', library);
  } catch (error) {
    if (error instanceof ProfileError) return error.faults;
    throw error;
  }
  throw new Error('the text was accepted');
}

const brief = ({ code, line, column, field }: ProfileFault) => [code, line, column, field];

/** A shipped file with one line replaced, and the number of that line. */
function changed(
  kind: 'device' | 'host' | 'fabric',
  name: string,
  from: RegExp,
  to: string,
): { text: string; line: number } {
  const lines = profileText(kind, name).split('\n');
  const index = lines.findIndex((line) => from.test(line));
  expect(index).toBeGreaterThan(0);
  lines[index] = lines[index].replace(from, to);
  return { text: lines.join('\n'), line: index + 1 };
}

describe('parseProfile', () => {
  it('reads a variant in YAML and the same in JSON', () => {
    const constant = { value: 100, evidence: 'documented', source: 'the box' };
    const yaml = parseProfile(
      variant("  portGbps: { value: 100, evidence: documented, source: 'the box' }"),
      'mine.yaml',
    );
    const fields = {
      profile: 'device',
      name: 'my-nic',
      extends: 'connectx-6-200g',
      title: 'Mine',
      constants: { portGbps: constant },
    };
    for (const space of [0, 2, '\t']) {
      expect(parseProfile(JSON.stringify(fields, null, space), 'mine.yaml')).toEqual(yaml);
    }
    expect(yaml).toMatchObject({
      vendor: 'NVIDIA',
      title: 'Mine',
      constants: { portGbps: constant, xonBytes: { value: 16384 } },
    });
    expect(yaml.description).toBeUndefined();
  });

  it('lists every fault in the order of lines, with file, line, column, field, value and range in the message', () => {
    const text = variant(`  portGbps: { value: 9000, evidence: documented, source: x }
  prt: { value: 1, evidence: documented, source: x }
  processingUnits: { value: 2.5, evidence: guessed, source: x }
  xoffBytes: { value: many, source: x }`);
    expect(faultsOf(text).map(brief)).toEqual([
      ['PROFILE_OUT_OF_RANGE', 6, 22, 'constants.portGbps.value'],
      ['PROFILE_UNKNOWN_FIELD', 7, 3, 'constants.prt'],
      ['PROFILE_OUT_OF_RANGE', 8, 29, 'constants.processingUnits.value'],
      ['PROFILE_OUT_OF_RANGE', 8, 44, 'constants.processingUnits.evidence'],
      ['PROFILE_MISSING_FIELD', 9, 14, 'constants.xoffBytes.evidence'],
      ['PROFILE_BAD_TYPE', 9, 23, 'constants.xoffBytes.value'],
    ]);
    expect(() => parseProfile(text, 'mine.yaml')).toThrow(
      'mine.yaml:6:22: constants.portGbps.value: too large, given 9000, allowed: 1 to 1600 Gb/s\n',
    );
    try {
      parseProfile(text, 'mine.yaml');
    } catch (error) {
      expect(error).toBeInstanceOf(KelpieError);
      expect(error).toMatchObject({
        code: 'PROFILE_OUT_OF_RANGE',
        field: 'constants.portGbps.value',
        given: 9000,
      });
    }
  });

  it('PROFILE_SYNTAX: names the line of the mistake', () => {
    expect(
      faultsOf('profile: device\nname: [1, 2\ntitle: x\n').map(({ code, line }) => [code, line])[0],
    ).toEqual(['PROFILE_SYNTAX', 3]);
    expect(faultsOf('profile: device\nname: a\nname: b\n').map(brief)).toEqual([
      ['PROFILE_SYNTAX', 3, 1, ''],
    ]);
    expect(faultsOf('a: 1\n---\nb: 2\n')[0].code).toBe('PROFILE_SYNTAX');
  });

  it('PROFILE_SYNTAX: a file made to exhaust the reader', () => {
    expect(faultsOf('['.repeat(20_000))[0].code).toBe('PROFILE_SYNTAX');
    expect(faultsOf('a'.repeat(1_000_001))[0]).toMatchObject({ code: 'PROFILE_SYNTAX', line: 1, column: 1 });
  });

  it('PROFILE_UNKNOWN_FIELD: suggests the nearest name', () => {
    const [fault] = faultsOf(variant('  portGps: { value: 100, evidence: documented, source: x }'));
    expect(brief(fault)).toEqual(['PROFILE_UNKNOWN_FIELD', 6, 3, 'constants.portGps']);
    expect(fault.meant).toBe('portGbps');
    expect(faultsOf(variant('  __proto__: { value: 1 }'))[0].code).toBe('PROFILE_UNKNOWN_FIELD');
    expect(faultsOf(variant('  7: { value: 1 }'))[0].code).toBe('PROFILE_UNKNOWN_FIELD');
  });

  it('PROFILE_MISSING_FIELD: in the file, or in it and its base together', () => {
    expect(faultsOf('profile: device\nname: a\n').map(brief)).toEqual([
      ['PROFILE_MISSING_FIELD', 1, 1, 'title'],
    ]);
    expect(faultsOf('name: a\n').map(brief)).toEqual([['PROFILE_MISSING_FIELD', 1, 1, 'profile']]);
    const { text } = changed('device', 'connectx-6-200g', /^ {2}xoffBytes:.*/, '');
    expect(faultsOf(text).map(({ code, field, allowed }) => [code, field, allowed])).toEqual([
      ['PROFILE_MISSING_FIELD', 'constants.xoffBytes', '4096 to 1073741824 B, whole numbers'],
    ]);
    expect(faultsOf('profile: device\nname: a\ntitle: b\n').map(({ field }) => field)).toEqual([
      'vendor',
      'protocol',
      'constants',
    ]);
  });

  it('PROFILE_BAD_TYPE: lists, nothings and scalars in the wrong place', () => {
    expect(faultsOf('- a\n')[0].code).toBe('PROFILE_BAD_TYPE');
    expect(faultsOf('')[0].code).toBe('PROFILE_BAD_TYPE');
    expect(faultsOf(variant('  portGbps: 100')).map(brief)).toEqual([
      ['PROFILE_BAD_TYPE', 6, 13, 'constants.portGbps'],
    ]);
    expect(faultsOf(variant('  portGbps:'))[0]).toMatchObject({
      code: 'PROFILE_BAD_TYPE',
      line: 6,
      given: null,
    });
    expect(faultsOf(variant('  ? portGbps'))[0]).toMatchObject({
      code: 'PROFILE_BAD_TYPE',
      line: 6,
      given: null,
    });
  });

  it('PROFILE_OUT_OF_RANGE: numbers, words and names', () => {
    for (const value of ['.nan', '.inf', '0', '-1', '1e9']) {
      const text = variant(`  portGbps: { value: ${value}, evidence: documented, source: x }`);
      expect(faultsOf(text).map(brief)).toEqual([
        ['PROFILE_OUT_OF_RANGE', 6, 22, 'constants.portGbps.value'],
      ]);
    }
    expect(faultsOf('profile: gadget\nname: a\n')[0]).toMatchObject({
      code: 'PROFILE_OUT_OF_RANGE',
      line: 1,
      column: 10,
    });
    expect(faultsOf('profile: device\nname: My NIC\ntitle: x\nextends: connectx-6-200g\n')[0]).toMatchObject({
      line: 2,
      column: 7,
    });
    expect(faultsOf(variant("  portGbps: { value: 9, evidence: measured, source: ' ' }"))[0]).toMatchObject({
      line: 6,
      column: 53,
    });
  });

  it('PROFILE_UNKNOWN_BASE: with the nearest name', () => {
    const [fault] = faultsOf('profile: device\nname: a\ntitle: b\nextends: conectx-6-200g\n');
    expect(brief(fault)).toEqual(['PROFILE_UNKNOWN_BASE', 4, 10, 'extends']);
    expect(fault.meant).toBe('connectx-6-200g');
    // A name that Object.prototype knows is not a profile.
    expect(faultsOf('profile: device\nname: a\ntitle: b\nextends: constructor\n')[0].code).toBe(
      'PROFILE_UNKNOWN_BASE',
    );
  });

  it('PROFILE_CYCLE: of one, and of three files', () => {
    const link = (name: string, base: string) =>
      `profile: device\nname: ${name}\ntitle: x\nextends: ${base}\n`;
    expect(faultsOf(link('a', 'a')).map(brief)).toEqual([['PROFILE_CYCLE', 4, 10, 'extends']]);
    const library = new ProfileLibrary();
    library.add(link('a', 'b'), 'a.yaml');
    library.add(link('b', 'c'), 'b.yaml');
    library.add(link('c', 'a'), 'c.yaml');
    expect(() => library.find('device', 'a')).toThrow(
      'c.yaml:4:10: extends: it extends itself: a > b > c > a',
    );
  });

  it('PROFILE_INCONSISTENT: thresholds of a device, in its own line or inherited', () => {
    const xon = changed('device', 'connectx-6-200g', /xonBytes: \{ value: \d+/, 'xonBytes: { value: 190000');
    expect(faultsOf(xon.text).map(brief)).toEqual([
      ['PROFILE_INCONSISTENT', xon.line, 22, 'constants.xonBytes.value'],
    ]);
    const mine = variant('  receiveBufferBytes: { value: 150000, evidence: calibrated, source: x }');
    // xoffBytes is inherited, so the nearest place in this file is what holds the constants.
    expect(faultsOf(mine).map(brief)).toEqual([['PROFILE_INCONSISTENT', 6, 3, 'constants.xoffBytes.value']]);
    const set = (name: string, value: number) =>
      variant(`  ${name}: { value: ${value}, evidence: calibrated, source: x }`);
    const codes = [
      set('receivePrefetchWqes', 0),
      set('visitPackets', 0),
      set('pcieLanes', 8),
      set('fetchAddNs', 0),
      set('packetProcessorNs', 5),
    ];
    for (const text of codes)
      expect(faultsOf(text).map(({ code }) => code)).toEqual(['PROFILE_INCONSISTENT']);
  });

  it('PROFILE_INCONSISTENT: thresholds of a fabric', () => {
    const kmin = changed('fabric', 'sn2100', /ecnKminBytes: \{ value: \d+/, 'ecnKminBytes: { value: 300000');
    expect(faultsOf(kmin.text).map(brief)).toEqual([
      ['PROFILE_INCONSISTENT', kmin.line, 26, 'constants.ecnKminBytes.value'],
    ]);
  });

  it('PROFILE_INCONSISTENT and PROFILE_UNKNOWN_REFERENCE: the graph of a host', () => {
    const cases: [RegExp, string, string][] = [
      [/between: \[ socket0, rnic0 \]/, 'between: [socket0, rnic9]', 'PROFILE_UNKNOWN_REFERENCE'],
      [/between: \[ socket0, rnic0 \]/, 'between: [memory0, rnic0]', 'PROFILE_INCONSISTENT'],
      [/between: \[ socket0, rnic0 \]/, 'between: [socket0]', 'PROFILE_INCONSISTENT'],
      [/, generation: 3, lanes: 16/, '', 'PROFILE_INCONSISTENT'],
      [/name: memory1, kind: memory/, 'name: memory0, kind: memory', 'PROFILE_INCONSISTENT'],
      [/interSocketGbps: \{ value: \d+/, 'interSocketGbps: { value: 0', 'PROFILE_INCONSISTENT'],
      [/numaNodesPerSocket: \{ value: 1/, 'numaNodesPerSocket: { value: 2', 'PROFILE_INCONSISTENT'],
    ];
    for (const [from, to, code] of cases) {
      const { text, line } = changed('host', 'xeon-server', from, to);
      const faults = faultsOf(text);
      expect(
        faults.map((fault) => fault.code),
        to,
      ).toContain(code);
      if (!to.startsWith('numa'))
        expect(
          faults.map((fault) => fault.line),
          to,
        ).toContain(line);
    }
    const weak = 'profile: host\nname: a\ntitle: b\nextends: xeon-server\nsettings: { interSocket: weak }\n';
    expect(faultsOf(weak).map(brief)).toEqual([['PROFILE_INCONSISTENT', 5, 26, 'settings.interSocket']]);
  });

  it('a node that no link reaches', () => {
    const { text, line } = changed('host', 'xeon-server', /^ *- \{ between: \[ socket0, rnic0 \].*/, '');
    expect(line).toBeGreaterThan(0);
    expect(faultsOf(text)[0]).toMatchObject({ problem: 'no link leads there', given: 'rnic0' });
  });

  it('PROFILE_UNKNOWN_REFERENCE: what a subsystem names', () => {
    const text = `profile: subsystem
name: mine
title: Mine
device: connectx-7
host: husky
fabric: sn2100
settings: { interSocket: weak }
placement: { rnic: rnic1, memory: gpu0 }
fixed: collie-z
`;
    expect(faultsOf(text).map(brief)).toEqual([
      ['PROFILE_UNKNOWN_REFERENCE', 4, 9, 'device'],
      ['PROFILE_INCONSISTENT', 7, 26, 'settings.interSocket'],
      ['PROFILE_UNKNOWN_REFERENCE', 8, 20, 'placement.rnic'],
      ['PROFILE_UNKNOWN_REFERENCE', 8, 35, 'placement.memory'],
      ['PROFILE_UNKNOWN_REFERENCE', 9, 8, 'fixed'],
    ]);
  });
});
