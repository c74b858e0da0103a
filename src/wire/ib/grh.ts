import { requireBits, requireBytes } from '../bytes/field.js';
import { isRefusal, type Refusal, refusal } from '../bytes/refusal.js';
import type { View } from '../bytes/view.js';
import { emitIpv4, IPV4_BYTES, type Ipv4, Ipv4View, parseIpv4 } from '../ip/ipv4.js';
import { emitIpv6, IPV6_BYTES, type Ipv6, Ipv6View, parseIpv6 } from '../ip/ipv6.js';
import { GID_BYTES, type Gid } from './gid.js';

/** Bytes of a global route header (IBTA volume 1, 8.3), and of the room before every received UD payload. */
export const GRH_BYTES = IPV6_BYTES;
/** The next header of InfiniBand's and RoCEv1's GRH. */
export const GRH_NEXT_HEADER = 0x1b;

const TRUNCATED = refusal('grh', 'truncated');
const NEITHER = refusal('grh', 'bad-version');
/** Where the IPv4 header lies in the 40 bytes before a UD payload (IBTA annex A17.4.5.1). */
const IPV4_AT = GRH_BYTES - IPV4_BYTES;

/** A checked view over a global route header. It lies apart from its payload, so its payload length is free. */
export class GrhView extends Ipv6View {
  constructor() {
    super('grh');
  }

  protected override checkPayload(): Refusal | null {
    return null;
  }
}

/** What a global route header means. */
export interface Grh {
  sourceGid: Gid;
  destinationGid: Gid;
  trafficClass: number;
  flowLabel: number;
  hopLimit: number;
  nextHeader: number;
  /** Bytes behind the header on the wire. */
  payloadBytes: number;
}

/** Reads the meaning of a wrapped view. */
export function parseGrh(view: GrhView): Grh | Refusal {
  return {
    sourceGid: view.source,
    destinationGid: view.destination,
    trafficClass: view.trafficClass,
    flowLabel: view.flowLabel,
    hopLimit: view.hopLimit,
    nextHeader: view.nextHeader,
    payloadBytes: view.payloadBytes,
  };
}

const writer = new GrhView();

/** Writes the header and returns its 40 bytes. */
export function emitGrh(meaning: Grh, bytes: Uint8Array, offset: number): number {
  requireBytes('grh.sourceGid', meaning.sourceGid, GID_BYTES);
  requireBytes('grh.destinationGid', meaning.destinationGid, GID_BYTES);
  requireBits('grh.trafficClass', meaning.trafficClass, 8);
  requireBits('grh.flowLabel', meaning.flowLabel, 20);
  requireBits('grh.hopLimit', meaning.hopLimit, 8);
  requireBits('grh.nextHeader', meaning.nextHeader, 8);
  requireBits('grh.payloadBytes', meaning.payloadBytes, 16);
  writer.wrapForWriting(bytes, offset);
  writer.setFirstWord(meaning.trafficClass, meaning.flowLabel);
  writer.payloadBytes = meaning.payloadBytes;
  writer.nextHeader = meaning.nextHeader;
  writer.hopLimit = meaning.hopLimit;
  writer.source = meaning.sourceGid;
  writer.destination = meaning.destinationGid;
  writer.release();
  return GRH_BYTES;
}

/** An IPv4 header apart from its payload, as it lies in a receive buffer. */
class DetachedIpv4View extends Ipv4View {
  protected override checkTotal(): Refusal | null {
    return this.totalBytes < IPV4_BYTES ? refusal('ipv4', 'bad-length') : null;
  }
}

const detachedIpv4 = new DetachedIpv4View();
const detachedIpv6 = new GrhView();

/** Writes the 40 bytes that a RoCEv2 receiver puts before a UD payload: IPv6 whole, IPv4 in the last 20. */
export function emitReceivedGrh(ip: Ipv4 | Ipv6, bytes: Uint8Array, offset: number): number {
  if (ip.version === 6) return emitIpv6(ip, bytes, offset);
  writer.wrapForWriting(bytes, offset);
  writer.release();
  emitIpv4(ip, bytes, offset + IPV4_AT);
  return GRH_BYTES;
}

/**
 * Reads the 40 bytes before a UD payload. The first 20 are undefined before an IPv4 header and may look like IPv6,
 * so a last half that is an IPv4 header with a checksum that holds decides, as in Linux and rdma-core.
 */
export function parseReceivedGrh(bytes: Uint8Array, offset: number, end: number): Ipv4 | Ipv6 | Refusal {
  if (!(offset >= 0 && end <= bytes.length && end - offset >= GRH_BYTES)) return TRUNCATED;
  const ipv4 = read(detachedIpv4, parseIpv4, bytes, offset + IPV4_AT, offset + GRH_BYTES);
  if (!isRefusal(ipv4)) return ipv4;
  const ipv6 = read(detachedIpv6, parseIpv6, bytes, offset, offset + GRH_BYTES);
  return isRefusal(ipv6) ? NEITHER : ipv6;
}

function read<V extends View, Meaning>(
  view: V,
  parse: (view: V) => Meaning | Refusal,
  bytes: Uint8Array,
  offset: number,
  end: number,
): Meaning | Refusal {
  const meaning = view.wrap(bytes, offset, end) ?? parse(view);
  view.release();
  return meaning;
}
