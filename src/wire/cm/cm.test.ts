import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { KelpieError } from '../../error.js';
import { isRefusal, type Refusal } from '../bytes/refusal.js';
import { exampleMessages, exampleReq } from '../testing/cm-samples.js';
import {
  CM_ATTRIBUTE_ID,
  type CmMessage,
  type CmPath,
  emitCm,
  emitMad,
  glanceCm,
  MAD_BYTES,
  MadView,
  padPrivateData,
  parseCm,
  parseMad,
  REJ_REASON,
  ReqView,
  rejReasonName,
} from './index.js';

const HEADER = '0107020300000000';

/** A datagram written down by hand: the common header, then pieces of the body at their offsets. */
function datagram(attributeId: string, transactionId: string, body: Record<number, string>): Uint8Array {
  const bytes = new Uint8Array(MAD_BYTES);
  bytes.set(fromHex(`${HEADER}${transactionId}${attributeId}000000000000`), 0);
  for (const [at, hex] of Object.entries(body)) bytes.set(fromHex(hex), 24 + Number(at));
  return bytes;
}

function fromHex(hex: string): Uint8Array {
  return Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}

function emitted(message: CmMessage): Uint8Array {
  const bytes = new Uint8Array(MAD_BYTES).fill(0xee);
  expect(emitCm(message, bytes, 0)).toBe(MAD_BYTES);
  return bytes;
}

/** Each message as bytes, taken from the tables of IBTA vol. 1 chapter 12 and not from the code. */
const GOLDEN: Record<CmMessage['kind'], Uint8Array> = {
  req: datagram('0010', '00000001a1a2a3a4', {
    0: 'c0ffee01',
    8: '0000000001061c06',
    16: '505400fffe123456',
    28: '80010000',
    32: '00001110', // QPN, responder resources 16
    36: '00000a08', // EECN, initiator depth 8
    40: '00000ba1', // EECN, response timeout 20, RC, flow control
    44: '123456a7', // PSN, response timeout 20, retry count 7
    48: 'ffff',
    50: '36', // MTU 1024, no RDC, RNR retry 6
    51: 'fd', // 15 retries, SRQ, extended transport 5
    52: 'ffff0001',
    56: '00000000000000000000ffff0a000001',
    72: '00000000000000000000ffff0a000002',
    88: 'abcde012', // flow label, rate 18
    92: '6840', // traffic class, hop limit
    94: '38', // service level 3, subnet local
    95: '98', // ACK timeout 19
    96: '00020003',
    100: 'fe800000000000000000000000000001',
    116: 'fe800000000000000000000000000002',
    132: '12345007',
    136: '01ff',
    138: 'f0',
    139: 'f8',
    140: '0102030405',
    231: 'ff',
  }),
  mra: datagram('0011', '0000000000000002', {
    0: '00000005',
    4: '00000006',
    8: '40c0',
    10: 'aabb',
    231: '01',
  }),
  rej: datagram('0012', '0000000000000003', {
    0: '00000007',
    4: '00000008',
    8: '400c', // message 1, six bytes of information
    10: '001c', // consumer reject
    12: '010203040506',
    84: '99',
    231: '02',
  }),
  rep: datagram('0013', 'ffffffffffffffff', {
    0: '00000009',
    4: 'c0ffee01',
    8: '11111111',
    12: '00001200',
    16: '00000c00',
    20: 'fffffe00',
    24: '0410',
    26: '7d', // target ACK delay 15, failover 2, flow control
    27: 'f0', // RNR retry 7, SRQ
    28: '505400fffe654321',
    36: 'deadbeef',
    231: '03',
  }),
  rtu: datagram('0014', '0000000000000005', { 0: '0000000a', 4: '0000000b', 8: '0c', 231: '04' }),
  dreq: datagram('0015', '0000000000000006', {
    0: '0000000d',
    4: '0000000e',
    8: '00cafe00',
    12: '0f',
    231: '05',
  }),
  drep: datagram('0016', '0000000000000007', { 0: '00000010', 4: '00000011', 8: '12', 231: '06' }),
};

const bits = (width: number) => fc.integer({ min: 0, max: 2 ** width - 1 });
const bits64 = fc.bigInt({ min: 0n, max: 0xffff_ffff_ffff_ffffn });
const run = (size: number) => fc.uint8Array({ minLength: size, maxLength: size });
const base = (privateDataBytes: number) => ({
  transactionId: bits64,
  localCommunicationId: bits(32),
  privateData: run(privateDataBytes),
});
const answer = (privateDataBytes: number) => ({ ...base(privateDataBytes), remoteCommunicationId: bits(32) });

const anyPath: fc.Arbitrary<CmPath> = fc.record({
  localLid: bits(16),
  remoteLid: bits(16),
  localGid: run(16),
  remoteGid: run(16),
  flowLabel: bits(20),
  packetRate: bits(6),
  trafficClass: bits(8),
  hopLimit: bits(8),
  serviceLevel: bits(4),
  subnetLocal: fc.boolean(),
  localAckTimeout: bits(5),
});

const anyMessage: fc.Arbitrary<CmMessage> = fc.oneof(
  fc.record({
    kind: fc.constant('req' as const),
    ...base(92),
    serviceId: bits64,
    localCaGuid: bits64,
    localQueueKey: bits(32),
    localQpn: bits(24),
    responderResources: bits(8),
    localEecn: bits(24),
    initiatorDepth: bits(8),
    remoteEecn: bits(24),
    remoteCmResponseTimeout: bits(5),
    transportServiceType: bits(2),
    endToEndFlowControl: fc.boolean(),
    startingPsn: bits(24),
    localCmResponseTimeout: bits(5),
    retryCount: bits(3),
    partitionKey: bits(16),
    pathMtuCode: bits(4),
    rdcExists: fc.boolean(),
    rnrRetryCount: bits(3),
    maxCmRetries: bits(4),
    srq: fc.boolean(),
    extendedTransportType: bits(3),
    primaryPath: anyPath,
    alternatePath: fc.option(anyPath.map((path) => ({ ...path, remoteLid: path.remoteLid | 1 }))),
  }),
  fc.record({
    kind: fc.constant('mra' as const),
    ...answer(222),
    messageMraed: bits(2),
    serviceTimeout: bits(5),
  }),
  fc.record({
    kind: fc.constant('rej' as const),
    ...answer(148),
    messageRejected: bits(2),
    reason: bits(16),
    additionalInformation: fc.uint8Array({ maxLength: 72 }),
  }),
  fc.record({
    kind: fc.constant('rep' as const),
    ...answer(196),
    localQueueKey: bits(32),
    localQpn: bits(24),
    localEecn: bits(24),
    startingPsn: bits(24),
    responderResources: bits(8),
    initiatorDepth: bits(8),
    targetAckDelay: bits(5),
    failoverAccepted: bits(2),
    endToEndFlowControl: fc.boolean(),
    rnrRetryCount: bits(3),
    srq: fc.boolean(),
    localCaGuid: bits64,
  }),
  fc.record({ kind: fc.constant('rtu' as const), ...answer(224) }),
  fc.record({ kind: fc.constant('dreq' as const), ...answer(220), remoteQpnOrEecn: bits(24) }),
  fc.record({ kind: fc.constant('drep' as const), ...answer(224) }),
);

describe('communication management', () => {
  for (const message of exampleMessages()) {
    it(`writes and reads ${message.kind.toUpperCase()} as the specification lays it out`, () => {
      expect(emitted(message)).toEqual(GOLDEN[message.kind]);
      expect(parseCm(GOLDEN[message.kind])).toEqual(message);
    });
  }

  it('parses back every message that can be built', () => {
    fc.assert(
      fc.property(anyMessage, (message) => {
        expect(parseCm(emitted(message))).toEqual(message);
      }),
      { numRuns: 300 },
    );
  });

  it('writes at an offset and touches nothing around it', () => {
    const bytes = new Uint8Array(MAD_BYTES + 20).fill(0xee);
    emitCm(exampleReq(), bytes, 10);
    expect(bytes.subarray(10, 10 + MAD_BYTES)).toEqual(GOLDEN.req);
    expect(bytes.subarray(0, 10).every((byte) => byte === 0xee)).toBe(true);
    expect(bytes.subarray(10 + MAD_BYTES).every((byte) => byte === 0xee)).toBe(true);
    expect(parseCm(bytes, 10, 10 + MAD_BYTES)).toEqual(exampleReq());
  });

  it('lets a view change one field and leaves its neighbours', () => {
    const bytes = GOLDEN.req.slice();
    const view = new ReqView();
    expect(view.wrap(bytes, 0, bytes.length)).toBeNull();
    view.transportServiceType = 1;
    view.retryCount = 2;
    view.srq = false;
    expect(parseCm(bytes)).toEqual({ ...exampleReq(), transportServiceType: 1, retryCount: 2, srq: false });
  });

  it('reads an alternate path of nothing but reserved bits as none', () => {
    const bytes = emitted({ ...exampleReq(), alternatePath: null });
    bytes[24 + 139] = 0x07;
    bytes[24 + 134] = 0x0f;
    const message = parseCm(bytes);
    expect(message).toEqual({ ...exampleReq(), alternatePath: null });
    expect(parseCm(emitted(message as CmMessage))).toEqual(message);
  });

  it('keeps no hold of the bytes it read', () => {
    const bytes = GOLDEN.rej.slice();
    const message = parseCm(bytes);
    bytes.fill(0xff);
    expect(message).toEqual(exampleMessages().find(({ kind }) => kind === 'rej'));
  });
});

describe('refusals of communication management', () => {
  const cases: [string, string, string, (bytes: Uint8Array) => Uint8Array][] = [
    ['a byte too few', 'cm', 'truncated', (bytes) => bytes.subarray(0, 255)],
    ['no bytes', 'cm', 'truncated', () => new Uint8Array(0)],
    ['a byte too many', 'cm', 'oversized', (bytes) => Uint8Array.of(...bytes, 0)],
    ['another base version', 'mad', 'bad-version', (bytes) => bytes.with(0, 2)],
    ['another management class', 'cm', 'wrong-protocol', (bytes) => bytes.with(1, 3)],
    ['another class version', 'cm', 'bad-version', (bytes) => bytes.with(2, 1)],
    ['another method', 'cm', 'unsupported', (bytes) => bytes.with(3, 0x83)],
    ['a message that it does not speak', 'cm', 'unknown-kind', (bytes) => bytes.with(17, 0x19)],
  ];
  for (const [name, header, reason, spoil] of cases) {
    it(`refuses ${name}`, () => {
      const refused = parseCm(spoil(GOLDEN.rtu.slice())) as Refusal;
      expect(isRefusal(refused)).toBe(true);
      expect([refused.header, refused.reason]).toEqual([header, reason]);
    });
  }

  it('refuses a rejection whose information is longer than its field', () => {
    const longest = GOLDEN.rej.with(24 + 9, 72 << 1);
    expect(parseCm(longest)).toMatchObject({ kind: 'rej', additionalInformation: { length: 72 } });
    expect(parseCm(GOLDEN.rej.with(24 + 9, 73 << 1))).toMatchObject({ header: 'rej', reason: 'bad-length' });
  });

  it('refuses a view of another message', () => {
    const view = new ReqView();
    expect(view.wrap(GOLDEN.rep, 0, MAD_BYTES)).toMatchObject({ header: 'req', reason: 'unknown-kind' });
    expect(view.localQpn).toBe(0);
  });

  it('answers any bytes with a message or a refusal', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), fc.nat(600), (tail, at) => {
        const bytes = GOLDEN.req.slice();
        bytes.set(tail.subarray(0, Math.max(0, MAD_BYTES - (at % MAD_BYTES))), at % MAD_BYTES);
        const answer = parseCm(bytes, 0, Math.min(at, MAD_BYTES + 10));
        expect(isRefusal(answer) || 'kind' in answer).toBe(true);
      }),
      { numRuns: 300 },
    );
  });
});

describe('meanings that do not fit', () => {
  function error(change: object): KelpieError {
    try {
      emitCm({ ...exampleReq(), ...change } as CmMessage, new Uint8Array(MAD_BYTES), 0);
    } catch (thrown) {
      if (thrown instanceof KelpieError) return thrown;
    }
    throw new Error('no KelpieError');
  }

  const path = exampleReq().primaryPath;
  const cases: [string, object][] = [
    ['req.localQpn', { localQpn: 2 ** 24 }],
    ['req.retryCount', { retryCount: 8 }],
    ['req.startingPsn', { startingPsn: 1.5 }],
    ['req.localCommunicationId', { localCommunicationId: -1 }],
    ['req.serviceId', { serviceId: 1n << 64n }],
    ['req.transactionId', { transactionId: -1n }],
    ['req.privateData', { privateData: new Uint8Array(93) }],
    ['req.privateData', { privateData: new Uint8Array(91) }],
    ['req.primaryPath.flowLabel', { primaryPath: { ...path, flowLabel: 2 ** 20 } }],
    ['req.primaryPath.localGid', { primaryPath: { ...path, localGid: new Uint8Array(15) } }],
    ['req.alternatePath.hopLimit', { alternatePath: { ...path, hopLimit: 256 } }],
  ];
  for (const [field, change] of cases) {
    it(`throws for ${field}`, () => {
      expect(error(change)).toMatchObject({ code: 'WIRE_FIELD_OUT_OF_RANGE', field });
    });
  }

  it('throws for an alternate path of zeros, which would read as none', () => {
    const zeros = Object.fromEntries(
      Object.entries(path).map(([name, value]) => [
        name,
        value instanceof Uint8Array ? new Uint8Array(16) : typeof value === 'boolean' ? false : 0,
      ]),
    );
    expect(error({ alternatePath: zeros }).field).toBe('req.alternatePath');
  });

  it('throws where there is no room, and writes nothing', () => {
    const bytes = new Uint8Array(MAD_BYTES - 1);
    expect(() => emitCm(exampleReq(), bytes, 0)).toThrowError(KelpieError);
    expect(bytes.every((byte) => byte === 0)).toBe(true);
  });
});

describe('the common header', () => {
  it('reads every field', () => {
    const view = new MadView();
    const bytes = fromHex('01070203123456780102030405060708001000000000abcd');
    expect(view.wrap(bytes, 0, bytes.length)).toBeNull();
    expect(parseMad(view)).toEqual({
      managementClass: 7,
      classVersion: 2,
      method: 3,
      status: 0x1234,
      classSpecific: 0x5678,
      transactionId: 0x0102030405060708n,
      attributeId: 0x10,
      attributeModifier: 0xabcd,
    });
  });

  it('parses back every header that can be built', () => {
    const anyMad = fc.record({
      managementClass: bits(8),
      classVersion: bits(8),
      method: bits(8),
      status: bits(16),
      classSpecific: bits(16),
      transactionId: bits64,
      attributeId: bits(16),
      attributeModifier: bits(32),
    });
    const view = new MadView();
    fc.assert(
      fc.property(anyMad, (mad) => {
        const bytes = new Uint8Array(24).fill(0xee);
        expect(emitMad(mad, bytes, 0)).toBe(24);
        expect(view.wrap(bytes, 0, 24)).toBeNull();
        expect(parseMad(view)).toEqual(mad);
      }),
    );
  });
});

describe('private data', () => {
  it('is filled up with zeros, and refused where it is too long', () => {
    expect(padPrivateData(4, Uint8Array.of(1, 2))).toEqual(Uint8Array.of(1, 2, 0, 0));
    expect(() => padPrivateData(1, Uint8Array.of(1, 2))).toThrowError(/WIRE|fit/);
  });
});

describe('reasons of a rejection', () => {
  it('have names both ways', () => {
    expect(rejReasonName(28)).toBe('consumerReject');
    expect(rejReasonName(REJ_REASON.staleConnection)).toBe('staleConnection');
    expect(rejReasonName(34)).toBeUndefined();
    expect(new Set(Object.values(REJ_REASON)).size).toBe(34);
  });
});

describe('a glance', () => {
  const glance = { attributeId: 0, localCommunicationId: 0, remoteCommunicationId: 0 };

  it('tells the kind and the names of every message', () => {
    for (const message of exampleMessages()) {
      const bytes = new Uint8Array(MAD_BYTES + 3);
      emitCm(message, bytes, 3);
      glanceCm(bytes, 3, bytes.length, glance);
      expect(glance.attributeId).toBe(CM_ATTRIBUTE_ID[message.kind]);
      expect(glance.localCommunicationId).toBe(message.localCommunicationId);
      if (message.kind !== 'req') expect(glance.remoteCommunicationId).toBe(message.remoteCommunicationId);
    }
  });

  it('sees nothing in what is no message', () => {
    const bytes = new Uint8Array(MAD_BYTES);
    emitCm(exampleReq(), bytes, 0);
    for (const [from, to] of [
      [0, MAD_BYTES - 1],
      [1, MAD_BYTES],
    ])
      glanceCm(bytes, from, to, glance);
    expect(glance.attributeId).toBe(0);
    bytes[1] = 0x08;
    glanceCm(bytes, 0, MAD_BYTES, glance);
    expect(glance.attributeId).toBe(0);
  });
});
