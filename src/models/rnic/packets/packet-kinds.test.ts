import { describe, expect, it } from 'vitest';
import { findProfile, resolveDevice } from '../../../profiles/index.js';
import { OPCODE } from '../../../wire/index.js';
import { engineCosts, headerBytesOf, Kind, kindOf } from './packet-kinds.js';

const constants = resolveDevice(findProfile('device', 'connectx-6-200g'));

describe('what a device knows of a packet', () => {
  it('has the sizes of RoCEv2 frames: 66 B for an ACK, 78 B for a CNP and for the headers of a WRITE', () => {
    expect(headerBytesOf[OPCODE.RC_ACKNOWLEDGE]).toBe(66);
    expect(headerBytesOf[OPCODE.CNP]).toBe(78);
    expect(headerBytesOf[OPCODE.RC_WRITE_ONLY]).toBe(78);
    expect(headerBytesOf[OPCODE.RC_SEND_MIDDLE]).toBe(62);
  });

  it('tells what takes a receive and what names remote memory', () => {
    expect(kindOf[OPCODE.RC_SEND_ONLY]).toBe(Kind.RECEIVES);
    expect(kindOf[OPCODE.RC_SEND_MIDDLE]).toBe(0);
    expect(kindOf[OPCODE.RC_WRITE_ONLY_IMMEDIATE]).toBe(Kind.RECEIVES | Kind.REMOTE);
    expect(kindOf[OPCODE.RC_READ_REQUEST]).toBe(Kind.READ_REQUEST | Kind.REMOTE);
    expect(kindOf[OPCODE.RC_ACKNOWLEDGE]).toBe(Kind.ACK);
    expect(kindOf[OPCODE.CNP]).toBe(Kind.CNP);
  });

  it("costs the engine the profile's times, less what is ablated", () => {
    const costs = engineCosts(constants, { longReads: false, acks: false });
    expect(costs[OPCODE.RC_WRITE_ONLY]).toBe(constants.receiveOnlyNs * 1000);
    expect(costs[OPCODE.RC_FETCH_ADD]).toBe(constants.fetchAddNs * 1000);
    expect(costs[OPCODE.RC_ACKNOWLEDGE]).toBe(constants.ackNs * 1000);
    expect(costs[OPCODE.RC_READ_RESPONSE_MIDDLE]).toBe(constants.readResponseMultiNs * 1000);
    const free = engineCosts(constants, { longReads: true, acks: true });
    expect(free[OPCODE.RC_ACKNOWLEDGE]).toBe(0);
    expect(free[OPCODE.RC_READ_RESPONSE_MIDDLE]).toBe(constants.receiveMultiNs * 1000);
  });
});
