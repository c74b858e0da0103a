import { type Burst, LossProcess, type Random } from '../../engine/index.js';
import { kindMask, type PacketKind, packetKindOf } from '../../wire/index.js';

/** Losses of one direction of a cable: of which packets, and how many. */
interface PacketLossOptions {
  readonly loss?: number;
  readonly burst?: Burst;
  /** The kinds of packets that are lost; default: all. */
  readonly kinds?: readonly PacketKind[];
}

/** Decides which packets a cable loses. */
export class PacketLoss {
  private readonly kinds: number;
  private readonly process: LossProcess;

  constructor({ loss = 0, burst, kinds }: PacketLossOptions, random: Random) {
    this.kinds = kindMask(kinds);
    this.process = new LossProcess(loss, burst, random);
  }

  /** Whether the packet is lost; packets of other kinds pass and draw nothing. */
  loses(opcode: number, syndrome: number): boolean {
    return ((this.kinds >> packetKindOf(opcode, syndrome)) & 1) !== 0 && this.process.loses();
  }
}
