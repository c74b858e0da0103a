import { KelpieError } from '../../error.js';
import { read16, read48, write16, write48 } from '../bytes/bytes.js';
import { outOfRange, requireBits } from '../bytes/field.js';
import { type Refusal, refusal } from '../bytes/refusal.js';
import { View } from '../bytes/view.js';

/** EtherType of MAC control frames (IEEE 802.3 clause 31). */
export const ETHERTYPE_MAC_CONTROL = 0x8808;
/** The group address that every port listens to and no bridge forwards: 01:80:c2:00:00:01. */
export const MAC_CONTROL_DESTINATION = 0x0180_c200_0001;
/** Opcode of the pause that stops a whole link (IEEE 802.3 annex 31B). */
export const PAUSE_OPCODE = 0x0001;
/** Opcode of priority-based flow control (IEEE 802.1Qbb; IEEE 802.3 annex 31D). */
export const PFC_OPCODE = 0x0101;
/** MAC control frames are filled up to Ethernet's least size; the frame check sequence is the port's. */
export const MAC_CONTROL_FRAME_BYTES = 60;
/** Bytes of a PFC frame. */
export const PFC_BYTES = MAC_CONTROL_FRAME_BYTES;
/** Bytes of a pause frame. */
export const PAUSE_BYTES = MAC_CONTROL_FRAME_BYTES;
/** Priorities that PFC tells apart. */
export const PFC_CLASSES = 8;
/** One quantum of pause, in bit times of the port. */
export const PAUSE_QUANTUM_BITS = 512;
/** The longest pause that one frame asks for. */
export const MAXIMUM_PAUSE_QUANTA = 0xffff;

const DESTINATION = 0;
const SOURCE = 6;
const TYPE = 12;
const OPCODE = 14;
const PAUSE_QUANTA = 16;
const CLASS_ENABLE = 17;
const CLASS_QUANTA = 18;

/** A checked view over what MAC control frames share. */
abstract class MacControlView extends View {
  readonly #opcode: number;
  readonly #wrongType: Refusal;
  readonly #wrongDestination: Refusal;
  readonly #wrongOpcode: Refusal;

  constructor(header: string, opcode: number, minimumBytes: number) {
    super(header, minimumBytes);
    this.#opcode = opcode;
    this.#wrongType = refusal(header, 'wrong-protocol');
    this.#wrongDestination = refusal(header, 'unsupported-address');
    this.#wrongOpcode = refusal(header, 'unknown-opcode');
  }

  /** MAC address of the port that asks for the pause, as a 48-bit number. */
  get source(): number {
    return read48(this.bytes, this.offset + SOURCE);
  }
  set source(value: number) {
    write48(this.bytes, this.offset + SOURCE, value);
  }

  /** What the frame asks for. */
  get opcode(): number {
    return read16(this.bytes, this.offset + OPCODE);
  }

  /** Zeroes the frame and writes all that is the same in every frame of this opcode. */
  begin(bytes: Uint8Array, offset: number): void {
    this.wrapForWriting(bytes, offset, MAC_CONTROL_FRAME_BYTES);
    bytes.fill(0, offset, offset + MAC_CONTROL_FRAME_BYTES);
    write48(bytes, offset + DESTINATION, MAC_CONTROL_DESTINATION);
    write16(bytes, offset + TYPE, ETHERTYPE_MAC_CONTROL);
    write16(bytes, offset + OPCODE, this.#opcode);
  }

  protected override check(): Refusal | null {
    if (read16(this.bytes, this.offset + TYPE) !== ETHERTYPE_MAC_CONTROL) return this.#wrongType;
    if (read48(this.bytes, this.offset + DESTINATION) !== MAC_CONTROL_DESTINATION)
      return this.#wrongDestination;
    return this.opcode === this.#opcode ? null : this.#wrongOpcode;
  }
}

/** A checked view over a whole PFC frame. Padding behind the last quantum may be missing, as it is in some captures. */
export class PfcView extends MacControlView {
  constructor() {
    super('pfc', PFC_OPCODE, CLASS_QUANTA + 2 * PFC_CLASSES);
  }

  /** One bit a class, class 0 lowest. The octet above it is reserved: written as zero, ignored when read. */
  get classEnable(): number {
    return this.bytes[this.offset + CLASS_ENABLE] | 0;
  }
  set classEnable(value: number) {
    this.bytes[this.offset + CLASS_ENABLE] = value;
  }

  /** How long class 0 to 7 shall pause; counts only where the class is enabled. Zero resumes. */
  quanta(priority: number): number {
    return read16(this.bytes, this.offset + CLASS_QUANTA + 2 * (priority & 7));
  }

  /** Sets how long class 0 to 7 shall pause. */
  setQuanta(priority: number, value: number): void {
    write16(this.bytes, this.offset + CLASS_QUANTA + 2 * (priority & 7), value);
  }
}

/** A request to pause or resume some priorities. */
export interface Pfc {
  /** MAC address of the asking port as a 48-bit number. */
  source: number;
  /** One bit a class, class 0 lowest. */
  classEnable: number;
  /** Eight pauses, class 0 first, in quanta of 512 bit times. */
  quanta: number[];
}

/** Reads a PFC frame from a view that was wrapped without a refusal. */
export function parsePfc(view: PfcView): Pfc | Refusal {
  const quanta: number[] = [];
  for (let priority = 0; priority < PFC_CLASSES; priority += 1) quanta.push(view.quanta(priority));
  return { source: view.source, classEnable: view.classEnable, quanta };
}

const pfcWriter = new PfcView();

/** Writes a whole PFC frame and returns its size. */
export function emitPfc(pfc: Pfc, bytes: Uint8Array, offset: number): number {
  requireBits('pfc.source', pfc.source, 48);
  requireBits('pfc.classEnable', pfc.classEnable, PFC_CLASSES);
  if (pfc.quanta.length !== PFC_CLASSES) outOfRange('pfc.quanta', pfc.quanta.length, `${PFC_CLASSES} pauses`);
  for (let priority = 0; priority < PFC_CLASSES; priority += 1) {
    requireBits(`pfc.quanta[${priority}]`, pfc.quanta[priority], 16);
  }
  pfcWriter.begin(bytes, offset);
  pfcWriter.source = pfc.source;
  pfcWriter.classEnable = pfc.classEnable;
  for (let priority = 0; priority < PFC_CLASSES; priority += 1) {
    pfcWriter.setQuanta(priority, pfc.quanta[priority]);
  }
  pfcWriter.release();
  return PFC_BYTES;
}

/** A checked view over a whole frame of the pause that stops a link. Padding may be missing. */
export class PauseView extends MacControlView {
  constructor() {
    super('pause', PAUSE_OPCODE, PAUSE_QUANTA + 2);
  }

  /** How long the link shall pause, in quanta of 512 bit times. Zero resumes. */
  get quanta(): number {
    return read16(this.bytes, this.offset + PAUSE_QUANTA);
  }
  set quanta(value: number) {
    write16(this.bytes, this.offset + PAUSE_QUANTA, value);
  }
}

/** A request to pause or resume a whole link. */
export interface Pause {
  /** MAC address of the asking port as a 48-bit number. */
  source: number;
  /** In quanta of 512 bit times. */
  quanta: number;
}

/** Reads a pause frame from a view that was wrapped without a refusal. */
export function parsePause(view: PauseView): Pause | Refusal {
  return { source: view.source, quanta: view.quanta };
}

const pauseWriter = new PauseView();

/** Writes a whole pause frame and returns its size. */
export function emitPause(pause: Pause, bytes: Uint8Array, offset: number): number {
  requireBits('pause.source', pause.source, 48);
  requireBits('pause.quanta', pause.quanta, 16);
  pauseWriter.begin(bytes, offset);
  pauseWriter.source = pause.source;
  pauseWriter.quanta = pause.quanta;
  pauseWriter.release();
  return PAUSE_BYTES;
}

/**
 * How long a pause lasts on a port of the given rate.
 *
 * @example
 * pauseQuantaToNs(65535, 100); // 335539.2 ns: the longest pause at 100 Gb/s
 */
export function pauseQuantaToNs(quanta: number, gbps: number): number {
  requireBits('quanta', quanta, 16);
  requireRate(gbps);
  return (quanta * PAUSE_QUANTUM_BITS) / gbps;
}

/** The fewest quanta that pause a port of the given rate for at least `pauseNs`; throws where one frame cannot. */
export function nsToPauseQuanta(pauseNs: number, gbps: number): number {
  requireRate(gbps);
  const quanta = Math.ceil((pauseNs * gbps) / PAUSE_QUANTUM_BITS);
  if (!(quanta >= 0 && quanta <= MAXIMUM_PAUSE_QUANTA)) {
    outOfRange('pauseNs', pauseNs, `0 to ${pauseQuantaToNs(MAXIMUM_PAUSE_QUANTA, gbps)} at ${gbps} Gb/s`);
  }
  return quanta;
}

function requireRate(gbps: number): void {
  if (!(gbps > 0 && gbps < Number.POSITIVE_INFINITY)) {
    throw new KelpieError('WIRE_BAD_RATE', 'a pause has a length only on a port with a rate', {
      field: 'gbps',
      given: gbps,
      allowed: 'above 0',
    });
  }
}
