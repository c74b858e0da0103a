import { isIP } from 'node:net';
import { KelpieError } from '../../error.js';
import {
  type CampaignTask,
  runCampaignTask,
  type TaskOutcome,
  type TaskPool,
  type WayProber,
  wayOf,
} from '../../jobs/campaign/index.js';
import { VERSION } from '../../version.js';
import type { EndPlace, HostEnd } from '../host/host-end.js';
import type { Nats } from './client.js';
import { versionToken } from './queue.js';

/** Whoever is asked opens a process with a device first: seconds on a busy machine. */
const MEET_MS = 15_000;

/**
 * Lets the ends of ways find each other. Whoever probes asks on the subject of a host, as a request of NATS; one worker of
 * that host and version opens its end and answers where it is. Nothing is kept, so that nothing can be out of date: where
 * nobody answers, there is nobody.
 */
export class Meetings {
  private readonly nats: Nats;
  private readonly end: HostEnd;

  constructor(nats: Nats, end: HostEnd) {
    this.nats = nats;
    this.end = end;
  }

  /** Answers those who ask for one of these labels, for as long as the connection is open. */
  serve(labels: readonly string[]): void {
    for (const label of labels)
      this.nats.connection.subscribe(this.subjectOf(label), {
        // Of several workers of a host one answers.
        queue: 'ends',
        callback: (error, message) => {
          if (error === null)
            void this.answer().then((text) => {
              if (!this.nats.connection.isClosed()) message.respond(text);
            });
        },
      });
  }

  /** Probes the way to the host of a label. */
  readonly probe: WayProber = async ({ to, repetitions, signal }) => {
    const { address } = await this.meet(to);
    return { ...(await this.end.probe(address, repetitions, signal)), address };
  };

  private async answer(): Promise<string> {
    try {
      return JSON.stringify(await this.end.serve());
    } catch (error) {
      return JSON.stringify({ why: (error as Error).message });
    }
  }

  private async meet(label: string): Promise<EndPlace> {
    let reply: Partial<EndPlace> & { readonly why?: unknown };
    try {
      const { connection } = this.nats;
      reply = (await connection.request(this.subjectOf(label), '', { timeout: MEET_MS })).json();
    } catch (error) {
      // Nobody listens, or nobody answered in time.
      throw absent(label, (error as Error).name === 'TimeoutError' ? ` within ${MEET_MS / 1000} s` : '');
    }
    const { address, port, servesMs, why } = reply;
    if (typeof address === 'string' && isIP(address) !== 0)
      return { address, port: port ?? 0, servesMs: servesMs ?? 0 };
    const reason = typeof why === 'string' ? why.slice(0, 300) : 'its answer names no address';
    throw new KelpieError('CANNOT_RUN', `the worker of ${label} has no end to probe: ${reason}`);
  }

  private subjectOf(label: string): string {
    return `${this.nats.prefix}.way.${versionToken(VERSION)}.${label}`;
  }
}

function absent(label: string, within: string): KelpieError {
  return new KelpieError('CANNOT_RUN', `no worker of ${label} with version ${VERSION} answers${within}`, {
    ...{ field: 'hosts', allowed: 'kelpie worker of the same version on every host' },
  });
}

/** A pool whose tasks about ways between machines are done by this process, which has an end for them. */
export function withWays(pool: TaskPool, probeWay: WayProber): TaskPool {
  return {
    size: pool.size,
    run(task: CampaignTask, options = {}): Promise<TaskOutcome> {
      if (wayOf(task.point) === null) return pool.run(task, options);
      const { timeoutMs } = options;
      return runCampaignTask(task, {
        probeWay,
        ...(timeoutMs === undefined ? {} : { signal: AbortSignal.timeout(timeoutMs) }),
      });
    },
  };
}
