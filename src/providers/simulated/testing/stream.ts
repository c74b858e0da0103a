import { Access, connectRcPair, type RcEnd, type RcPairOptions, type Thread } from '../../../verbs/index.js';
import { type SimulatedOptions, SimulatedProvider } from '../provider.js';

/** What a stream is like. */
export interface StreamOptions extends RcPairOptions {
  /** Devices by name, or hosts by number. */
  from: number | string;
  to: number | string;
  messageBytes: number;
  /** Default: WRITEs. */
  opcode?: 'RDMA_WRITE' | 'RDMA_READ';
  /** Where the memory of both ends lies; default: where each device has it. */
  memory?: string;
  /** Requests in flight; default: 16. */
  outstanding?: number;
  /** Requests that are posted with one doorbell; default: 1. */
  batch?: number;
}

/** WRITEs or READs without end from one host to another, posted by a thread of their own. */
export interface Stream {
  source: RcEnd;
  target: RcEnd;
  /** Payload bytes that arrived so far. */
  placedBytes(): number;
  /** Posts no more; what is in flight ends. */
  stop(): void;
}

/** A simulated world under test: opened hosts and streams between them. */
export class StreamBench {
  readonly provider: SimulatedProvider;
  readonly streams: Stream[] = [];

  constructor(options: SimulatedOptions) {
    this.provider = new SimulatedProvider(options);
  }

  /** What a host's device counts. */
  async counters(host: number | string): Promise<Readonly<Record<string, number>>> {
    return (await this.provider.open(nameOf(host))).counters();
  }

  async stream(options: StreamOptions): Promise<Stream> {
    const { from, to, messageBytes, outstanding = 16, batch = 1, memory, opcode = 'RDMA_WRITE' } = options;
    const { world } = this.provider;
    const [left, right] = await Promise.all([
      this.provider.open(nameOf(from)),
      this.provider.open(nameOf(to)),
    ]);
    const [source, target] = connectRcPair(left, right, options);
    const local = source.pd.regMr({ lengthBytes: messageBytes, placement: memory }, Access.LOCAL_WRITE);
    const remote = target.pd.regMr(
      { lengthBytes: messageBytes, placement: memory },
      Access.LOCAL_WRITE | Access.REMOTE_WRITE | Access.REMOTE_READ,
    );
    const thread = left.createThread!() as Thread;
    let free = outstanding;
    let done = 0;
    let stopped = false;
    const request = {
      opcode,
      sgList: [{ addr: local.addr, length: messageBytes, lkey: local.lkey }],
      remoteAddr: remote.iova,
      rkey: remote.rkey,
      signaled: true,
    };
    const requests = Array.from({ length: batch }, () => request);
    thread.watch(source.sendCq);
    thread.run(() => {
      for (const { status } of source.sendCq.poll(outstanding)) {
        if (status !== 'SUCCESS') throw new Error(`${opcode} ended with ${status}`);
        free++;
        done++;
      }
      while (free >= batch && !stopped) {
        source.qp.postSend(requests);
        free -= batch;
      }
    });
    const stream: Stream = {
      source,
      target,
      placedBytes: () =>
        opcode === 'RDMA_READ' ? done * messageBytes : world.find(nameOf(to))!.placedBytes(target.qp.qpNum),
      stop: () => {
        stopped = true;
      },
    };
    this.streams.push(stream);
    return stream;
  }

  /** Lets time pass. */
  async run(durationUs: number): Promise<void> {
    await this.provider.world.time.sleep(durationUs * 1000);
  }

  /** Lets time pass and says how fast each stream was meanwhile, in Gb/s of payload. */
  async measure(durationUs: number): Promise<number[]> {
    const before = this.streams.map((stream) => stream.placedBytes());
    await this.run(durationUs);
    return this.streams.map(
      (stream, index) => ((stream.placedBytes() - before[index]) * 8) / durationUs / 1000,
    );
  }

  /** Ends all streams. */
  stop(): void {
    for (const stream of this.streams) stream.stop();
  }
}

function nameOf(host: number | string): string {
  return typeof host === 'number' ? `sim${host}` : host;
}
