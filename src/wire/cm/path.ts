import { allZero, read16, read24, write16, write24 } from '../bytes/bytes.js';
import { outOfRange, requireBits, requireBytes } from '../bytes/field.js';
import { View } from '../bytes/view.js';

/** The size of a path in a REQ. */
export const CM_PATH_BYTES = 44;
const GID_BYTES = 16;

const LOCAL_LID = 0;
const REMOTE_LID = 2;
const LOCAL_GID = 4;
const REMOTE_GID = 20;
const FLOW_LABEL = 36;
const PACKET_RATE = 39;
const TRAFFIC_CLASS = 40;
const HOP_LIMIT = 41;
const SERVICE_LEVEL = 42;
const ACK_TIMEOUT = 43;

/** A checked view over one of the two paths of a REQ; both have the same form (IBTA vol. 1, table 106). */
export class CmPathView extends View {
  constructor() {
    super('cm-path', CM_PATH_BYTES);
  }

  /** LID of the sender's port; RoCE has none and writes 0xffff or 0. */
  get localLid(): number {
    return read16(this.bytes, this.offset + LOCAL_LID);
  }
  set localLid(value: number) {
    write16(this.bytes, this.offset + LOCAL_LID, value);
  }

  /** LID of the receiver's port. */
  get remoteLid(): number {
    return read16(this.bytes, this.offset + REMOTE_LID);
  }
  set remoteLid(value: number) {
    write16(this.bytes, this.offset + REMOTE_LID, value);
  }

  /** GID of the sender's port, without a copy. */
  get localGid(): Uint8Array {
    return this.bytes.subarray(this.offset + LOCAL_GID, this.offset + LOCAL_GID + GID_BYTES);
  }
  set localGid(value: Uint8Array) {
    this.bytes.set(value, this.offset + LOCAL_GID);
  }

  /** GID of the receiver's port, without a copy. */
  get remoteGid(): Uint8Array {
    return this.bytes.subarray(this.offset + REMOTE_GID, this.offset + REMOTE_GID + GID_BYTES);
  }
  set remoteGid(value: Uint8Array) {
    this.bytes.set(value, this.offset + REMOTE_GID);
  }

  /** Flow label of packets on the path. */
  get flowLabel(): number {
    return read24(this.bytes, this.offset + FLOW_LABEL) >>> 4;
  }
  set flowLabel(value: number) {
    write24(this.bytes, this.offset + FLOW_LABEL, value << 4);
  }

  /** Code of the highest rate. */
  get packetRate(): number {
    return this.bytes[this.offset + PACKET_RATE] & 0x3f;
  }
  set packetRate(value: number) {
    this.bytes[this.offset + PACKET_RATE] =
      (this.bytes[this.offset + PACKET_RATE] & 0xc0) | ((value & 0x3f) << 0);
  }

  /** Traffic class of packets on the path. */
  get trafficClass(): number {
    return this.bytes[this.offset + TRAFFIC_CLASS] | 0;
  }
  set trafficClass(value: number) {
    this.bytes[this.offset + TRAFFIC_CLASS] = value;
  }

  /** Hop limit of packets on the path. */
  get hopLimit(): number {
    return this.bytes[this.offset + HOP_LIMIT] | 0;
  }
  set hopLimit(value: number) {
    this.bytes[this.offset + HOP_LIMIT] = value;
  }

  /** Service level. */
  get serviceLevel(): number {
    return (this.bytes[this.offset + SERVICE_LEVEL] >>> 4) & 0xf;
  }
  set serviceLevel(value: number) {
    this.bytes[this.offset + SERVICE_LEVEL] =
      (this.bytes[this.offset + SERVICE_LEVEL] & 0x0f) | ((value & 0xf) << 4);
  }

  /** Whether both ends lie in one subnet, so that no router is passed. */
  get subnetLocal(): boolean {
    return ((this.bytes[this.offset + SERVICE_LEVEL] >>> 3) & 1) === 1;
  }
  set subnetLocal(value: boolean) {
    this.bytes[this.offset + SERVICE_LEVEL] =
      (this.bytes[this.offset + SERVICE_LEVEL] & 0xf7) | (value ? 8 : 0);
  }

  /** Acknowledgement timeout of the sender: 4.096 µs times two to this power. */
  get localAckTimeout(): number {
    return (this.bytes[this.offset + ACK_TIMEOUT] >>> 3) & 0x1f;
  }
  set localAckTimeout(value: number) {
    this.bytes[this.offset + ACK_TIMEOUT] =
      (this.bytes[this.offset + ACK_TIMEOUT] & 0x07) | ((value & 0x1f) << 3);
  }
}

/** A path between two ports, as a REQ proposes it. */
export interface CmPath {
  localLid: number;
  remoteLid: number;
  /** 16 bytes. */
  localGid: Uint8Array;
  /** 16 bytes. */
  remoteGid: Uint8Array;
  flowLabel: number;
  packetRate: number;
  trafficClass: number;
  hopLimit: number;
  serviceLevel: number;
  subnetLocal: boolean;
  /** 4.096 µs times two to this power. */
  localAckTimeout: number;
}

/** Reads a path from a view that was wrapped without a refusal. */
export function parseCmPath(view: CmPathView): CmPath {
  return {
    localLid: view.localLid,
    remoteLid: view.remoteLid,
    localGid: view.localGid.slice(),
    remoteGid: view.remoteGid.slice(),
    flowLabel: view.flowLabel,
    packetRate: view.packetRate,
    trafficClass: view.trafficClass,
    hopLimit: view.hopLimit,
    serviceLevel: view.serviceLevel,
    subnetLocal: view.subnetLocal,
    localAckTimeout: view.localAckTimeout,
  };
}

/** Throws unless every field of the path fits the wire. */
export function requireCmPath(field: string, path: CmPath): void {
  requireBits(`${field}.localLid`, path.localLid, 16);
  requireBits(`${field}.remoteLid`, path.remoteLid, 16);
  requireBytes(`${field}.localGid`, path.localGid, GID_BYTES);
  requireBytes(`${field}.remoteGid`, path.remoteGid, GID_BYTES);
  requireBits(`${field}.flowLabel`, path.flowLabel, 20);
  requireBits(`${field}.packetRate`, path.packetRate, 6);
  requireBits(`${field}.trafficClass`, path.trafficClass, 8);
  requireBits(`${field}.hopLimit`, path.hopLimit, 8);
  requireBits(`${field}.serviceLevel`, path.serviceLevel, 4);
  requireBits(`${field}.localAckTimeout`, path.localAckTimeout, 5);
}

/** Whether every field is zero, which stands for 'no alternate path'. Reserved bits do not count. */
export function isEmptyCmPath(path: CmPath): boolean {
  const numbers = path.localLid | path.remoteLid | path.flowLabel | path.packetRate | path.trafficClass;
  const further = path.hopLimit | path.serviceLevel | path.localAckTimeout;
  const gids = allZero(path.localGid, 0, GID_BYTES) && allZero(path.remoteGid, 0, GID_BYTES);
  return (numbers | further) === 0 && !path.subnetLocal && gids;
}

/** Throws unless the path fits the wire and can be told from none. */
export function requireAlternateCmPath(field: string, path: CmPath): void {
  requireCmPath(field, path);
  if (isEmptyCmPath(path)) outOfRange(field, 'all zero', 'null where there is no alternate path');
}

/** Writes a path that was checked before into zeroed bytes. */
export function emitCmPath(path: CmPath, view: CmPathView): void {
  view.localLid = path.localLid;
  view.remoteLid = path.remoteLid;
  view.localGid = path.localGid;
  view.remoteGid = path.remoteGid;
  view.flowLabel = path.flowLabel;
  view.packetRate = path.packetRate;
  view.trafficClass = path.trafficClass;
  view.hopLimit = path.hopLimit;
  view.serviceLevel = path.serviceLevel;
  view.subnetLocal = path.subnetLocal;
  view.localAckTimeout = path.localAckTimeout;
}
