import { isRefusal, type Refusal } from '../../wire/bytes/refusal.js';
import {
  emitRdmaCmHeader,
  padPrivateData,
  parseRdmaCmHeader,
  RDMA_CM_HEADER_BYTES,
  type RdmaCmHeader,
  RdmaCmHeaderView,
  REQ_PRIVATE_DATA_BYTES,
  type Req,
  rdmaCmPort,
  TRANSPORT_SERVICE_TYPE,
} from '../../wire/cm/index.js';
import type { Gid } from '../../wire/ib/gid.js';

/** What the active side asks for. */
export interface CmRequest {
  peer: Gid;
  serviceId: bigint;
  qpn: number;
  /** The first PSN that the *other* side sends. */
  startingPsn: number;
  /** IBTA's code of the path MTU: 1 for 256 bytes to 5 for 4096. */
  pathMtuCode: number;
  localGid: Gid;
  /** Puts RDMA-CM's addressing header before the private data. */
  header?: RdmaCmHeader;
  privateData?: Uint8Array;
  responderResources?: number;
  initiatorDepth?: number;
  retryCount?: number;
  rnrRetryCount?: number;
  transportServiceType?: number;
  srq?: boolean;
  /** Code of the time until a message is sent again; default: 20 (4.3 s), RDMA-CM's own. */
  responseTimeout?: number;
  maxCmRetries?: number;
  localAckTimeout?: number;
  hopLimit?: number;
  trafficClass?: number;
}

const header = new RdmaCmHeaderView();

/** The REQ that a request means. */
export function reqOf(request: CmRequest, localId: number, transactionId: bigint, caGuid: bigint): Req {
  const responseTimeout = request.responseTimeout ?? 20;
  return {
    kind: 'req',
    transactionId: transactionId,
    localCommunicationId: localId,
    serviceId: request.serviceId,
    localCaGuid: caGuid,
    localQueueKey: 0,
    localQpn: request.qpn,
    responderResources: request.responderResources ?? 1,
    localEecn: 0,
    initiatorDepth: request.initiatorDepth ?? 1,
    remoteEecn: 0,
    remoteCmResponseTimeout: responseTimeout,
    transportServiceType: request.transportServiceType ?? TRANSPORT_SERVICE_TYPE.rc,
    endToEndFlowControl: false,
    startingPsn: request.startingPsn,
    localCmResponseTimeout: responseTimeout,
    retryCount: request.retryCount ?? 7,
    partitionKey: 0xffff,
    pathMtuCode: request.pathMtuCode,
    rdcExists: false,
    rnrRetryCount: request.rnrRetryCount ?? 7,
    maxCmRetries: request.maxCmRetries ?? 15,
    srq: request.srq ?? false,
    extendedTransportType: 0,
    primaryPath: {
      // RoCE has no LIDs; Linux writes these (permissive).
      localLid: 0xffff,
      remoteLid: 0xffff,
      localGid: request.localGid,
      remoteGid: request.peer,
      flowLabel: 0,
      packetRate: 0,
      trafficClass: request.trafficClass ?? 0,
      hopLimit: request.hopLimit ?? 64,
      serviceLevel: 0,
      subnetLocal: true,
      localAckTimeout: request.localAckTimeout ?? 14,
    },
    alternatePath: null,
    privateData: privateDataOf(request),
  };
}

function privateDataOf(request: CmRequest): Uint8Array {
  if (request.header === undefined) return padPrivateData(REQ_PRIVATE_DATA_BYTES, request.privateData);
  const given = request.privateData ?? new Uint8Array(0);
  const joined = new Uint8Array(RDMA_CM_HEADER_BYTES + given.length);
  emitRdmaCmHeader(request.header, joined, 0);
  joined.set(given, RDMA_CM_HEADER_BYTES);
  return padPrivateData(REQ_PRIVATE_DATA_BYTES, joined);
}

/** RDMA-CM's header, where the service is one of its ports, and the consumer's bytes. */
export function consumerPart(req: Req): { header: RdmaCmHeader | null; privateData: Uint8Array } | Refusal {
  if (isRefusal(rdmaCmPort(req.serviceId))) return { header: null, privateData: req.privateData };
  const refused = header.wrap(req.privateData, 0, req.privateData.length);
  if (refused !== null) return refused;
  const parsed = parseRdmaCmHeader(header);
  header.release();
  if (isRefusal(parsed)) return parsed;
  return { header: parsed, privateData: req.privateData.subarray(RDMA_CM_HEADER_BYTES) };
}
