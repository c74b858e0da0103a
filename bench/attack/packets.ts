import type { Random } from '../../src/engine/index.js';
import { IcrcFlow } from '../../src/link/index.js';
import { strangersQpn, strangersReq } from '../../src/providers/software/testing/stranger.js';
import { GSI_QKEY } from '../../src/transport/cm/index.js';
import {
  crc32Update,
  DREQ_PRIVATE_DATA_BYTES,
  DreqView,
  emitCm,
  type Gid,
  MAD_BYTES,
  OPCODE,
  parseGid,
  ReqView,
  writeIcrc,
} from '../../src/wire/index.js';
import { SERVICE } from './victim.js';

const PORT = 4791;
const ICRC_BYTES = 4;
const UD_HEAD_BYTES = 20;
/** Where a BTH has its wish for an acknowledgement and its PSN. */
const PSN_AT = 8;
const reqView = new ReqView();
const dreqView = new DreqView();
/** Ethernet, IPv4 and UDP: what a datagram is on a wire besides its bytes. */
export const AROUND_BYTES = 14 + 20 + 8;

/** Makes packets in the name of one address, with the ICRC that they would have from there. */
export class Forger {
  readonly from: Gid;
  /** The address that they are for. */
  readonly target: string;
  private readonly to: Gid;
  private readonly random: Random;
  private readonly flow = new IcrcFlow(PORT, crc32Update);
  private aReq: Uint8Array | null = null;
  private aDreq: Uint8Array | null = null;

  constructor(from: string, sourcePort: number, target: string, random: Random) {
    this.target = target;
    this.from = parseGid(`::ffff:${from}`);
    this.to = parseGid(`::ffff:${target}`);
    this.random = random;
    this.flow.set(this.from, this.to, sourcePort);
  }

  /** A request for a connection that asks for all the patience that there is. */
  req(id: number): Uint8Array {
    if (this.aReq === null) {
      const fields = { localCmResponseTimeout: 31, remoteCmResponseTimeout: 31, maxCmRetries: 15 };
      this.aReq = this.management(strangersReq(this.from, this.to, SERVICE, id, fields));
    }
    const packet = this.again(this.aReq);
    reqView.wrap(packet, UD_HEAD_BYTES, UD_HEAD_BYTES + MAD_BYTES);
    reqView.localCommunicationId = id;
    reqView.localQpn = strangersQpn(id);
    reqView.release();
    return this.seal(packet);
  }

  /** A DREQ that names anything. */
  dreq(): Uint8Array {
    const { random } = this;
    if (this.aDreq === null) {
      const payload = new Uint8Array(MAD_BYTES);
      const ids = {
        transactionId: 1n,
        localCommunicationId: 1,
        remoteCommunicationId: 1,
        remoteQpnOrEecn: 1,
      };
      emitCm({ kind: 'dreq', ...ids, privateData: new Uint8Array(DREQ_PRIVATE_DATA_BYTES) }, payload, 0);
      this.aDreq = this.management(payload);
    }
    const packet = this.again(this.aDreq);
    dreqView.wrap(packet, UD_HEAD_BYTES, UD_HEAD_BYTES + MAD_BYTES);
    dreqView.localCommunicationId = random.nextUint32();
    dreqView.remoteCommunicationId = random.nextUint32();
    dreqView.remoteQpnOrEecn = random.nextInt(2 ** 24);
    dreqView.release();
    return this.seal(packet);
  }

  management(payload: Uint8Array): Uint8Array {
    const packet = this.head(OPCODE.UD_SEND_ONLY, 1, UD_HEAD_BYTES + payload.length + ICRC_BYTES);
    const view = new DataView(packet.buffer);
    view.setUint32(12, GSI_QKEY);
    view.setUint32(16, 1);
    packet.set(payload, UD_HEAD_BYTES);
    return this.seal(packet);
  }

  /** A congestion notification for a queue pair. */
  cnp(qpn: number): Uint8Array {
    const packet = this.head(OPCODE.CNP, qpn, 12 + 16 + ICRC_BYTES);
    packet[4] = 0x40;
    return this.seal(packet);
  }

  /** A READ of any address with any key at any queue pair. */
  read(qpn: number): Uint8Array {
    const packet = this.head(OPCODE.RC_READ_REQUEST, qpn, 12 + 16 + ICRC_BYTES);
    const view = new DataView(packet.buffer);
    view.setBigUint64(12, BigInt(this.random.nextInt(2 ** 32)) * 4096n);
    view.setUint32(20, this.random.nextUint32());
    view.setUint32(24, 65536);
    return this.seal(packet);
  }

  /** A READ in a connection. */
  readAt(qpn: number, psn: number, remoteAddr: number, rkey: number, length: number): Uint8Array {
    const packet = this.head(OPCODE.RC_READ_REQUEST, qpn, 12 + 16 + ICRC_BYTES);
    const view = new DataView(packet.buffer);
    view.setUint32(PSN_AT, (0x8000_0000 | psn) >>> 0);
    view.setBigUint64(12, BigInt(remoteAddr));
    view.setUint32(20, rkey);
    view.setUint32(24, length);
    return this.seal(packet);
  }

  /** Bytes of no meaning, with an ICRC or without. */
  noise(): Uint8Array {
    const packet = Uint8Array.from({ length: 16 + this.random.nextInt(300) }, () => this.random.nextInt(256));
    return this.random.nextInt(2) === 0 ? packet : this.seal(packet);
  }

  /** The same packet with another PSN: what an attacker computes for each takes little of a machine that is shared. */
  private again(packet: Uint8Array): Uint8Array {
    const copy = packet.slice();
    new DataView(copy.buffer).setUint32(PSN_AT, (0x8000_0000 | this.random.nextInt(2 ** 24)) >>> 0);
    return copy;
  }

  private head(opcode: number, qpn: number, bytes: number): Uint8Array {
    const packet = new Uint8Array(bytes);
    const view = new DataView(packet.buffer);
    packet[0] = opcode;
    view.setUint16(2, 0xffff);
    view.setUint32(4, qpn);
    view.setUint32(PSN_AT, (0x8000_0000 | this.random.nextInt(2 ** 24)) >>> 0);
    return packet;
  }

  private seal(packet: Uint8Array): Uint8Array {
    const at = packet.length - ICRC_BYTES;
    writeIcrc(packet, at, this.flow.icrcOf(packet, 0, at));
    return packet;
  }
}
