import { DREP_PRIVATE_DATA_BYTES } from '../cm/drep.js';
import { DREQ_PRIVATE_DATA_BYTES } from '../cm/dreq.js';
import type { CmMessage } from '../cm/index.js';
import { padPrivateData } from '../cm/message.js';
import { MRA_MESSAGE, MRA_PRIVATE_DATA_BYTES } from '../cm/mra.js';
import { rdmaCmServiceId } from '../cm/rdma-cm-private-data.js';
import { REJ_MESSAGE, REJ_PRIVATE_DATA_BYTES } from '../cm/rej.js';
import { REJ_REASON } from '../cm/rej-reason.js';
import { REP_PRIVATE_DATA_BYTES } from '../cm/rep.js';
import { REQ_PRIVATE_DATA_BYTES, type Req, TRANSPORT_SERVICE_TYPE } from '../cm/req.js';
import { RTU_PRIVATE_DATA_BYTES } from '../cm/rtu.js';
import { parseGid } from '../ib/gid.js';

/** Private data whose first bytes and last byte are told, so that a field one byte off is seen. */
function privateData(size: number, first: number[], last: number): Uint8Array {
  const bytes = padPrivateData(size, Uint8Array.from(first));
  bytes[size - 1] = last;
  return bytes;
}

/** A connection request in which no field is zero and no two neighbours are alike. */
export function exampleReq(): Req {
  return {
    kind: 'req',
    transactionId: 0x1_a1a2_a3a4n,
    localCommunicationId: 0xc0ff_ee01,
    serviceId: rdmaCmServiceId(7174),
    localCaGuid: 0x5054_00ff_fe12_3456n,
    localQueueKey: 0x8001_0000,
    localQpn: 0x11,
    responderResources: 16,
    localEecn: 0x0a,
    initiatorDepth: 8,
    remoteEecn: 0x0b,
    remoteCmResponseTimeout: 20,
    transportServiceType: TRANSPORT_SERVICE_TYPE.rc,
    endToEndFlowControl: true,
    startingPsn: 0x12_3456,
    localCmResponseTimeout: 20,
    retryCount: 7,
    partitionKey: 0xffff,
    pathMtuCode: 3,
    rdcExists: false,
    rnrRetryCount: 6,
    maxCmRetries: 15,
    srq: true,
    extendedTransportType: 5,
    primaryPath: {
      localLid: 0xffff,
      remoteLid: 1,
      localGid: parseGid('::ffff:10.0.0.1'),
      remoteGid: parseGid('::ffff:10.0.0.2'),
      flowLabel: 0xabcde,
      packetRate: 18,
      trafficClass: 0x68,
      hopLimit: 64,
      serviceLevel: 3,
      subnetLocal: true,
      localAckTimeout: 19,
    },
    alternatePath: {
      localLid: 2,
      remoteLid: 3,
      localGid: parseGid('fe80::1'),
      remoteGid: parseGid('fe80::2'),
      flowLabel: 0x12345,
      packetRate: 7,
      trafficClass: 1,
      hopLimit: 255,
      serviceLevel: 15,
      subnetLocal: false,
      localAckTimeout: 31,
    },
    privateData: privateData(REQ_PRIVATE_DATA_BYTES, [1, 2, 3, 4, 5], 0xff),
  };
}

/** One message of every kind, for tests and as the seed of mutated datagrams. */
export function exampleMessages(): CmMessage[] {
  return [
    exampleReq(),
    {
      kind: 'mra',
      transactionId: 2n,
      localCommunicationId: 5,
      remoteCommunicationId: 6,
      messageMraed: MRA_MESSAGE.rep,
      serviceTimeout: 24,
      privateData: privateData(MRA_PRIVATE_DATA_BYTES, [0xaa, 0xbb], 1),
    },
    {
      kind: 'rej',
      transactionId: 3n,
      localCommunicationId: 7,
      remoteCommunicationId: 8,
      messageRejected: REJ_MESSAGE.rep,
      reason: REJ_REASON.consumerReject,
      additionalInformation: Uint8Array.of(1, 2, 3, 4, 5, 6),
      privateData: privateData(REJ_PRIVATE_DATA_BYTES, [0x99], 2),
    },
    {
      kind: 'rep',
      transactionId: 0xffff_ffff_ffff_ffffn,
      localCommunicationId: 9,
      remoteCommunicationId: 0xc0ff_ee01,
      localQueueKey: 0x1111_1111,
      localQpn: 0x12,
      localEecn: 0x0c,
      startingPsn: 0xff_fffe,
      responderResources: 4,
      initiatorDepth: 16,
      targetAckDelay: 15,
      failoverAccepted: 2,
      endToEndFlowControl: true,
      rnrRetryCount: 7,
      srq: true,
      localCaGuid: 0x5054_00ff_fe65_4321n,
      privateData: privateData(REP_PRIVATE_DATA_BYTES, [0xde, 0xad, 0xbe, 0xef], 3),
    },
    {
      kind: 'rtu',
      transactionId: 5n,
      localCommunicationId: 10,
      remoteCommunicationId: 11,
      privateData: privateData(RTU_PRIVATE_DATA_BYTES, [12], 4),
    },
    {
      kind: 'dreq',
      transactionId: 6n,
      localCommunicationId: 13,
      remoteCommunicationId: 14,
      remoteQpnOrEecn: 0xcafe,
      privateData: privateData(DREQ_PRIVATE_DATA_BYTES, [15], 5),
    },
    {
      kind: 'drep',
      transactionId: 7n,
      localCommunicationId: 16,
      remoteCommunicationId: 17,
      privateData: privateData(DREP_PRIVATE_DATA_BYTES, [18], 6),
    },
  ];
}
