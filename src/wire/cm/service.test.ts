import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isRefusal } from '../bytes/refusal.js';
import {
  APR_PRIVATE_DATA_BYTES,
  APR_STATUS,
  type CmServiceMessage,
  emitCmService,
  MAD_BYTES,
  padPrivateData,
  parseCm,
  parseCmService,
  rdmaCmServiceId,
  SIDR_REP_PRIVATE_DATA_BYTES,
  SIDR_REQ_PRIVATE_DATA_BYTES,
  SIDR_STATUS,
} from './index.js';

const serviceId = rdmaCmServiceId(7174, 0x0111);

const EXAMPLES: readonly CmServiceMessage[] = [
  {
    ...{
      kind: 'sidrReq',
      transactionId: 0x11n,
      localCommunicationId: 0xa1b2c3d4,
      partitionKey: 0xffff,
      serviceId,
    },
    privateData: padPrivateData(SIDR_REQ_PRIVATE_DATA_BYTES, Uint8Array.of(1, 2)),
  },
  {
    ...{ kind: 'sidrRep', transactionId: 0x11n, localCommunicationId: 0xa1b2c3d4, serviceId },
    ...{ outcome: SIDR_STATUS.rejected, qpn: 0x123456, queueKey: 0x01234567 },
    privateData: padPrivateData(SIDR_REP_PRIVATE_DATA_BYTES, Uint8Array.of(3)),
  },
  {
    ...{ kind: 'lap', transactionId: 0x12n, localCommunicationId: 5, remoteCommunicationId: 6 },
    privateData: padPrivateData(168, Uint8Array.of(4)),
  },
  {
    ...{ kind: 'apr', transactionId: 0x12n, localCommunicationId: 6, remoteCommunicationId: 5 },
    outcome: APR_STATUS.unsupported,
    privateData: padPrivateData(APR_PRIVATE_DATA_BYTES, Uint8Array.of(5)),
  },
];

/** Bytes of each by their place in the body, from the tables of IBTA vol. 1 chapter 12 and not from the code. */
const PLACES: Readonly<Record<CmServiceMessage['kind'], Readonly<Record<number, string>>>> = {
  sidrReq: { 0: 'a1b2c3d4', 4: 'ffff0000', 8: '0000000001111c06', 16: '0102' },
  sidrRep: { 0: 'a1b2c3d4', 4: '02000000', 8: '12345600', 12: '0000000001111c06', 20: '01234567', 96: '03' },
  lap: { 0: '00000005', 4: '00000006', 64: '04' },
  apr: { 0: '00000006', 4: '00000005', 8: '0002', 84: '05' },
};
const ATTRIBUTES = { sidrReq: 0x17, sidrRep: 0x18, lap: 0x19, apr: 0x1a };

function emitted(message: CmServiceMessage): Uint8Array {
  const bytes = new Uint8Array(MAD_BYTES).fill(0xee);
  expect(emitCmService(message, bytes, 0)).toBe(MAD_BYTES);
  return bytes;
}

describe.each(EXAMPLES.map((message) => [message.kind, message] as const))('%s', (kind, message) => {
  it('has every field in its place, and is read again', () => {
    const bytes = emitted(message);
    expect(bytes[17]).toBe(ATTRIBUTES[kind]);
    const body = new Uint8Array(MAD_BYTES - 24);
    for (const [at, hex] of Object.entries(PLACES[kind])) body.set(Buffer.from(hex, 'hex'), Number(at));
    expect(bytes.subarray(24)).toEqual(body);
    expect(parseCmService(bytes)).toEqual(message);
    // The messages of connections are others.
    expect(isRefusal(parseCm(bytes))).toBe(true);
  });

  it('is refused where it is cut, and never throws', () => {
    expect(isRefusal(parseCmService(emitted(message), 0, MAD_BYTES - 1))).toBe(true);
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 0, maxLength: 300 }), (bytes) => {
        parseCmService(bytes);
      }),
    );
  });
});
