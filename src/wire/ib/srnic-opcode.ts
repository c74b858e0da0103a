import { EXTENDED_HEADER_BYTES, type ExtendedHeaderName, OPCODES, type OpcodeInfo } from './opcode.js';
import { SRNIC_SEND_BYTES, SRNIC_WRITE_BYTES } from './srnic.js';

/** Bytes of SRNIC's extension in a packet of an opcode: every packet of RC has one. */
export function srnicExtensionBytes({ transport, operation }: OpcodeInfo): number {
  if (transport !== 'RC') return 0;
  return operation === 'write' ? SRNIC_WRITE_BYTES : SRNIC_SEND_BYTES;
}

/** The headers of the specification that are left: the extension of a WRITE stands for its RETH. */
function headersOf(info: OpcodeInfo): readonly ExtendedHeaderName[] {
  const written = info.transport === 'RC' && info.operation === 'write';
  return written ? info.headers.filter((name) => name !== 'reth') : info.headers;
}

const byNumber: (OpcodeInfo | undefined)[] = Array.from({ length: 256 });
for (const info of OPCODES) {
  const headers = headersOf(info);
  const bytes = headers.reduce((sum, name) => sum + EXTENDED_HEADER_BYTES[name], 0);
  byNumber[info.opcode] = { ...info, headers, headerBytes: bytes + srnicExtensionBytes(info) };
}

/**
 * What an opcode says about a packet with SRNIC's extension, which stands last of its headers; `headerBytes` counts it.
 * `undefined` for opcodes that `opcodeInfo` does not know.
 *
 * @example
 * srnicOpcodeInfo(OPCODE.RC_WRITE_ONLY)?.headerBytes // 20
 */
export function srnicOpcodeInfo(opcode: number): OpcodeInfo | undefined {
  return byNumber[opcode];
}
