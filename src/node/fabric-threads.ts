import { Worker } from 'node:worker_threads';
import { errorOf } from '../jobs/pool/index.js';
import {
  type FabricSpec,
  planTeam,
  type RemoteMember,
  type TeamCommand,
  TeamFabric,
  type TeamPlan,
} from '../models/fabric/index.js';
import type { WorkerReply } from './thread-pool.js';

/**
 * Opens a fabric that this many threads simulate together; its answer is that of one. It needs the canonical order and
 * random numbers of our own.
 *
 * @example
 * const fabric = await openFabricThreads(spec, 4);
 * const { recorder } = await runFabric(fabric, stopNs, async () => true);
 * console.log(answerOf(fabric, recorder, false).finished);
 */
export async function openFabricThreads(
  spec: FabricSpec,
  threads: number,
  workerUrl: URL = new URL('./fabric-worker.js', import.meta.url),
): Promise<TeamFabric> {
  const { plan, state } = planTeam(spec, threads);
  const members = Array.from({ length: threads }, (_, index) => new Thread(workerUrl, plan, index));
  const fabric = new TeamFabric(plan, state, members);
  try {
    await Promise.all(members.map(({ ready }) => ready));
  } catch (error) {
    await fabric.close();
    throw error;
  }
  return fabric;
}

/** A member of a team in a thread of its own, which answers one command after the other. */
class Thread implements RemoteMember {
  /** Its parts of the fabric are made. */
  readonly ready: Promise<unknown>;
  private readonly worker: Worker;
  private waiting: { resolve(answer: unknown): void; reject(error: Error): void } | null = null;
  private ended = false;

  constructor(url: URL, plan: TeamPlan, index: number) {
    this.worker = new Worker(url, { workerData: { plan, index } });
    this.worker.on('message', (reply: WorkerReply) => {
      if ('failure' in reply) this.waiting?.reject(errorOf(reply.failure));
      else this.waiting?.resolve(reply.answer);
    });
    this.worker.on('error', (error) => this.waiting?.reject(error as Error));
    this.worker.on('exit', () => {
      this.ended = true;
      this.waiting?.reject(new Error('a thread of the fabric ended'));
    });
    this.ready = this.answer();
  }

  call(command: TeamCommand): Promise<unknown> {
    if (this.ended) return Promise.reject(new Error('a thread of the fabric ended'));
    this.worker.postMessage(command);
    return this.answer();
  }

  async close(): Promise<void> {
    await this.worker.terminate();
  }

  private answer(): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.waiting = { resolve, reject };
    });
  }
}
