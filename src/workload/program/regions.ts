import type { Random } from '../../engine/index.js';
import { KelpieError } from '../../error.js';
import { Access, type Context, type MemoryRegion, type ProtectionDomain } from '../../verbs/index.js';
import type { Tenant } from '../description/description.js';

/** Messages begin on a cache line. */
const LINE_BYTES = 64;

/** Registered regions as columns, so that choosing one is an index and no object is touched per message. */
export class RegionTable {
  addrs = new Float64Array(16);
  iovas = new Float64Array(16);
  lkeys = new Float64Array(16);
  rkeys = new Float64Array(16);
  count = 0;

  add(mr: MemoryRegion): void {
    if (this.count === this.addrs.length) this.grow();
    const row = this.count++;
    this.addrs[row] = mr.addr;
    this.iovas[row] = mr.iova;
    this.lkeys[row] = mr.lkey;
    this.rkeys[row] = mr.rkey;
  }

  private grow(): void {
    for (const column of ['addrs', 'iovas', 'lkeys', 'rkeys'] as const) {
      const longer = new Float64Array(this.count * 2);
      longer.set(this[column]);
      this[column] = longer;
    }
  }
}

/** Regions that belong together: some rows of a table. */
export interface RegionSet {
  readonly table: Readonly<RegionTable>;
  readonly first: number;
  readonly count: number;
  /** Of each region. */
  readonly bytes: number;
}

/** Registers the memory of one tenant on one host. */
export class RegionMaker {
  private readonly pd: ProtectionDomain;
  private readonly placement: string | undefined;
  private readonly access: number;
  private readonly bytes: number;
  private readonly backing: Uint8Array | null;
  private readonly table = new RegionTable();

  constructor(
    context: Context,
    pd: ProtectionDomain,
    placement: string | undefined,
    bytes: number,
    relaxed: boolean,
  ) {
    const places = context.placements();
    if (placement !== undefined && !places.includes(placement)) {
      throw new KelpieError('CANNOT_RUN', `${context.deviceName} has no such place for memory`, {
        field: 'memory',
        given: placement,
        allowed: places.join(', ') || (context.capabilities.reasons['placements'] ?? 'none on this provider'),
      });
    }
    this.pd = pd;
    this.placement = placement;
    this.bytes = bytes;
    this.access =
      Access.LOCAL_WRITE |
      Access.REMOTE_WRITE |
      Access.REMOTE_READ |
      Access.REMOTE_ATOMIC |
      (relaxed ? Access.RELAXED_ORDERING : 0);
    // Where memory must have bytes, all regions are registrations of one buffer: nobody looks at the contents.
    this.backing = context.capabilities.unbackedMemory ? null : new Uint8Array(bytes);
  }

  make(count: number): RegionSet {
    const { pd, placement, access, backing, table } = this;
    const memory = backing ?? { lengthBytes: this.bytes, placement };
    const options = placement === undefined ? undefined : { placement };
    const first = table.count;
    for (let index = 0; index < count; index++) table.add(pd.regMr(memory, access, options));
    return { table, first, count, bytes: this.bytes };
  }
}

/** Where the next message of one queue pair lies: a region and an offset, moved on by the tenant's rule. */
export class RegionCursor {
  /** Of the own side's set, and of the peer's. */
  index = 0;
  remoteIndex = 0;
  offset = 0;
  private next = 0;
  /** The first region of the present post, of as many as the pattern has messages. */
  private postIndex = 0;
  private readonly choice: Tenant['mrChoice'];
  private readonly anywhere: boolean;
  private readonly random: Random;

  /** `first` spreads the queue pairs that share a set over its regions. */
  constructor(
    { mrChoice, mrOffsets }: Pick<Tenant, 'mrChoice' | 'mrOffsets'>,
    random: Random,
    first: number,
  ) {
    this.choice = mrChoice;
    this.anywhere = mrOffsets === 'random';
    this.random = random;
    this.index = first;
    this.remoteIndex = first;
    this.postIndex = first;
  }

  /** Moves to the place of a message, which has this number in its post; this many messages are in the pattern. */
  advance(set: RegionSet, bytes: number, inPost: number, pattern: number): void {
    let offset = this.next;
    const full = offset + bytes > set.bytes;
    if (full) offset = 0;
    if (set.count > 1) {
      if (this.choice === 'perPost') this.advanceInPost(set.count, inPost, pattern);
      else {
        if (this.choice === 'random') this.index = this.random.nextInt(set.count);
        else if (this.choice === 'roundRobin' || full)
          this.index = this.index + 1 >= set.count ? 0 : this.index + 1;
        this.remoteIndex = this.index;
      }
    }
    if (this.anywhere) {
      const lines = Math.floor((set.bytes - bytes) / LINE_BYTES) + 1;
      this.offset = Math.floor(this.random.nextFloat() * lines) * LINE_BYTES;
      return;
    }
    this.offset = offset;
    this.next = offset + Math.ceil(bytes / LINE_BYTES) * LINE_BYTES;
  }

  /**
   * As Collie's traffic engine does (github.com/bytedance/Collie, `ClientDatapath` and `PostSend`): each post takes the next
   * regions, one for each message of the pattern, and goes through the peer's from the first on.
   */
  private advanceInPost(count: number, inPost: number, pattern: number): void {
    if (inPost === 0) this.postIndex = (this.postIndex + pattern) % count;
    this.index = (this.postIndex + (inPost % pattern)) % count;
    this.remoteIndex = inPost % count;
  }
}
