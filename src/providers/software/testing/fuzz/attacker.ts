import { Random } from '../../../../engine/index.js';
import { IcrcFlow } from '../../../../link/index.js';
import { GSI_QKEY } from '../../../../transport/cm/index.js';
import {
  crc32Update,
  emitCm,
  isRefusal,
  MAD_BYTES,
  OPCODE,
  OPCODES,
  parseRoceDatagram,
  rdmaCmServiceId,
  writeIcrc,
} from '../../../../wire/index.js';
import { exampleMessages } from '../../../../wire/testing/cm-samples.js';
import type { Hub } from './hub.js';

const PORT = 4791;
const SOURCE_PORT = 49152;
const ICRC_BYTES = 4;
const UD_HEAD_BYTES = 20;

/** What an attacker knows of its victim, which is more than it should. */
export interface Knowledge {
  victim: Uint8Array;
  honest: Uint8Array;
  /** Queue pairs of the victim: the honest peer's, and one that the attacker was given for itself. */
  honestQpn: number;
  ownQpn: number;
  /** The first PSN of the attacker's own queue pair. */
  ownPsn: number;
  service: number;
}

/** The ways of the attacker, by name. */
export const ATTACKS = [
  'random bytes',
  'mutated, in the own name',
  'mutated, in the honest name, without an ICRC',
  'replayed, in the honest name',
  'every opcode at the own queue pair',
  'guessed keys at the own queue pair',
  'half-open CM exchanges',
  'mutated CM messages',
] as const;

/** Sends hostile datagrams, the same ones for the same seed. */
export class Attacker {
  readonly sent: Record<string, number> = Object.fromEntries(ATTACKS.map((name) => [name, 0]));
  readonly gid: Uint8Array;
  private readonly hub: Hub;
  private readonly random: Random;
  private readonly messages = exampleMessages();
  private psn = 0;

  constructor(hub: Hub, gid: Uint8Array, seed: number) {
    this.hub = hub;
    this.gid = gid;
    this.random = new Random(seed).split('attacker');
  }

  /** One datagram. */
  strike(known: Knowledge): void {
    const name = this.random.pick(ATTACKS);
    this.sent[name]++;
    switch (name) {
      case 'random bytes':
        this.inject(this.gid, known.victim, this.bytes(this.random.nextInt(300)));
        break;
      case 'mutated, in the own name':
        this.mutated(known, this.gid, true);
        break;
      case 'mutated, in the honest name, without an ICRC':
        this.mutated(known, known.honest, false);
        break;
      case 'replayed, in the honest name':
        this.replay(known);
        break;
      case 'every opcode at the own queue pair':
        this.anyOpcode(known);
        break;
      case 'guessed keys at the own queue pair':
        this.guess(known);
        break;
      case 'half-open CM exchanges':
        this.request(known);
        break;
      case 'mutated CM messages':
        this.management(known);
        break;
    }
  }

  private inject(from: Uint8Array, to: Uint8Array, bytes: Uint8Array): void {
    this.hub.inject(from, to, bytes);
  }

  private bytes(count: number): Uint8Array {
    return Uint8Array.from({ length: count }, () => this.random.nextInt(256));
  }

  /** Writes the ICRC that the datagram would have from this sender. */
  private seal(bytes: Uint8Array, from: Uint8Array, to: Uint8Array): Uint8Array {
    const flow = new IcrcFlow(PORT, crc32Update);
    flow.set(from, to, SOURCE_PORT);
    const at = bytes.length - ICRC_BYTES;
    writeIcrc(bytes, at, flow.icrcOf(bytes, 0, at));
    return bytes;
  }

  private sample(): Uint8Array | null {
    const { seen } = this.hub;
    return seen.length === 0 ? null : this.random.pick(seen).bytes.slice();
  }

  private mutated({ victim }: Knowledge, from: Uint8Array, sealed: boolean): void {
    const bytes = this.sample();
    if (bytes === null) return;
    for (let flips = 1 + this.random.nextInt(8); flips > 0; flips--)
      bytes[this.random.nextInt(bytes.length)] = this.random.nextInt(256);
    const cut = this.random.nextInt(4) === 0 ? bytes.slice(0, this.random.nextInt(bytes.length + 1)) : bytes;
    const whole = sealed && cut.length >= 16;
    // A change of a bit that the ICRC does not cover is no change; one bit more makes sure of it.
    if (!whole && cut.length > 0) cut[cut.length - 1] ^= 0x81;
    this.inject(from, victim, whole ? this.seal(cut, from, victim) : cut);
  }

  private replay({ victim, honest }: Knowledge): void {
    const { seen } = this.hub;
    const theirs = seen.filter(
      ({ from }) => from === honest || from.every((byte, at) => byte === honest[at]),
    );
    // The newest are still under way: who repeats those before they arrive is in front of the peer and not behind it.
    const old = theirs.slice(0, Math.max(0, theirs.length - 64));
    if (old.length > 0) this.inject(honest, victim, this.random.pick(old).bytes.slice());
  }

  private head(opcode: number, qpn: number, psn: number, bytes: number): Uint8Array {
    const packet = new Uint8Array(bytes);
    const view = new DataView(packet.buffer);
    packet[0] = opcode;
    view.setUint16(2, 0xffff);
    view.setUint32(4, qpn);
    view.setUint32(8, (0x8000_0000 | psn) >>> 0);
    return packet;
  }

  private anyOpcode({ victim, ownQpn, honestQpn }: Knowledge): void {
    const { opcode, headerBytes, hasPayload } = this.random.pick(OPCODES);
    const payload = hasPayload ? 4 * this.random.nextInt(64) : 0;
    const qpn = this.random.nextInt(3) === 0 ? honestQpn : ownQpn;
    const packet = this.head(opcode, qpn, this.random.nextInt(2 ** 24), 16 + headerBytes + payload);
    for (let at = 12; at < packet.length - ICRC_BYTES; at++) packet[at] = this.random.nextInt(256);
    this.inject(this.gid, victim, this.seal(packet, this.gid, victim));
  }

  /** READs, WRITEs and atomics in sequence, with a key and an address that were drawn or taken from honest packets. */
  private guess(known: Knowledge): void {
    const { victim, ownQpn, ownPsn } = known;
    const kinds = [OPCODE.RC_WRITE_ONLY, OPCODE.RC_READ_REQUEST, OPCODE.RC_FETCH_ADD, OPCODE.RC_COMPARE_SWAP];
    const opcode = this.random.pick(kinds);
    const atomic = opcode === OPCODE.RC_FETCH_ADD || opcode === OPCODE.RC_COMPARE_SWAP;
    const headBytes = atomic ? 28 : 16;
    const payload = opcode === OPCODE.RC_WRITE_ONLY ? 64 : 0;
    const psn = (ownPsn + this.psn++) & 0xffffff;
    const packet = this.head(opcode, ownQpn, psn, 16 + headBytes + payload);
    const view = new DataView(packet.buffer);
    const stolen = this.stolenKey();
    view.setBigUint64(12, stolen?.addr ?? this.strayAddress());
    view.setUint32(20, stolen?.rkey ?? this.random.nextUint32());
    if (!atomic)
      view.setUint32(24, opcode === OPCODE.RC_WRITE_ONLY ? payload : 1 + this.random.nextInt(4096));
    packet.fill(0xee, 12 + headBytes, packet.length - ICRC_BYTES);
    this.inject(this.gid, victim, this.seal(packet, this.gid, victim));
    if (this.psn > 64) this.psn = 0;
  }

  /** Any address at all: half of them of few bits, so that some come near to regions. */
  private strayAddress(): bigint {
    const low = BigInt(this.random.nextUint32());
    return this.random.nextInt(2) === 0 ? low : (BigInt(this.random.nextUint32()) << 32n) | low;
  }

  /** A key and an address from a packet of the honest peer: known, but not the attacker's to use. */
  private stolenKey(): { addr: bigint; rkey: number } | null {
    const bytes = this.sample();
    const datagram = bytes === null ? null : parseRoceDatagram(bytes);
    if (datagram === null || isRefusal(datagram) || datagram.reth === undefined) return null;
    return { addr: datagram.reth.virtualAddress, rkey: datagram.reth.remoteKey };
  }

  private request({ victim, service }: Knowledge): void {
    const req = this.messages.find(({ kind }) => kind === 'req');
    if (req?.kind !== 'req') return;
    const privateData = new Uint8Array(req.privateData.length);
    privateData[1] = 0x40;
    this.datagram(victim, {
      ...req,
      localCommunicationId: 1 + this.random.nextInt(2 ** 31),
      serviceId: rdmaCmServiceId(service),
      localQpn: 2 + this.random.nextInt(2 ** 20),
      transportServiceType: 0,
      pathMtuCode: 3,
      primaryPath: { ...req.primaryPath, localGid: this.gid, remoteGid: victim },
      privateData,
    });
  }

  private management({ victim, honest }: Knowledge): void {
    const message = this.random.pick(this.messages);
    const bytes = new Uint8Array(MAD_BYTES);
    emitCm(message, bytes, 0);
    for (let flips = this.random.nextInt(10); flips > 0; flips--)
      bytes[this.random.nextInt(MAD_BYTES)] = this.random.nextInt(256);
    this.sendManagement(this.random.nextInt(4) === 0 ? honest : this.gid, victim, bytes);
  }

  private datagram(victim: Uint8Array, message: Parameters<typeof emitCm>[0]): void {
    const bytes = new Uint8Array(MAD_BYTES);
    emitCm(message, bytes, 0);
    this.sendManagement(this.gid, victim, bytes);
  }

  /** Sends a management datagram in anybody's name and returns its bytes behind UDP's header. */
  sendManagement(from: Uint8Array, victim: Uint8Array, payload: Uint8Array): number {
    const packet = this.head(
      OPCODE.UD_SEND_ONLY,
      1,
      this.random.nextInt(2 ** 24),
      UD_HEAD_BYTES + payload.length + 4,
    );
    const view = new DataView(packet.buffer);
    view.setUint32(12, GSI_QKEY);
    view.setUint32(16, 1);
    packet.set(payload, UD_HEAD_BYTES);
    this.inject(from, victim, this.seal(packet, from, victim));
    return packet.length;
  }
}
