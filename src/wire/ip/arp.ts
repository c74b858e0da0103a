import { read16, read32, read48, write16, write32, write48 } from '../bytes/bytes.js';
import { outOfRange, requireBits } from '../bytes/field.js';
import { type Refusal, refusal } from '../bytes/refusal.js';
import { View } from '../bytes/view.js';

/** EtherType of the address resolution protocol. */
export const ETHERTYPE_ARP = 0x0806;
/** Bytes of an ARP packet for IPv4 over Ethernet (RFC 826). */
export const ARP_BYTES = 28;

const ETHERNET = 1;
const IPV4 = 0x0800;
const LENGTHS = 0x0604;
const REQUEST = 1;
const REPLY = 2;

const UNSUPPORTED = refusal('arp', 'unsupported');
const UNKNOWN_KIND = refusal('arp', 'unknown-kind');

/** A checked view over an ARP packet for IPv4 over Ethernet. */
export class ArpView extends View {
  constructor() {
    super('arp', ARP_BYTES);
  }

  protected override check(): Refusal | null {
    const { bytes, offset } = this;
    if (read16(bytes, offset) !== ETHERNET || read16(bytes, offset + 2) !== IPV4) return UNSUPPORTED;
    if (read16(bytes, offset + 4) !== LENGTHS) return UNSUPPORTED;
    return this.operation === REQUEST || this.operation === REPLY ? null : UNKNOWN_KIND;
  }

  /** 1 for a request, 2 for a reply. */
  get operation(): number {
    return read16(this.bytes, this.offset + 6);
  }

  get senderMac(): number {
    return read48(this.bytes, this.offset + 8);
  }

  get senderAddress(): number {
    return read32(this.bytes, this.offset + 14);
  }

  get targetMac(): number {
    return read48(this.bytes, this.offset + 18);
  }

  get targetAddress(): number {
    return read32(this.bytes, this.offset + 24);
  }
}

/** A question for the MAC of an IPv4 address, or the answer. */
export interface Arp {
  operation: 'request' | 'reply';
  senderMac: number;
  senderAddress: number;
  /** 0 in a request. */
  targetMac: number;
  targetAddress: number;
}

/** Reads the meaning of a wrapped view. */
export function parseArp(view: ArpView): Arp | Refusal {
  const { operation, senderMac, senderAddress, targetMac, targetAddress } = view;
  return {
    operation: operation === REQUEST ? 'request' : 'reply',
    senderMac,
    senderAddress,
    targetMac,
    targetAddress,
  };
}

const writer = new ArpView();

/** Writes an ARP packet and returns its 28 bytes. */
export function emitArp(arp: Arp, bytes: Uint8Array, offset: number): number {
  requireBits('arp.senderMac', arp.senderMac, 48);
  requireBits('arp.senderAddress', arp.senderAddress, 32);
  requireBits('arp.targetMac', arp.targetMac, 48);
  requireBits('arp.targetAddress', arp.targetAddress, 32);
  if (arp.operation !== 'request' && arp.operation !== 'reply')
    outOfRange('arp.operation', arp.operation, 'request or reply');
  writer.wrapForWriting(bytes, offset);
  write16(bytes, offset, ETHERNET);
  write16(bytes, offset + 2, IPV4);
  write16(bytes, offset + 4, LENGTHS);
  write16(bytes, offset + 6, arp.operation === 'request' ? REQUEST : REPLY);
  write48(bytes, offset + 8, arp.senderMac);
  write32(bytes, offset + 14, arp.senderAddress);
  write48(bytes, offset + 18, arp.targetMac);
  write32(bytes, offset + 24, arp.targetAddress);
  writer.release();
  return ARP_BYTES;
}
