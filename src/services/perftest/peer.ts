import type { Context } from '../../verbs/index.js';
import { type ByteChannel, exchangeError } from './byte-channel.js';
import type { Destination } from './destination.js';
import { PerftestExchange, type RateReport } from './exchange.js';
import {
  type Done,
  oneByOne,
  pingPongSends,
  pingPongWrites,
  postReceives,
  Receiving,
  receiveAll,
  sendAll,
} from './peer-loops.js';
import type { PeerOptions, PeerResult } from './peer-options.js';
import { PeerRig } from './peer-rig.js';
import { unlessSilent } from './silence.js';

const MEBIBYTE = 2 ** 20;
/** An endless test tells its rate this often, as perftest does unless set otherwise. */
const REPORT_NS = 5e9;
/** How long after a failure the peer may take to hang up. */
const HANG_UP_NS = 2e9;
/** What both sides must be given alike. */
const ALIKE = 'the same test with the same -q, -c, -a and -R on both sides';

/**
 * One side of a perftest run, the peer of a stock `ib_write_bw`, `ib_read_lat` and so on, in either role: the exchange
 * over `channel`, then the test on the verbs. With `cm` the channel is a {@link MessageChannel}.
 *
 * @example
 * const results = await runPerftestPeer(context, channel, options, signal, (result) => print(result));
 */
export async function runPerftestPeer(
  context: Context,
  channel: ByteChannel,
  options: PeerOptions,
  signal: AbortSignal,
  onResult: (result: PeerResult) => void = () => {},
): Promise<PeerResult[]> {
  const exchange = new PerftestExchange(channel, options.role);
  const { silentNs } = options;
  const began = unlessSilent(context, exchange.begin(options.mtu), { silentNs, allowed: ALIKE });
  const { mtu, cycleBytes } = await began;
  const rig = new PeerRig(context, { ...options, mtu }, cycleBytes, signal);
  try {
    const run = new PeerRun(exchange, rig, onResult);
    await run.agree();
    await run.test();
    await rig.disconnect();
    return run.results;
  } finally {
    rig.destroy();
    await channel.close();
  }
}

class PeerRun {
  readonly results: PeerResult[] = [];
  private readonly exchange: PerftestExchange;
  private readonly rig: PeerRig;
  private readonly options: PeerOptions;
  private readonly onResult: (result: PeerResult) => void;
  /** Hand-shakes so far. */
  private shakes = 0;
  /** The peer's ends, as far as it has told them. */
  private readonly theirs: Destination[] = [];

  constructor(exchange: PerftestExchange, rig: PeerRig, onResult: (result: PeerResult) => void) {
    this.exchange = exchange;
    this.rig = rig;
    this.options = rig.options;
    this.onResult = onResult;
  }

  /** Connects. */
  agree(): Promise<void> {
    const { context, options } = this.rig;
    const { silentNs } = options;
    return unlessSilent(context, this.connect(), { silentNs, allowed: ALIKE, heard: () => this.shakes });
  }

  /** All hand-shakes up to the test, in the order of each program. */
  private async connect(): Promise<void> {
    const { kind, verb, cm } = this.options;
    if (cm !== undefined) {
      await this.shake(NO_END);
      await this.rig.connectByManager(this.exchange.peerAddress);
      await this.wait();
    }
    if (kind === 'lat' && verb !== 'send') await this.wait();
    const { theirs, rig } = this;
    for (const end of rig.ends) {
      const next = await this.shake(end);
      // The first again is how a peer waits that has told all of its queue pairs.
      if (theirs.some(({ qpn }) => qpn === next.qpn))
        throw exchangeError('peer', 'a queue pair twice', ALIKE);
      theirs.push(next);
    }
    rig.connect(theirs);
    if (verb === 'send') await this.wait();
    else rig.expectNoSends();
    for (const [index, end] of rig.ends.entries()) this.expectAgain(index, await this.shake(end));
    if (verb !== 'send') await this.wait();
  }

  test(): Promise<void> {
    const { kind, verb } = this.options;
    this.watchPeer();
    if (kind === 'bw') return verb === 'send' ? this.rateOfSends() : this.rate();
    return verb === 'send' || verb === 'write' ? this.pingPong() : this.latency();
  }

  /** Both sides wait for each other by telling their first queue pair again. */
  private async wait(): Promise<void> {
    this.expectAgain(0, await this.shake(this.rig.ends[0]));
  }

  /** What was told once is told again where both have as many and run the same test. */
  private expectAgain(index: number, { qpn }: Destination): void {
    const { theirs } = this;
    if (theirs.length > 0 && qpn !== theirs[index].qpn)
      throw exchangeError('peer', 'another queue pair than before', ALIKE);
  }

  /** The reports of a test in one direction, which follow the wait for its end at once. */
  private report(own: RateReport): Promise<RateReport> {
    const { context, options } = this.rig;
    const { silentNs } = options;
    return unlessSilent(context, this.exchange.report(own), { silentNs, allowed: ALIKE });
  }

  private async shake(own: Destination): Promise<Destination> {
    const theirs = await this.exchange.handShake(own);
    this.shakes++;
    return theirs;
  }

  private async rate(): Promise<void> {
    const { role, sizes, bidirectional } = this.options;
    if (!bidirectional && role === 'server') {
      if (!(await this.untilPeerIsDone())) return;
      const theirs = await this.report(NOTHING);
      const { sizeBytes, iterations } = theirs;
      this.add({ sizeBytes, iterations, elapsedNs: null, latenciesNs: null, theirs });
      await this.exchange.end(this.rig.ends[0]);
      return;
    }
    let last: RateReport = NOTHING;
    for (const sizeBytes of sizes) {
      if (bidirectional) await this.wait();
      const done = await this.sending(() => sendAll(this.rig, sizeBytes));
      if (bidirectional && sizes.length > 1) await this.wait();
      last = this.reportOf(sizeBytes, done);
      const theirs = bidirectional ? await this.exchange.report(last) : null;
      this.addRate(sizeBytes, done, theirs);
      if (this.isEndless) return;
    }
    if (!bidirectional) {
      await this.wait();
      await this.report(last);
    }
    await this.exchange.end(this.rig.ends[0]);
  }

  private async rateOfSends(): Promise<void> {
    const { role, sizes, bidirectional } = this.options;
    const receives = role === 'server' || bidirectional;
    const timed = this.options.durationNs !== undefined;
    for (const sizeBytes of sizes) {
      const receiving = new Receiving(
        this.rig,
        sizeBytes,
        receives ? postReceives(this.rig, sizeBytes) : new Float64Array(0),
      );
      await this.wait();
      const done = await this.sending(async () => {
        if (role === 'server' && !bidirectional) return receiveAll(this.rig, receiving);
        const sent = await sendAll(this.rig, sizeBytes, () => bidirectional && receiving.turn());
        // Both sides stop at their own time: what has not come by then never will.
        if (bidirectional && !timed) await receiveAll(this.rig, receiving);
        return sent;
      });
      const reports = bidirectional && !timed;
      const theirs = reports ? await this.exchange.report(this.reportOf(sizeBytes, done)) : null;
      this.addRate(sizeBytes, done, theirs);
      if (this.isEndless) return;
      if (sizes.length > 1) await this.wait();
    }
    await this.exchange.end(this.rig.ends[0]);
  }

  private async pingPong(): Promise<void> {
    const { verb, sizes, durationNs, iterations } = this.options;
    for (const sizeBytes of sizes) {
      let trips: Float64Array;
      if (verb === 'send') {
        const receiving = new Receiving(this.rig, sizeBytes, postReceives(this.rig, sizeBytes));
        await this.wait();
        trips = await pingPongSends(this.rig, sizeBytes, receiving);
      } else {
        trips = await pingPongWrites(this.rig, sizeBytes);
        // Nothing else tells of a peer that has gone; one side has no trip of its last message.
        if (durationNs === undefined && trips.length < iterations - 1)
          throw exchangeError('peer', `the end after ${trips.length} round trips`, ALIKE);
      }
      this.addLatency(
        sizeBytes,
        trips.map((trip) => trip / 2),
      );
    }
    // ib_write_lat ends without a word.
    if (verb === 'send') await this.exchange.end(this.rig.ends[0]);
  }

  private async latency(): Promise<void> {
    const { role, sizes } = this.options;
    if (role === 'client') {
      for (const sizeBytes of sizes) this.addLatency(sizeBytes, await oneByOne(this.rig, sizeBytes));
    }
    await this.exchange.end(this.rig.ends[0]);
  }

  /** Whether the test goes on until somebody ends it, and no word is said then. */
  private get isEndless(): boolean {
    return this.options.durationNs === Number.POSITIVE_INFINITY;
  }

  /** Waits on the serving side; false where an endless peer was ended, which it is without a word. */
  private async untilPeerIsDone(): Promise<boolean> {
    try {
      await this.wait();
      return true;
    } catch (error) {
      if (!this.isEndless) throw error;
      return false;
    }
  }

  /**
   * Ends whatever loop runs when the peer hangs up: nothing tells a side that only receives. An endless test is ended that
   * way; the peer of another may do so a little before this side is done with what it sent last.
   */
  private watchPeer(): void {
    const { rig, isEndless } = this;
    const { clock } = rig.context;
    void this.exchange.hungUp().then(async () => {
      if (!isEndless) await clock.sleep(HANG_UP_NS);
      rig.over = true;
    });
  }

  /** Runs a loop; an endless one ends when the peer hangs up, whichever of the two notices it first. */
  private async sending(loop: () => Promise<Done>): Promise<Done> {
    if (!this.isEndless) return loop();
    const { rig } = this;
    let last: Done = { messages: 0, elapsedNs: 0 };
    rig.progress = (messages, sizeBytes, elapsedNs) => {
      if (elapsedNs - last.elapsedNs < REPORT_NS) return;
      this.addRate(
        sizeBytes,
        { messages: messages - last.messages, elapsedNs: elapsedNs - last.elapsedNs },
        null,
      );
      last = { messages, elapsedNs };
    };
    try {
      return await loop();
    } catch (error) {
      // The peer's queue pair went before its word did.
      await Promise.race([this.exchange.hungUp(), rig.context.clock.sleep(HANG_UP_NS)]);
      if (!rig.over) throw error;
      return last;
    }
  }

  private reportOf(sizeBytes: number, { messages, elapsedNs }: Done): RateReport {
    const { gbits } = this.options;
    const bytesPerSecond = (messages * sizeBytes * 1e9) / elapsedNs;
    const average = gbits ? (bytesPerSecond * 8) / 1e9 : bytesPerSecond / MEBIBYTE;
    return {
      sizeBytes,
      iterations: messages,
      peak: average,
      average,
      messageRate: (messages * 1e3) / elapsedNs,
    };
  }

  private addRate(sizeBytes: number, { messages, elapsedNs }: Done, theirs: RateReport | null): void {
    this.add({ sizeBytes, iterations: messages, elapsedNs, latenciesNs: null, theirs });
  }

  private addLatency(sizeBytes: number, latenciesNs: Float64Array): void {
    const { iterations, durationNs } = this.options;
    const turns = durationNs === undefined ? iterations : latenciesNs.length;
    this.add({ sizeBytes, iterations: turns, elapsedNs: null, latenciesNs, theirs: null });
  }

  private add(result: PeerResult): void {
    this.results.push(result);
    this.onResult(result);
  }
}

const NOTHING: RateReport = { sizeBytes: 0, iterations: 0, peak: 0, average: 0, messageRate: 0 };

/** What a side tells before RDMA-CM has made its queue pairs. */
const NO_END: Destination = { qpn: 0, psn: 0, rkey: 0, addr: 0, outReads: 0, gid: '::' };
