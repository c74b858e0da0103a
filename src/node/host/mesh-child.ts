import { type ChildProcess, fork } from 'node:child_process';
import { KelpieError } from '../../error.js';
import { MESH_PROBES, type PairTimes, SILENT } from '../../jobs/ping/index.js';
import type { ProcessFault } from './process-fault.js';

const OPEN_MS = 10_000;
/** Longer than all probes of a pair take, with connecting; a process that is silent for this long does not answer. */
const ANSWER_MS = 3000;

/**
 * A process of the mesh, from outside.
 *
 * @example
 * const child = new MeshChild('p0', '127.0.0.2');
 * await child.open();
 * const times = await child.probe('127.0.0.3');
 * child.end();
 */
export class MeshChild {
  readonly name: string;
  readonly address: string;
  private readonly child: ChildProcess;
  private probes = 0;

  constructor(name: string, address: string) {
    this.name = name;
    this.address = address;
    const program = new URL('./mesh-process.js', import.meta.url);
    this.child = fork(program, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'], execArgv: [] });
    // Whoever waits for an answer hears that there is none.
    this.child.on('error', () => {});
  }

  async open(faults: readonly ProcessFault[] = []): Promise<void> {
    const heard = await this.hear<{ listening: true }>((message) => 'listening' in message, OPEN_MS);
    this.tell({ address: this.address, probes: MESH_PROBES, faults });
    const answer =
      heard && (await this.hear<{ ready: boolean; why?: string }>((message) => 'ready' in message, OPEN_MS));
    if (answer?.ready === true) return;
    throw new KelpieError('CANNOT_RUN', `process ${this.name} could not open its device`, {
      ...{ field: '--provider', given: `software on ${this.address}` },
      allowed: answer?.why ?? `an answer within ${OPEN_MS / 1000} s`,
    });
  }

  async probe(address: string): Promise<PairTimes | string> {
    const id = this.probes++;
    const answer = this.hear<{ id: number; times: PairTimes | string }>(
      (message) => message['id'] === id,
      ANSWER_MS,
    );
    this.tell({ to: address, id });
    return (await answer)?.times ?? SILENT;
  }

  /** Ends the way to an address. */
  leave(address: string): void {
    this.tell({ leave: address });
  }

  /** Called when the process has ended, whoever ended it. */
  onEnd(done: () => void): void {
    this.child.once('exit', done);
  }

  stop(): void {
    this.child.kill('SIGSTOP');
  }

  end(): void {
    this.child.kill('SIGKILL');
  }

  private tell(message: object): void {
    if (this.child.connected) this.child.send(message);
  }

  /** The next message of a kind; null where none comes in time, or the process has ended. */
  private hear<Message>(wanted: (message: Record<string, unknown>) => boolean, limitMs: number) {
    return new Promise<Message | null>((done) => {
      const finish = (message: Message | null) => {
        clearTimeout(timer);
        this.child.off('message', onMessage);
        this.child.off('exit', onExit);
        done(message);
      };
      const onMessage = (message: unknown) => {
        if (wanted(message as Record<string, unknown>)) finish(message as Message);
      };
      const onExit = () => finish(null);
      if (!this.child.connected) return done(null);
      const timer = setTimeout(onExit, limitMs);
      this.child.on('message', onMessage);
      this.child.on('exit', onExit);
    });
  }
}
