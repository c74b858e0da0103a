import { KelpieError } from '../../error.js';
import { MESH_PORT, MESH_PROBES, median, type PairTimes, SILENT, WARM_UP } from '../../jobs/ping/index.js';
import { MeshChild } from './mesh-child.js';

/** Where others reach an end, and for how long after it was asked for. */
export interface EndPlace {
  readonly address: string;
  /** The port of RDMA-CM's space. */
  readonly port: number;
  readonly servesMs: number;
}

/** What the probes of a way gave: medians of a small WRITE there and back, and the rate of large ones. */
export interface WayTimes {
  readonly smallUs: number;
  readonly largeGbps: number;
}

/** An end that nobody has asked for this long is closed: all probes of a way take a fraction of it. */
const SERVES_MS = 60_000;

/**
 * This machine's end of the ways to other machines: a process with a software device at its address, which others write to
 * and which writes to others. There is at most one, from when it is asked for until nobody has for a minute.
 *
 * @example
 * const end = new HostEnd('10.0.0.7');
 * const { address } = await end.serve();
 * const times = await end.probe('10.0.0.8', 11); // { smallUs, largeGbps }
 * end.close();
 */
export class HostEnd {
  readonly address: string;
  private child: Promise<MeshChild> | null = null;
  private timer: NodeJS.Timeout | null = null;
  private last: Promise<unknown> = Promise.resolve();

  constructor(address: string) {
    this.address = address;
  }

  /** Opens it, or keeps it open for a while longer. */
  async serve(): Promise<EndPlace> {
    await this.open();
    return { address: this.address, port: MESH_PORT, servesMs: SERVES_MS };
  }

  /** Probes the way to the end at an address. Ways are probed one after the other. */
  probe(address: string, repetitions: number, signal?: AbortSignal): Promise<WayTimes> {
    const turn = this.last.then(() => this.measure(address, repetitions, signal));
    this.last = turn.catch(() => {});
    return turn;
  }

  close(): void {
    if (this.timer !== null) clearTimeout(this.timer);
    const { child } = this;
    this.child = null;
    void child?.then(
      (opened) => opened.end(),
      () => {},
    );
  }

  private open(): Promise<MeshChild> {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = setTimeout(() => this.close(), SERVES_MS);
    this.timer.unref();
    this.child ??= this.begin();
    return this.child;
  }

  private async begin(): Promise<MeshChild> {
    const child = new MeshChild('of the ways between machines', this.address);
    // The next one who asks gets another.
    child.onEnd(() => {
      this.child = null;
    });
    try {
      await child.open();
      return child;
    } catch (error) {
      this.child = null;
      child.end();
      throw error;
    }
  }

  private async measure(address: string, repetitions: number, signal?: AbortSignal): Promise<WayTimes> {
    const child = await this.open();
    const times: PairTimes[] = [];
    try {
      for (let round = 0; round < WARM_UP + repetitions; round++) {
        signal?.throwIfAborted();
        const probed = await child.probe(address);
        if (typeof probed === 'string') {
          if (probed === SILENT) child.end();
          throw new KelpieError('CANNOT_RUN', `the way from ${this.address} to ${address} fails: ${probed}`, {
            ...{ field: 'between', given: address },
            allowed:
              'UDP port 4791 open on both hosts, at addresses that reach each other (worker --address)',
          });
        }
        if (round >= WARM_UP) times.push(probed);
      }
    } finally {
      child.leave(address);
    }
    return {
      smallUs: median(times.map(({ smallNs }) => smallNs)) / 1000,
      largeGbps: (8 * MESH_PROBES.largeBytes) / median(times.map(({ largeNs }) => largeNs)),
    };
  }
}
