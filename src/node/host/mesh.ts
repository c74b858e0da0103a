import { type ChildProcess, fork } from 'node:child_process';
import { KelpieError } from '../../error.js';
import {
  diagnoseMesh,
  type Mesh,
  type MeshFinding,
  type MeshProbeOptions,
  type PairTimes,
  SILENT,
  sweepMesh,
} from '../../jobs/ping/index.js';
import { loopbackAddress } from '../../providers/software/index.js';
import { type ProcessFault, parseProcessFault } from './process-fault.js';

/** Processes of this machine that probe each other. */
export interface MeshRequest {
  readonly processes: number;
  readonly repetitions: number;
  /** What is wrong with them on purpose: `busy@p1`. */
  readonly faults?: readonly string[];
  readonly signal?: AbortSignal;
}

/** What came of a mesh of processes. */
export interface MeshResult {
  readonly mesh: Mesh;
  readonly findings: readonly MeshFinding[];
  readonly largeBytes: number;
  readonly seconds: number;
}

/** At 18 Gb/s and 13 us, as a software device has it, a large probe of this size takes many times as long as a small one. */
const PROBES = { smallBytes: 64, largeBytes: 2 ** 20, timeoutNs: 1e9 };
const OPEN_MS = 10_000;
/** Longer than all probes of a pair take, with connecting; a process that is silent for so long does not answer. */
const ANSWER_MS = 3000;

/** Starts processes with a software device each, probes every pair of them, and says which stand out. */
export async function probeMesh(
  { processes, repetitions, faults = [], signal }: MeshRequest,
  program: URL = new URL('./mesh-process.js', import.meta.url),
): Promise<MeshResult> {
  const names = Array.from({ length: processes }, (_, place) => `p${place}`);
  const wrong = faults.map((text) => parseProcessFault(text, names));
  const startedMs = performance.now();
  const children = names.map((name, place) => new MeshChild(name, loopbackAddress(place), program));
  const end = () => {
    for (const child of children) child.end();
  };
  signal?.addEventListener('abort', end);
  try {
    await Promise.all(
      children.map((child) =>
        child.open(
          PROBES,
          wrong.filter(({ process }) => process === child.name),
        ),
      ),
    );
    for (const { kind, process } of wrong)
      if (kind === 'stopped') children.find(({ name }) => name === process)!.stop();
    const mesh = await sweepMesh(names, repetitions, (from, to) =>
      children[from].probe(children[to].address),
    );
    const seconds = (performance.now() - startedMs) / 1000;
    return { mesh, findings: diagnoseMesh(mesh), largeBytes: PROBES.largeBytes, seconds };
  } finally {
    signal?.removeEventListener('abort', end);
    end();
  }
}

/** A process of the mesh, from outside. */
class MeshChild {
  readonly name: string;
  readonly address: string;
  private readonly child: ChildProcess;
  private probes = 0;

  constructor(name: string, address: string, program: URL) {
    this.name = name;
    this.address = address;
    this.child = fork(program, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'], execArgv: [] });
  }

  async open(probes: MeshProbeOptions, faults: readonly ProcessFault[]): Promise<void> {
    const heard = await this.hear<{ listening: true }>((message) => 'listening' in message, OPEN_MS);
    this.child.send({ address: this.address, probes, faults });
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
    this.child.send({ to: address, id });
    const heard = await this.hear<{ id: number; times: PairTimes | string }>(
      (message) => message['id'] === id,
      ANSWER_MS,
    );
    return heard?.times ?? SILENT;
  }

  stop(): void {
    this.child.kill('SIGSTOP');
  }

  end(): void {
    this.child.kill('SIGKILL');
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
      const timer = setTimeout(onExit, limitMs);
      this.child.on('message', onMessage);
      this.child.on('exit', onExit);
    });
  }
}
