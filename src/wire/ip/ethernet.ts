import { read16, read48, write16, write48 } from '../bytes/bytes.js';
import { outOfRange, requireBits } from '../bytes/field.js';
import { type Refusal, refusal } from '../bytes/refusal.js';
import { View } from '../bytes/view.js';

/** Bytes of an untagged Ethernet header; a VLAN tag adds {@link VLAN_TAG_BYTES}. The frame check sequence is the port's. */
export const ETHERNET_BYTES = 14;
/** Bytes that an IEEE 802.1Q tag adds. */
export const VLAN_TAG_BYTES = 4;

/** EtherType of IPv4. */
export const ETHERTYPE_IPV4 = 0x0800;
/** EtherType of IPv6. */
export const ETHERTYPE_IPV6 = 0x86dd;
/** EtherType of an IEEE 802.1Q tag, which this file reads as part of the header. */
export const ETHERTYPE_VLAN = 0x8100;
/** Below this the field is an IEEE 802.3 length and not a type. */
const LEAST_ETHERTYPE = 0x0600;

const DESTINATION = 0;
const SOURCE = 6;
const TYPE = 12;
const TAG = 14;
const TAGGED_TYPE = 16;

const TRUNCATED = refusal('ethernet', 'truncated');
const BAD_TYPE = refusal('ethernet', 'bad-field');
const DOUBLE_TAG = refusal('ethernet', 'unsupported');

/** A checked view over an Ethernet header with at most one 802.1Q tag. */
export class EthernetView extends View {
  constructor() {
    super('ethernet', ETHERNET_BYTES);
  }

  protected override check(): Refusal | null {
    if (this.tagged && this.end - this.offset < ETHERNET_BYTES + VLAN_TAG_BYTES) return TRUNCATED;
    return null;
  }

  /** Bytes of this header, its tag included. */
  get headerBytes(): number {
    return this.tagged ? ETHERNET_BYTES + VLAN_TAG_BYTES : ETHERNET_BYTES;
  }

  /** Whether an 802.1Q tag is there. */
  get tagged(): boolean {
    return read16(this.bytes, this.offset + TYPE) === ETHERTYPE_VLAN;
  }

  /** Destination MAC address as a 48-bit number. */
  get destination(): number {
    return read48(this.bytes, this.offset + DESTINATION);
  }
  set destination(value: number) {
    write48(this.bytes, this.offset + DESTINATION, value);
  }

  /** Source MAC address as a 48-bit number. */
  get source(): number {
    return read48(this.bytes, this.offset + SOURCE);
  }
  set source(value: number) {
    write48(this.bytes, this.offset + SOURCE, value);
  }

  /** The type of what follows, behind the tag where there is one. */
  get etherType(): number {
    return read16(this.bytes, this.offset + (this.tagged ? TAGGED_TYPE : TYPE));
  }
  set etherType(value: number) {
    write16(this.bytes, this.offset + (this.tagged ? TAGGED_TYPE : TYPE), value);
  }

  /** The 16 bits of tag control information; 0 where there is no tag. */
  get tagControl(): number {
    return this.tagged ? read16(this.bytes, this.offset + TAG) : 0;
  }

  /** Turns the header into a tagged one; the view must have room for it. */
  writeTag(tagControl: number): void {
    write16(this.bytes, this.offset + TYPE, ETHERTYPE_VLAN);
    write16(this.bytes, this.offset + TAG, tagControl);
  }
}

/** An IEEE 802.1Q tag. */
export interface VlanTag {
  /** Priority code point, 0 to 7: the class that PFC pauses. */
  priority: number;
  /** Whether the frame may be dropped first. */
  dropEligible: boolean;
  /** VLAN number, 0 to 4095; 0 means that only the priority counts. */
  vlan: number;
}

/** What an Ethernet header means. */
export interface Ethernet {
  /** Destination MAC address as a 48-bit number; see `formatMac`. */
  destination: number;
  /** Source MAC address as a 48-bit number. */
  source: number;
  /** The 802.1Q tag, null where the frame is untagged. */
  tag: VlanTag | null;
  /** The type of what follows, 0x0600 and up, not 0x8100. */
  etherType: number;
}

/** Reads the meaning of a wrapped view. */
export function parseEthernet(view: EthernetView): Ethernet | Refusal {
  const etherType = view.etherType;
  if (etherType === ETHERTYPE_VLAN) return DOUBLE_TAG;
  if (etherType < LEAST_ETHERTYPE) return BAD_TYPE;
  const control = view.tagControl;
  return {
    destination: view.destination,
    source: view.source,
    tag: view.tagged
      ? { priority: control >>> 13, dropEligible: (control & 0x1000) !== 0, vlan: control & 0xfff }
      : null,
    etherType,
  };
}

const writer = new EthernetView();

/** Writes the header and returns its bytes, 14 or 18. */
export function emitEthernet(meaning: Ethernet, bytes: Uint8Array, offset: number): number {
  const { tag, etherType } = meaning;
  requireBits('ethernet.destination', meaning.destination, 48);
  requireBits('ethernet.source', meaning.source, 48);
  requireBits('ethernet.etherType', etherType, 16);
  if (etherType < LEAST_ETHERTYPE || etherType === ETHERTYPE_VLAN) {
    outOfRange('ethernet.etherType', etherType, '0x0600 to 0xffff but not 0x8100, which the tag writes');
  }
  const size = tag === null ? ETHERNET_BYTES : ETHERNET_BYTES + VLAN_TAG_BYTES;
  if (tag !== null) {
    requireBits('ethernet.tag.priority', tag.priority, 3);
    requireBits('ethernet.tag.vlan', tag.vlan, 12);
  }
  writer.wrapForWriting(bytes, offset, size);
  if (tag !== null) writer.writeTag((tag.priority << 13) | (tag.dropEligible ? 0x1000 : 0) | tag.vlan);
  writer.destination = meaning.destination;
  writer.source = meaning.source;
  writer.etherType = etherType;
  writer.release();
  return size;
}
