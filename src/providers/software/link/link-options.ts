import { KelpieError } from '../../../error.js';
import { ROCE_PORT } from '../../../wire/index.js';

/** What opens sockets: the C library's, with options and batches, or `node:dgram` alone. */
export type LinkKind = 'auto' | 'libc' | 'dgram';

/** Choices when a link over UDP is opened. */
export interface LinkOptions {
  /** An own address, IPv4 or IPv6. */
  address: string;
  /** The UDP port; default: 4791. All peers must use the same. */
  port?: number;
  /** How long to look for datagrams without sleeping after the last one; default: 100 us, 0 for not at all. */
  spinUs?: number;
  /** Socket buffers to ask for; default: 4 MiB. */
  receiveBufferBytes?: number;
  sendBufferBytes?: number;
  /** Whether to use UDP segmentation offload; default: true. */
  segmentation?: boolean;
}

/** The longest UDP payload of RoCEv2: an MTU of 4096 and every header. */
export const MAX_DATAGRAM_BYTES = 4096 + 128;

const MIB = 1 << 20;

/** Fills in the defaults and checks the rest. */
export function completeLinkOptions(options: LinkOptions): Required<LinkOptions> {
  const complete = {
    port: ROCE_PORT,
    spinUs: 100,
    receiveBufferBytes: 4 * MIB,
    sendBufferBytes: 4 * MIB,
    segmentation: true,
    ...options,
  };
  requireNumber('port', complete.port, 1, 0xffff);
  requireNumber('spinUs', complete.spinUs, 0, 1e6);
  requireNumber('receiveBufferBytes', complete.receiveBufferBytes, 4096, 1 << 30);
  requireNumber('sendBufferBytes', complete.sendBufferBytes, 4096, 1 << 30);
  return complete;
}

function requireNumber(field: string, given: number, low: number, high: number): void {
  if (Number.isInteger(given) && given >= low && given <= high) return;
  throw new KelpieError('LINK_OPTION_OUT_OF_RANGE', 'an option of the link is out of range', {
    field,
    given,
    allowed: `an integer from ${low} to ${high}`,
  });
}
