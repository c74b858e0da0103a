import { describe, expect, it } from 'vitest';
import { AETH_BYTES } from './aeth.js';
import { OPCODE, OPCODES, type OpcodeName, opcodeInfo } from './opcode.js';

describe('opcodes', () => {
  // IBTA volume 1, table 38, one row a line: number, name, extended headers, payload.
  const TABLE: readonly [number, OpcodeName, string, boolean][] = [
    [0x00, 'RC_SEND_FIRST', '', true],
    [0x01, 'RC_SEND_MIDDLE', '', true],
    [0x02, 'RC_SEND_LAST', '', true],
    [0x03, 'RC_SEND_LAST_IMMEDIATE', 'immediate', true],
    [0x04, 'RC_SEND_ONLY', '', true],
    [0x05, 'RC_SEND_ONLY_IMMEDIATE', 'immediate', true],
    [0x06, 'RC_WRITE_FIRST', 'reth', true],
    [0x07, 'RC_WRITE_MIDDLE', '', true],
    [0x08, 'RC_WRITE_LAST', '', true],
    [0x09, 'RC_WRITE_LAST_IMMEDIATE', 'immediate', true],
    [0x0a, 'RC_WRITE_ONLY', 'reth', true],
    [0x0b, 'RC_WRITE_ONLY_IMMEDIATE', 'reth immediate', true],
    [0x0c, 'RC_READ_REQUEST', 'reth', false],
    [0x0d, 'RC_READ_RESPONSE_FIRST', 'aeth', true],
    [0x0e, 'RC_READ_RESPONSE_MIDDLE', '', true],
    [0x0f, 'RC_READ_RESPONSE_LAST', 'aeth', true],
    [0x10, 'RC_READ_RESPONSE_ONLY', 'aeth', true],
    [0x11, 'RC_ACKNOWLEDGE', 'aeth', false],
    [0x12, 'RC_ATOMIC_ACKNOWLEDGE', 'aeth atomicAckEth', false],
    [0x13, 'RC_COMPARE_SWAP', 'atomicEth', false],
    [0x14, 'RC_FETCH_ADD', 'atomicEth', false],
    [0x16, 'RC_SEND_LAST_INVALIDATE', 'ieth', true],
    [0x17, 'RC_SEND_ONLY_INVALIDATE', 'ieth', true],
    [0x20, 'UC_SEND_FIRST', '', true],
    [0x21, 'UC_SEND_MIDDLE', '', true],
    [0x22, 'UC_SEND_LAST', '', true],
    [0x23, 'UC_SEND_LAST_IMMEDIATE', 'immediate', true],
    [0x24, 'UC_SEND_ONLY', '', true],
    [0x25, 'UC_SEND_ONLY_IMMEDIATE', 'immediate', true],
    [0x26, 'UC_WRITE_FIRST', 'reth', true],
    [0x27, 'UC_WRITE_MIDDLE', '', true],
    [0x28, 'UC_WRITE_LAST', '', true],
    [0x29, 'UC_WRITE_LAST_IMMEDIATE', 'immediate', true],
    [0x2a, 'UC_WRITE_ONLY', 'reth', true],
    [0x2b, 'UC_WRITE_ONLY_IMMEDIATE', 'reth immediate', true],
    [0x64, 'UD_SEND_ONLY', 'deth', true],
    [0x65, 'UD_SEND_ONLY_IMMEDIATE', 'deth immediate', true],
    [0x81, 'CNP', 'cnp', false],
  ];

  it('are those of the table, with their headers', () => {
    const known = OPCODES.map((info) => [info.opcode, info.name, info.headers.join(' '), info.hasPayload]);
    expect(known).toEqual(TABLE);
  });

  it('say what they are and where they stand', () => {
    expect(opcodeInfo(OPCODE.RC_READ_RESPONSE_LAST)).toMatchObject({
      transport: 'RC',
      operation: 'read-response',
      position: 'last',
      headerBytes: AETH_BYTES,
    });
    expect(opcodeInfo(OPCODE.RC_ATOMIC_ACKNOWLEDGE)).toMatchObject({
      operation: 'atomic-acknowledge',
      position: 'only',
      headerBytes: 12,
    });
    expect(opcodeInfo(OPCODE.UC_WRITE_MIDDLE)).toMatchObject({
      transport: 'UC',
      operation: 'write',
      position: 'middle',
      headerBytes: 0,
    });
    expect(opcodeInfo(OPCODE.CNP)).toMatchObject({ transport: 'CNP', operation: 'congestion-notification' });
  });

  it('are refused otherwise', () => {
    for (const opcode of [0x15, 0x18, 0x1c, 0x40, 0x63, 0x80, 0xff, 256, -1]) {
      expect(opcodeInfo(opcode)).toBeUndefined();
    }
  });
});
