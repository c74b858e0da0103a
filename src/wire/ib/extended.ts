import { KelpieError } from '../../error.js';
import { isRefusal, type Refusal, refusal } from '../bytes/refusal.js';
import { type Aeth, AethView, emitAeth, parseAeth } from './aeth.js';
import {
  type AtomicAckEth,
  AtomicAckEthView,
  emitAtomicAckEth,
  parseAtomicAckEth,
} from './atomic-ack-eth.js';
import { type AtomicEth, AtomicEthView, emitAtomicEth, parseAtomicEth } from './atomic-eth.js';
import { type Deth, DethView, emitDeth, parseDeth } from './deth.js';
import { emitIeth, type Ieth, IethView, parseIeth } from './ieth.js';
import { emitImmediate, type Immediate, ImmediateView, parseImmediate } from './immediate.js';
import { EXTENDED_HEADER_BYTES, type ExtendedHeaderName, type OpcodeInfo } from './opcode.js';
import { emitReth, parseReth, type Reth, RethView } from './reth.js';

/** The headers between BTH and payload; the opcode says which are there. */
export interface ExtendedHeaders {
  deth?: Deth;
  reth?: Reth;
  atomicEth?: AtomicEth;
  aeth?: Aeth;
  atomicAckEth?: AtomicAckEth;
  immediate?: Immediate;
  ieth?: Ieth;
}

const CNP_TRUNCATED = refusal('cnp', 'truncated');

/** Checked views over the extended headers of one packet; those that the opcode does not ask for point at nothing. */
export class ExtendedHeadersView {
  readonly deth = new DethView();
  readonly reth = new RethView();
  readonly atomicEth = new AtomicEthView();
  readonly aeth = new AethView();
  readonly atomicAckEth = new AtomicAckEthView();
  readonly immediate = new ImmediateView();
  readonly ieth = new IethView();

  /** Points each view that the opcode asks for at its header. */
  wrap(info: OpcodeInfo, bytes: Uint8Array, offset: number, end: number): Refusal | null {
    this.release();
    let at = offset;
    const { headers } = info;
    for (let index = 0; index < headers.length; index += 1) {
      const name = headers[index];
      // The 16 bytes behind a CNP's BTH are reserved: there is nothing to view, only to be there.
      const refused =
        name === 'cnp'
          ? end - at < EXTENDED_HEADER_BYTES.cnp
            ? CNP_TRUNCATED
            : null
          : this[name].wrap(bytes, at, end);
      if (refused !== null) {
        this.release();
        return refused;
      }
      at += EXTENDED_HEADER_BYTES[name];
    }
    return null;
  }

  /** Points every view at nothing. */
  release(): void {
    this.deth.release();
    this.reth.release();
    this.atomicEth.release();
    this.aeth.release();
    this.atomicAckEth.release();
    this.immediate.release();
    this.ieth.release();
  }
}

/** Reads into `meaning` the extended headers that the opcode asks for. */
export function parseExtendedHeaders(
  info: OpcodeInfo,
  view: ExtendedHeadersView,
  meaning: ExtendedHeaders,
): Refusal | null {
  for (const name of info.headers) {
    const refused = parseInto(name, view, meaning);
    if (refused !== null) return refused;
  }
  return null;
}

function parseInto(
  name: ExtendedHeaderName,
  view: ExtendedHeadersView,
  meaning: ExtendedHeaders,
): Refusal | null {
  switch (name) {
    case 'deth':
      return keep(parseDeth(view.deth), 'deth', meaning);
    case 'reth':
      return keep(parseReth(view.reth), 'reth', meaning);
    case 'atomicEth':
      return keep(parseAtomicEth(view.atomicEth), 'atomicEth', meaning);
    case 'aeth':
      return keep(parseAeth(view.aeth), 'aeth', meaning);
    case 'atomicAckEth':
      return keep(parseAtomicAckEth(view.atomicAckEth), 'atomicAckEth', meaning);
    case 'immediate':
      return keep(parseImmediate(view.immediate), 'immediate', meaning);
    case 'ieth':
      return keep(parseIeth(view.ieth), 'ieth', meaning);
    case 'cnp':
      return null;
  }
}

function keep<Name extends keyof ExtendedHeaders>(
  parsed: NonNullable<ExtendedHeaders[Name]> | Refusal,
  name: Name,
  meaning: ExtendedHeaders,
): Refusal | null {
  if (isRefusal(parsed)) return parsed;
  meaning[name] = parsed;
  return null;
}

const NAMES = ['deth', 'reth', 'atomicEth', 'aeth', 'atomicAckEth', 'immediate', 'ieth'] as const;

/**
 * Writes the extended headers that the opcode asks for, returns their bytes, and throws where one is missing or too many.
 */
export function emitExtendedHeaders(
  info: OpcodeInfo,
  meaning: ExtendedHeaders,
  bytes: Uint8Array,
  offset: number,
): number {
  for (const name of NAMES) {
    if ((meaning[name] !== undefined) !== info.headers.includes(name)) wrongHeaders(info, name);
  }
  let at = offset;
  for (const name of info.headers) at += emitOne(name, meaning, bytes, at);
  return at - offset;
}

function wrongHeaders(info: OpcodeInfo, name: string): never {
  throw new KelpieError('WIRE_WRONG_HEADERS', `the headers do not fit the opcode ${info.name}`, {
    field: name,
    allowed: info.headers.length === 0 ? 'no extended header' : `exactly ${info.headers.join(', ')}`,
  });
}

function emitOne(name: ExtendedHeaderName, meaning: ExtendedHeaders, bytes: Uint8Array, at: number): number {
  switch (name) {
    case 'deth':
      return emitDeth(meaning.deth as Deth, bytes, at);
    case 'reth':
      return emitReth(meaning.reth as Reth, bytes, at);
    case 'atomicEth':
      return emitAtomicEth(meaning.atomicEth as AtomicEth, bytes, at);
    case 'aeth':
      return emitAeth(meaning.aeth as Aeth, bytes, at);
    case 'atomicAckEth':
      return emitAtomicAckEth(meaning.atomicAckEth as AtomicAckEth, bytes, at);
    case 'immediate':
      return emitImmediate(meaning.immediate as Immediate, bytes, at);
    case 'ieth':
      return emitIeth(meaning.ieth as Ieth, bytes, at);
    case 'cnp':
      bytes.fill(0, at, at + EXTENDED_HEADER_BYTES.cnp);
      return EXTENDED_HEADER_BYTES.cnp;
  }
}
