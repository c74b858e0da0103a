import { expect, it } from 'vitest';
import { OPCODE } from './opcode.js';
import { kindMask, PACKET_KINDS, packetKindOf } from './packet-kind.js';

it('tells packets apart by opcode and syndrome', () => {
  const kind = (opcode: number, syndrome = 0) => PACKET_KINDS[packetKindOf(opcode, syndrome)];
  expect(
    [OPCODE.RC_WRITE_MIDDLE, OPCODE.RC_READ_REQUEST, OPCODE.UD_SEND_ONLY].map((each) => kind(each)),
  ).toEqual(['data', 'data', 'data']);
  expect(kind(OPCODE.RC_ACKNOWLEDGE, 0x1f)).toBe('ack');
  expect([0x60, 0x21, 0x63].map((syndrome) => kind(OPCODE.RC_ACKNOWLEDGE, syndrome))).toEqual([
    'nak',
    'nak',
    'nak',
  ]);
  expect(kind(OPCODE.RC_ATOMIC_ACKNOWLEDGE, 0x1f)).toBe('ack');
  // The bytes at the AETH's place of a packet that has none mean nothing.
  expect(kind(OPCODE.RC_READ_RESPONSE_MIDDLE, 0x60)).toBe('read-response');
  expect(kind(OPCODE.CNP, 0x60)).toBe('cnp');
});

it('has a mask of kinds', () => {
  expect(kindMask(undefined)).toBe(31);
  expect(kindMask(['ack', 'cnp'])).toBe(18);
  expect(kindMask([])).toBe(0);
});
