import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { KelpieError } from '../../error.js';
import {
  emitPause,
  emitPfc,
  MAC_CONTROL_FRAME_BYTES,
  nsToPauseQuanta,
  type Pause,
  PauseView,
  type Pfc,
  PfcView,
  parsePause,
  parsePfc,
  pauseQuantaToNs,
} from './pfc.js';

const hex = (bytes: Uint8Array) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');

function pfcBytes(pfc: Pfc): Uint8Array {
  const bytes = new Uint8Array(MAC_CONTROL_FRAME_BYTES).fill(0xee);
  expect(emitPfc(pfc, bytes, 0)).toBe(60);
  return bytes;
}

function pauseBytes(pause: Pause): Uint8Array {
  const bytes = new Uint8Array(MAC_CONTROL_FRAME_BYTES).fill(0xee);
  expect(emitPause(pause, bytes, 0)).toBe(60);
  return bytes;
}

function parsedPfc(bytes: Uint8Array): unknown {
  const view = new PfcView();
  return view.wrap(bytes, 0, bytes.length) ?? parsePfc(view);
}

function parsedPause(bytes: Uint8Array): unknown {
  const view = new PauseView();
  return view.wrap(bytes, 0, bytes.length) ?? parsePause(view);
}

const bits = (width: number) => fc.integer({ min: 0, max: 2 ** width - 1 });
const EXAMPLE: Pfc = { source: 0x0200_0000_0001, classEnable: 0x88, quanta: [0, 1, 2, 0xffff, 4, 5, 6, 0] };

describe('PFC', () => {
  it('is a MAC control frame of 60 bytes', () => {
    const quanta = '000000010002ffff0004000500060000';
    expect(hex(pfcBytes(EXAMPLE))).toBe(
      `0180c20000010200000000018808${'0101'}0088${quanta}${'00'.repeat(26)}`,
    );
    expect(parsedPfc(pfcBytes(EXAMPLE))).toEqual(EXAMPLE);
  });

  it('parses back every frame that can be built', () => {
    const any = fc.record({
      source: bits(48),
      classEnable: bits(8),
      quanta: fc.array(bits(16), { minLength: 8, maxLength: 8 }),
    });
    fc.assert(
      fc.property(any, (pfc) => {
        expect(parsedPfc(pfcBytes(pfc))).toEqual(pfc);
      }),
    );
  });

  it('ignores the reserved octet and does without padding', () => {
    expect(parsedPfc(pfcBytes(EXAMPLE).with(16, 0xff).subarray(0, 34))).toEqual(EXAMPLE);
  });

  it('refuses frames that are something else', () => {
    const good = pfcBytes(EXAMPLE);
    expect(parsedPfc(good.subarray(0, 33))).toMatchObject({ header: 'pfc', reason: 'truncated' });
    expect(parsedPfc(good.with(12, 0x08))).toMatchObject({ reason: 'wrong-protocol' });
    expect(parsedPfc(good.with(5, 0x02))).toMatchObject({ reason: 'unsupported-address' });
    expect(parsedPfc(pauseBytes({ source: 1, quanta: 2 }))).toMatchObject({ reason: 'unknown-opcode' });
  });

  it('throws for what does not fit', () => {
    const bytes = new Uint8Array(60);
    expect(() => emitPfc({ ...EXAMPLE, quanta: [1] }, bytes, 0)).toThrowError(/pfc.quanta/);
    expect(() => emitPfc({ ...EXAMPLE, classEnable: 256 }, bytes, 0)).toThrowError(/pfc.classEnable/);
    expect(() => emitPfc({ ...EXAMPLE, quanta: EXAMPLE.quanta.with(3, 65536) }, bytes, 0)).toThrowError(
      /\[3\]/,
    );
    expect(() => emitPfc(EXAMPLE, bytes, 1)).toThrowError(KelpieError);
    expect(bytes.every((byte) => byte === 0)).toBe(true);
  });
});

describe('pause', () => {
  it('is a MAC control frame of 60 bytes', () => {
    const pause = { source: 0x0200_0000_0001, quanta: 0x1234 };
    expect(hex(pauseBytes(pause))).toBe(`0180c200000102000000000188080001${'1234'}${'00'.repeat(42)}`);
  });

  it('parses back every frame that can be built', () => {
    fc.assert(
      fc.property(fc.record({ source: bits(48), quanta: bits(16) }), (pause) => {
        expect(parsedPause(pauseBytes(pause))).toEqual(pause);
      }),
    );
  });

  it('refuses a PFC frame', () => {
    expect(parsedPause(pfcBytes(EXAMPLE))).toMatchObject({ header: 'pause', reason: 'unknown-opcode' });
  });
});

describe('quanta', () => {
  it('are 512 bit times', () => {
    expect(pauseQuantaToNs(1, 100)).toBe(5.12);
    expect(pauseQuantaToNs(65535, 100)).toBeCloseTo(335_539.2, 6);
    expect(pauseQuantaToNs(65535, 40)).toBeCloseTo(838_848, 6);
    expect(nsToPauseQuanta(5.12, 100)).toBe(1);
    expect(nsToPauseQuanta(5.13, 100)).toBe(2);
    expect(nsToPauseQuanta(0, 100)).toBe(0);
  });

  it('come back from the time they last', () => {
    const rate = fc.constantFrom(1, 10, 25, 40, 100, 200, 400);
    fc.assert(
      fc.property(bits(16), rate, (quanta, gbps) => {
        // Whole nanoseconds below the exact time never need more quanta.
        expect(nsToPauseQuanta(Math.floor(pauseQuantaToNs(quanta, gbps)), gbps)).toBeLessThanOrEqual(quanta);
        expect(pauseQuantaToNs(nsToPauseQuanta(quanta, gbps), gbps)).toBeGreaterThanOrEqual(quanta);
      }),
    );
  });

  it('throw for a pause that one frame cannot ask for and for no rate', () => {
    expect(() => nsToPauseQuanta(400_000, 100)).toThrowError(/pauseNs/);
    expect(() => nsToPauseQuanta(-10, 100)).toThrowError(/pauseNs/);
    expect(() => nsToPauseQuanta(Number.NaN, 100)).toThrowError(/pauseNs/);
    expect(() => pauseQuantaToNs(1, 0)).toThrowError(/gbps/);
    expect(() => pauseQuantaToNs(65536, 1)).toThrowError(/quanta/);
  });
});
