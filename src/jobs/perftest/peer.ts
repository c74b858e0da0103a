import type { Context } from '../../verbs/index.js';
import type { ByteChannel } from './byte-channel.js';
import type { Destination } from './destination.js';
import { PerftestExchange, type RateReport } from './exchange.js';
import {
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

const MEBIBYTE = 2 ** 20;

/**
 * One side of a perftest run, the peer of a stock `ib_write_bw`, `ib_read_lat` and so on, in either role: the exchange
 * over `channel`, then the test on the verbs.
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
  const { mtu, cycleBytes } = await exchange.begin(options.mtu);
  const rig = new PeerRig(context, { ...options, mtu }, cycleBytes, signal);
  try {
    const run = new PeerRun(exchange, rig, onResult);
    await run.connect();
    await run.test();
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

  constructor(exchange: PerftestExchange, rig: PeerRig, onResult: (result: PeerResult) => void) {
    this.exchange = exchange;
    this.rig = rig;
    this.options = rig.options;
    this.onResult = onResult;
  }

  /** All hand-shakes up to the test, in the order of each program. */
  async connect(): Promise<void> {
    const { kind, verb } = this.options;
    if (kind === 'lat' && verb !== 'send') await this.wait();
    const theirs: Destination[] = [];
    for (const end of this.rig.ends) theirs.push(await this.exchange.handShake(end));
    this.rig.connect(theirs);
    if (verb === 'send') await this.wait();
    for (const end of this.rig.ends) await this.exchange.handShake(end);
    if (verb !== 'send') await this.wait();
  }

  test(): Promise<void> {
    const { kind, verb } = this.options;
    if (kind === 'bw') return verb === 'send' ? this.rateOfSends() : this.rate();
    return verb === 'send' || verb === 'write' ? this.pingPong() : this.latency();
  }

  private async wait(): Promise<void> {
    await this.exchange.handShake(this.rig.ends[0]);
  }

  private async rate(): Promise<void> {
    const { role, sizes, bidirectional } = this.options;
    if (!bidirectional && role === 'server') {
      await this.wait();
      const theirs = await this.exchange.report(NOTHING);
      const { sizeBytes, iterations } = theirs;
      this.add({ sizeBytes, iterations, elapsedNs: null, latenciesNs: null, theirs });
      await this.exchange.end(this.rig.ends[0]);
      return;
    }
    let last: RateReport = NOTHING;
    for (const sizeBytes of sizes) {
      if (bidirectional) await this.wait();
      const elapsedNs = await sendAll(this.rig, sizeBytes);
      if (bidirectional && sizes.length > 1) await this.wait();
      last = this.reportOf(sizeBytes, elapsedNs);
      const theirs = bidirectional ? await this.exchange.report(last) : null;
      this.addRate(sizeBytes, elapsedNs, theirs);
    }
    if (!bidirectional) {
      await this.wait();
      await this.exchange.report(last);
    }
    await this.exchange.end(this.rig.ends[0]);
  }

  private async rateOfSends(): Promise<void> {
    const { role, sizes, bidirectional } = this.options;
    const receives = role === 'server' || bidirectional;
    for (const sizeBytes of sizes) {
      const receiving = new Receiving(
        this.rig,
        sizeBytes,
        receives ? postReceives(this.rig, sizeBytes) : new Float64Array(0),
      );
      await this.wait();
      let elapsedNs: number;
      if (role === 'client' || bidirectional) {
        elapsedNs = await sendAll(this.rig, sizeBytes, () => bidirectional && receiving.turn());
        if (bidirectional) await receiveAll(this.rig, receiving);
      } else {
        elapsedNs = await receiveAll(this.rig, receiving);
      }
      const theirs = bidirectional ? await this.exchange.report(this.reportOf(sizeBytes, elapsedNs)) : null;
      this.addRate(sizeBytes, elapsedNs, theirs);
      if (sizes.length > 1) await this.wait();
    }
    await this.exchange.end(this.rig.ends[0]);
  }

  private async pingPong(): Promise<void> {
    const { verb, sizes } = this.options;
    for (const sizeBytes of sizes) {
      let trips: Float64Array;
      if (verb === 'send') {
        const receiving = new Receiving(this.rig, sizeBytes, postReceives(this.rig, sizeBytes));
        await this.wait();
        trips = await pingPongSends(this.rig, sizeBytes, receiving);
      } else {
        trips = await pingPongWrites(this.rig, sizeBytes);
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

  private reportOf(sizeBytes: number, elapsedNs: number): RateReport {
    const { iterations, qps, gbits } = this.options;
    const messages = iterations * qps;
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

  private addRate(sizeBytes: number, elapsedNs: number, theirs: RateReport | null): void {
    const iterations = this.options.iterations * this.options.qps;
    this.add({ sizeBytes, iterations, elapsedNs, latenciesNs: null, theirs });
  }

  private addLatency(sizeBytes: number, latenciesNs: Float64Array): void {
    this.add({ sizeBytes, iterations: this.options.iterations, elapsedNs: null, latenciesNs, theirs: null });
  }

  private add(result: PeerResult): void {
    this.results.push(result);
    this.onResult(result);
  }
}

const NOTHING: RateReport = { sizeBytes: 0, iterations: 0, peak: 0, average: 0, messageRate: 0 };
