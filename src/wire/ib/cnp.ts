import { requireBits } from '../bytes/field.js';
import { type Refusal, refusal } from '../bytes/refusal.js';
import { View } from '../bytes/view.js';
import { BTH_BYTES, type Bth, BthView, checkBth, emitBth } from './bth.js';
import { EXTENDED_HEADER_BYTES, OPCODE } from './opcode.js';

/** Reserved bytes behind the BTH of a congestion notification packet. */
export const CNP_RESERVED_BYTES = EXTENDED_HEADER_BYTES.cnp;
/** Bytes of a RoCEv2 congestion notification packet between UDP and ICRC (IBTA annex A17.9.3). */
export const CNP_BYTES = BTH_BYTES + CNP_RESERVED_BYTES;

const NOT_A_CNP = refusal('cnp', 'unknown-opcode');
const NO_BECN = refusal('cnp', 'bad-field');

/** A checked view over a congestion notification packet: a BTH of opcode 0x81 and 16 reserved bytes. */
export class CnpView extends View {
  /** The BTH that opens the packet. */
  readonly bth = new BthView();

  constructor() {
    super('cnp', CNP_BYTES);
  }

  protected override check(): Refusal | null {
    const refused = this.bth.wrap(this.bytes, this.offset, this.end) ?? checkBth(this.bth);
    if (refused !== null) return refused;
    return this.bth.opcode === OPCODE.CNP ? null : NOT_A_CNP;
  }

  override release(): void {
    super.release();
    this.bth.release();
  }
}

/** What a congestion notification packet means: the sender of this queue pair's peer is to slow down. */
export interface Cnp {
  /** The queue pair whose sending is to slow down. */
  destinationQp: number;
  /** P_Key. */
  partitionKey: number;
}

/** Reads the meaning of a wrapped view; a CNP without BECN notifies nobody and is refused. */
export function parseCnp(view: CnpView): Cnp | Refusal {
  if (!view.bth.becn) return NO_BECN;
  return { destinationQp: view.bth.destinationQp, partitionKey: view.bth.partitionKey };
}

/** The BTH of a congestion notification packet: BECN set, PSN 0, every other flag clear. */
export function cnpBth(meaning: Cnp): Bth {
  return {
    opcode: OPCODE.CNP,
    solicitedEvent: false,
    migrationRequest: false,
    padBytes: 0,
    partitionKey: meaning.partitionKey,
    fecn: false,
    becn: true,
    destinationQp: meaning.destinationQp,
    ackRequest: false,
    psn: 0,
  };
}

const writer = new CnpView();

/** Writes BTH and reserved bytes and returns their 28 bytes. */
export function emitCnp(meaning: Cnp, bytes: Uint8Array, offset: number): number {
  requireBits('cnp.destinationQp', meaning.destinationQp, 24);
  requireBits('cnp.partitionKey', meaning.partitionKey, 16);
  writer.wrapForWriting(bytes, offset);
  emitBth(cnpBth(meaning), bytes, offset);
  writer.release();
  return CNP_BYTES;
}
