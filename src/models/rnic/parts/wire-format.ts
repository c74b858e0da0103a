import { OPCODES, type OpcodeInfo, srnicOpcodeInfo } from '../../../wire/index.js';
import { headerBytesOf } from '../packets/packet-kinds.js';

/** How a device's packets look on the wire. */
export interface WireFormat {
  /** Bytes of a frame besides its payload, by opcode; FCS included, preamble and gap not. */
  readonly headerBytes: Uint16Array;
  /** Packets of RC have SRNIC's extension: captures show it. */
  readonly placed: boolean;
}

/** A RETH: remote address, key and length (specification 9.3). */
const RETH_BYTES = 16;

/** RoCEv2 as the specification has it. */
export const roceFormat: WireFormat = { headerBytes: headerBytesOf, placed: false };

/** RoCEv2 with more in the headers of some packets. */
function extended(more: (info: OpcodeInfo) => number, placed: boolean): WireFormat {
  const headerBytes = headerBytesOf.slice();
  for (const info of OPCODES) headerBytes[info.opcode] += more(info);
  return { headerBytes, placed };
}

/** Whether a packet of a WRITE has a RETH in RoCEv2. */
function opens({ position }: OpcodeInfo): boolean {
  return position === 'first' || position === 'only';
}

/** IRN (SIGCOMM'18, §5.3): every packet of a WRITE has its own RETH, so that it can be placed whenever it comes. */
export const irnFormat: WireFormat = extended(
  (info) => (info.transport === 'RC' && info.operation === 'write' && !opens(info) ? RETH_BYTES : 0),
  false,
);

/** SRNIC (NSDI'23, §4.4.1): 8 bytes in requests and the answers that echo them; in a WRITE 20 in place of the RETH. */
export const srnicFormat: WireFormat = extended(
  ({ opcode, headerBytes }) => srnicOpcodeInfo(opcode)!.headerBytes - headerBytes,
  true,
);
