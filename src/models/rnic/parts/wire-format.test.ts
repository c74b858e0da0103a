import { describe, expect, it } from 'vitest';
import { OPCODE } from '../../../wire/index.js';
import { irnFormat, roceFormat, srnicFormat } from './wire-format.js';

/** Frames have a check sequence that papers do not count. */
const FCS_BYTES = 4;
const RETH_BYTES = 16;

describe('headers by architecture', () => {
  it("SRNIC's are 66 and 78 bytes, where a packet without a RETH has 58 (§4.4.1)", () => {
    expect(roceFormat.headerBytes[OPCODE.RC_SEND_MIDDLE] - FCS_BYTES).toBe(58);
    for (const opcode of [OPCODE.RC_SEND_FIRST, OPCODE.RC_SEND_MIDDLE, OPCODE.RC_SEND_ONLY])
      expect(srnicFormat.headerBytes[opcode] - FCS_BYTES).toBe(66);
    for (const opcode of [OPCODE.RC_WRITE_FIRST, OPCODE.RC_WRITE_MIDDLE, OPCODE.RC_WRITE_ONLY])
      expect(srnicFormat.headerBytes[opcode] - FCS_BYTES).toBe(78);
  });

  it('of SRNIC cost 0.7 % and 1.8 % of the goodput of full packets (S21)', () => {
    const share = (headers: number) => 1024 / (1024 + headers);
    expect(1 - share(66) / share(58)).toBeCloseTo(0.007, 3);
    expect(1 - share(78) / share(58)).toBeCloseTo(0.018, 3);
  });

  it("IRN's have a RETH in every packet of a WRITE, and nothing else", () => {
    const more = (opcode: number) => irnFormat.headerBytes[opcode] - roceFormat.headerBytes[opcode];
    expect([more(OPCODE.RC_WRITE_MIDDLE), more(OPCODE.RC_WRITE_LAST)]).toEqual([RETH_BYTES, RETH_BYTES]);
    expect([more(OPCODE.RC_WRITE_FIRST), more(OPCODE.RC_SEND_MIDDLE), more(OPCODE.RC_ACKNOWLEDGE)]).toEqual([
      0, 0, 0,
    ]);
  });

  it('of unreliable transports are as they were', () => {
    const { headerBytes } = roceFormat;
    for (const format of [irnFormat, srnicFormat])
      expect(format.headerBytes[OPCODE.UD_SEND_ONLY]).toBe(headerBytes[OPCODE.UD_SEND_ONLY]);
  });
});
