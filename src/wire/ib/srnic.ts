/**
 * SRNIC's extended headers (SRNIC, NSDI 2023, §4.4.1): every request packet carries what the receiver needs to place
 * it, whatever its order of arrival, and every response echoes what the requester needs to find the work request.
 *
 * What the headers carry and how large they are is the paper's: a SEND packet grows from 58 to 66 bytes of headers and
 * a WRITE packet from 58 to 78. The 58 bytes are Ethernet 14, IPv4 20, UDP 8, BTH 12 and ICRC 4, so the 20 bytes of a
 * WRITE packet stand in place of the RETH and not beside it. The order and the width of the fields are **ours**: the
 * paper prints no layout. A message of 2 GiB at the least MTU has 2^23 packets, so the packet offset takes 24 bits; the
 * MSN has 24 bits as in the AETH; the 16 bits that are left hold the low bits of the SSN, enough to tell apart the
 * receives of a queue of 32768.
 *
 * An acknowledgement has the first 8 bytes too. In a NAK of a missing PSN their last 24 bits are the PSN that came in its
 * place (IRN's selective acknowledgement, SIGCOMM 2018, §3.1), which the echoed offset stands for. The SSN of an
 * acknowledgement is the number of requests that arrived marked: what DCTCP's sender counts (§5), however many are
 * acknowledged together or lost.
 *
 * READ data has the 8 bytes as well: the offset is the number of the packet among all READ data of its sender (READ
 * responses have a PSN space of their own, as in IRN §5.2). It is acknowledged by a packet whose AETH has the syndrome
 * kind 010, which the specification reserves; the PSN of that is the highest number that arrived, the SSN how many packets
 * of READ data arrived marked.
 *
 *     0               8               16              24            31
 *     +---------------+---------------+---------------+---------------+
 *   0 |                      MSN                      |  SSN (high)   |
 *     +---------------+---------------+---------------+---------------+
 *   4 |   SSN (low)   |                  PSN_OFFSET                   |
 *     +---------------+---------------+---------------+---------------+
 *   8 |                  virtual address (WRITE only)                 |
 *  12 |                                                               |
 *     +---------------+---------------+---------------+---------------+
 *  16 |                    remote key (WRITE only)                    |
 *     +---------------+---------------+---------------+---------------+
 */
import {
  read16,
  read24,
  read32,
  read64Exact,
  write16,
  write24,
  write32,
  write64Exact,
} from '../bytes/bytes.js';
import { requireBits, requireBits64 } from '../bytes/field.js';
import type { Refusal } from '../bytes/refusal.js';
import { View } from '../bytes/view.js';

/** Bytes that SRNIC adds to a SEND packet, and to a response that echoes them. */
export const SRNIC_SEND_BYTES = 8;
/** Bytes that SRNIC adds to a WRITE packet, in place of the RETH. */
export const SRNIC_WRITE_BYTES = 20;

const MSN = 0;
const SSN = 3;
const PSN_OFFSET = 5;
const VIRTUAL_ADDRESS = 8;
const REMOTE_KEY = 16;

/** A checked view over the extension of a SEND packet. */
export class SrnicSendView extends View {
  constructor(header = 'srnic-send', minimumBytes: number = SRNIC_SEND_BYTES) {
    super(header, minimumBytes);
  }

  /** Message sequence number: the requester finds the work request with it when a response echoes it. */
  get msn(): number {
    return read24(this.bytes, this.offset + MSN);
  }
  set msn(value: number) {
    write24(this.bytes, this.offset + MSN, value);
  }

  /** Low 16 bits of the send sequence number: the responder finds the receive with it. */
  get ssn(): number {
    return read16(this.bytes, this.offset + SSN);
  }
  set ssn(value: number) {
    write16(this.bytes, this.offset + SSN, value);
  }

  /** How many packets of the message precede this one: times the path MTU it is the offset in the buffer. */
  get psnOffset(): number {
    return read24(this.bytes, this.offset + PSN_OFFSET);
  }
  set psnOffset(value: number) {
    write24(this.bytes, this.offset + PSN_OFFSET, value);
  }
}

/** A checked view over the extension of a WRITE packet. */
export class SrnicWriteView extends SrnicSendView {
  constructor() {
    super('srnic-write', SRNIC_WRITE_BYTES);
  }

  /** Where the payload of this packet goes, not of the message. */
  get virtualAddress(): bigint {
    return read64Exact(this.bytes, this.offset + VIRTUAL_ADDRESS);
  }
  set virtualAddress(value: bigint) {
    write64Exact(this.bytes, this.offset + VIRTUAL_ADDRESS, value);
  }

  /** Its upper 32 bits: where no bigint is to be made. */
  get virtualAddressHigh(): number {
    return read32(this.bytes, this.offset + VIRTUAL_ADDRESS);
  }
  set virtualAddressHigh(value: number) {
    write32(this.bytes, this.offset + VIRTUAL_ADDRESS, value);
  }

  /** Its lower 32 bits. */
  get virtualAddressLow(): number {
    return read32(this.bytes, this.offset + VIRTUAL_ADDRESS + 4);
  }
  set virtualAddressLow(value: number) {
    write32(this.bytes, this.offset + VIRTUAL_ADDRESS + 4, value);
  }

  /** The key of the memory region that is written. */
  get remoteKey(): number {
    return read32(this.bytes, this.offset + REMOTE_KEY);
  }
  set remoteKey(value: number) {
    write32(this.bytes, this.offset + REMOTE_KEY, value);
  }
}

/** What every packet of a SEND says about itself, and what a response echoes. */
export interface SrnicSend {
  /** Message sequence number, 24 bits. */
  msn: number;
  /** Low 16 bits of the send sequence number. */
  ssn: number;
  /** Packets of the message before this one. */
  psnOffset: number;
}

/** What every packet of a WRITE says about itself; the SSN counts in a WRITE with immediate, which takes a receive. */
export interface SrnicWrite extends SrnicSend {
  /** Where the payload of this packet goes. */
  virtualAddress: bigint;
  /** The key of the memory region that is written. */
  remoteKey: number;
}

/** Reads the extension of a SEND packet from a view that was wrapped without a refusal. */
export function parseSrnicSend(view: SrnicSendView): SrnicSend | Refusal {
  return { msn: view.msn, ssn: view.ssn, psnOffset: view.psnOffset };
}

/** Reads the extension of a WRITE packet from a view that was wrapped without a refusal. */
export function parseSrnicWrite(view: SrnicWriteView): SrnicWrite | Refusal {
  return {
    msn: view.msn,
    ssn: view.ssn,
    psnOffset: view.psnOffset,
    virtualAddress: view.virtualAddress,
    remoteKey: view.remoteKey,
  };
}

const sendWriter = new SrnicSendView();
const writeWriter = new SrnicWriteView();

/** Writes the extension of a SEND packet and returns its size. */
export function emitSrnicSend(meaning: SrnicSend, bytes: Uint8Array, offset: number): number {
  requireSequence('srnic-send', meaning);
  sendWriter.wrapForWriting(bytes, offset);
  writeSequence(meaning, sendWriter);
  sendWriter.release();
  return SRNIC_SEND_BYTES;
}

/** Writes the extension of a WRITE packet and returns its size. */
export function emitSrnicWrite(meaning: SrnicWrite, bytes: Uint8Array, offset: number): number {
  requireSequence('srnic-write', meaning);
  requireBits64('srnic-write.virtualAddress', meaning.virtualAddress);
  requireBits('srnic-write.remoteKey', meaning.remoteKey, 32);
  writeWriter.wrapForWriting(bytes, offset);
  writeSequence(meaning, writeWriter);
  writeWriter.virtualAddress = meaning.virtualAddress;
  writeWriter.remoteKey = meaning.remoteKey;
  writeWriter.release();
  return SRNIC_WRITE_BYTES;
}

function requireSequence(header: string, meaning: SrnicSend): void {
  requireBits(`${header}.msn`, meaning.msn, 24);
  requireBits(`${header}.ssn`, meaning.ssn, 16);
  requireBits(`${header}.psnOffset`, meaning.psnOffset, 24);
}

function writeSequence(meaning: SrnicSend, view: SrnicSendView): void {
  view.msn = meaning.msn;
  view.ssn = meaning.ssn;
  view.psnOffset = meaning.psnOffset;
}
