import type { Mtu } from '../../verbs/index.js';
import {
  type ByteChannel,
  cString,
  type ExchangeRole,
  exchangeError,
  fromCString,
  swap,
} from './byte-channel.js';
import {
  type Destination,
  emitDestination,
  emitDestinationStruct,
  parseDestination,
  parseDestinationStruct,
} from './destination.js';

/** What both sides tell each other at the end of a rate test. */
export interface RateReport {
  sizeBytes: number;
  iterations: number;
  /** In the unit that the programs print: MiB/s, or Gb/s. */
  peak: number;
  average: number;
  /** Millions of messages a second. */
  messageRate: number;
}

/** The version that perftest 4.5 tells: programs refuse peers before 5.70. */
const VERSION = '6.06';
const VERSION_BYTES = 16;
const OLDEST = 5.7;
/** perftest's pieces of a buffer, and the line that it steps by. */
const CYCLE_BUFFER_BYTES = 4096;
const CACHE_LINE_BYTES = 64;
/** Pieces are pages of the peer's machine; the largest that Linux has are 64 KB. */
const MOST_CYCLE_BUFFER_BYTES = 65536;
const MTUS: readonly Mtu[] = [256, 512, 1024, 2048, 4096];

/**
 * The out-of-band exchange of perftest 4.5, step by step, in either role.
 *
 * @example
 * const exchange = new PerftestExchange(channel, 'client');
 * const { mtu, cycleBytes } = await exchange.begin(1024);
 * const theirs = await exchange.handShake(mine);
 */
export class PerftestExchange {
  readonly role: ExchangeRole;
  private readonly channel: ByteChannel;

  constructor(channel: ByteChannel, role: ExchangeRole) {
    this.channel = channel;
    this.role = role;
  }

  /** Versions, sizes of buffers, and the smaller of the two path MTUs. */
  async begin(mtu: Mtu): Promise<{ version: string; cycleBytes: number; mtu: Mtu }> {
    const version = fromCString(await this.swap(cString(VERSION, VERSION_BYTES)));
    if (!(Number.parseFloat(version) >= OLDEST))
      throw exchangeError('version', version, `perftest ${OLDEST} and newer`);
    const cycle = await this.swapInteger(CYCLE_BUFFER_BYTES);
    if (!(cycle >= 1 && cycle <= MOST_CYCLE_BUFFER_BYTES))
      throw exchangeError('cycle buffer', cycle, `1 to ${MOST_CYCLE_BUFFER_BYTES} bytes`);
    await this.swapInteger(CACHE_LINE_BYTES);
    const code = Number.parseInt(fromCString(await this.swap(cString(String(MTUS.indexOf(mtu) + 1), 2))), 10);
    if (!(code >= 1 && code <= 5)) throw exchangeError('mtu', code, '1 to 5');
    return {
      version,
      cycleBytes: Math.max(CYCLE_BUFFER_BYTES, cycle),
      mtu: MTUS[Math.min(code - 1, MTUS.indexOf(mtu))],
    };
  }

  /** Tells one's own end and gives the peer's; also how both sides wait for each other. */
  async handShake(own: Destination): Promise<Destination> {
    if (this.channel.binary === true)
      return parseDestinationStruct(await this.swap(emitDestinationStruct(own)));
    return parseDestination(await this.swap(emitDestination(own)));
  }

  /** Both reports of a rate test. */
  async report(own: RateReport): Promise<RateReport> {
    const sizeBytes = Number(await this.swapLong(BigInt(own.sizeBytes)));
    const iterations = Number(await this.swapLong(BigInt(own.iterations)));
    const peak = await this.swapDouble(own.peak);
    const average = await this.swapDouble(own.average);
    const messageRate = await this.swapDouble(own.messageRate);
    const told = { sizeBytes, iterations, peak, average, messageRate };
    for (const [field, value] of Object.entries(told))
      if (!(value >= 0 && value <= Number.MAX_SAFE_INTEGER))
        throw exchangeError(`report: ${field}`, value, `0 to ${Number.MAX_SAFE_INTEGER}`);
    return told;
  }

  /** The last hand-shake and the word that ends it. */
  async end(own: Destination): Promise<void> {
    await this.handShake(own);
    // RDMA-CM has an end of its own.
    if (this.channel.binary === true) return;
    await this.channel.write(cString('done', 5));
    // The peer may have hung up already: it says its word and does not wait for ours.
    await this.channel.read(5).catch(() => undefined);
    await this.channel.close();
  }

  /** Who is at the other end, where RDMA-CM says so. */
  get peerAddress(): string | undefined {
    return this.channel.peerAddress;
  }

  /** Done when the peer has ended. */
  hungUp(): Promise<void> {
    return this.channel.hungUp();
  }

  private swap(bytes: Uint8Array): Promise<Uint8Array> {
    return swap(this.channel, this.role, bytes);
  }

  private async swapInteger(value: number): Promise<number> {
    const bytes = new Uint8Array(4);
    new DataView(bytes.buffer).setInt32(0, value);
    const theirs = await this.swap(bytes);
    return new DataView(theirs.buffer, theirs.byteOffset).getInt32(0);
  }

  private async swapLong(value: bigint): Promise<bigint> {
    const bytes = new Uint8Array(8);
    new DataView(bytes.buffer).setBigUint64(0, value);
    const theirs = await this.swap(bytes);
    return new DataView(theirs.buffer, theirs.byteOffset).getBigUint64(0);
  }

  private async swapDouble(value: number): Promise<number> {
    const bytes = new Uint8Array(8);
    new DataView(bytes.buffer).setFloat64(0, value);
    const theirs = await this.swap(bytes);
    return new DataView(theirs.buffer, theirs.byteOffset).getFloat64(0);
  }
}
