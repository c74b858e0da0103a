import { isMapped } from '../../../link/index.js';
import { PROTOCOL_UDP } from '../../../wire/index.js';

const GRH_BYTES = 40;
/** IPv4's header stands in the last 20 of the 40 bytes (annex A17.4.5.1). */
const IPV4_AT = 20;
const UDP_BYTES = 8;
/** A socket does not tell what is left of it. */
const UNKNOWN_HOPS = 64;

/** The 40 bytes in front of a received datagram, from what the link says of it. */
export class GrhWriter {
  readonly bytes = new Uint8Array(GRH_BYTES);

  /** Writes the IP header of a packet with this many bytes from its BTH to its ICRC. */
  write(source: Uint8Array, destination: Uint8Array, trafficClass: number, datagramBytes: number): void {
    const { bytes } = this;
    bytes.fill(0);
    if (isMapped(source)) {
      const total = GRH_BYTES - IPV4_AT + UDP_BYTES + datagramBytes;
      bytes[IPV4_AT] = 0x45;
      bytes[IPV4_AT + 1] = trafficClass;
      bytes[IPV4_AT + 2] = total >>> 8;
      bytes[IPV4_AT + 3] = total & 0xff;
      bytes[IPV4_AT + 6] = 0x40;
      bytes[IPV4_AT + 8] = UNKNOWN_HOPS;
      bytes[IPV4_AT + 9] = PROTOCOL_UDP;
      for (let at = 0; at < 4; at++) {
        bytes[IPV4_AT + 12 + at] = source[12 + at];
        bytes[IPV4_AT + 16 + at] = destination[12 + at];
      }
      this.checksum();
      return;
    }
    const length = UDP_BYTES + datagramBytes;
    bytes[0] = 0x60 | (trafficClass >>> 4);
    bytes[1] = (trafficClass << 4) & 0xff;
    bytes[4] = length >>> 8;
    bytes[5] = length & 0xff;
    bytes[6] = PROTOCOL_UDP;
    bytes[7] = UNKNOWN_HOPS;
    bytes.set(source, 8);
    bytes.set(destination, 24);
  }

  /** The header checksum, without which readers would take the header for no IPv4's (RFC 791). */
  private checksum(): void {
    const { bytes } = this;
    let sum = 0;
    for (let at = IPV4_AT; at < GRH_BYTES; at += 2) sum += (bytes[at] << 8) | bytes[at + 1];
    while (sum > 0xffff) sum = (sum & 0xffff) + (sum >>> 16);
    bytes[IPV4_AT + 10] = (~sum >>> 8) & 0xff;
    bytes[IPV4_AT + 11] = ~sum & 0xff;
  }
}
