import { type ChildProcess, fork } from 'node:child_process';
import { KelpieError } from '../../../error.js';
import {
  diagnoseMesh,
  type MeshProbeOptions,
  type PairTimes,
  SILENT,
  sweepMesh,
} from '../../../jobs/ping/index.js';
import { loopbackAddress } from '../../../providers/software/index.js';
import { ExitCode } from '../../exit-code.js';
import type { Terminal } from '../../terminal.js';
import { formatMesh } from './mesh-report.js';
import { type ProcessFault, parseProcessFault } from './process-fault.js';

/** What `kelpie ping --provider software` was asked for. */
export interface MeshRequest {
  readonly processes: number;
  readonly repetitions: number;
  readonly faults: readonly string[];
  readonly json: boolean;
}

/** At 18 Gb/s and 13 us, as a software device has it, a large probe of this size takes many times as long as a small one. */
const PROBES = { smallBytes: 64, largeBytes: 2 ** 20, timeoutNs: 1e9 };
const OPEN_MS = 10_000;
/** Longer than all probes of a pair take, with connecting; a process that is silent for so long does not answer. */
const ANSWER_MS = 3000;

/** Starts processes with a software device each, probes every pair of them, and says which stand out. */
export async function runMesh(
  { processes, repetitions, faults, json }: MeshRequest,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<ExitCode> {
  const names = Array.from({ length: processes }, (_, place) => `p${place}`);
  const wrong = faults.map((text) => parseProcessFault(text, names));
  const startedMs = performance.now();
  const children = names.map((name, place) => new MeshChild(name, loopbackAddress(place)));
  const end = () => {
    for (const child of children) child.end();
  };
  signal.addEventListener('abort', end);
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
    const result = {
      ...{ mesh, findings: diagnoseMesh(mesh), largeBytes: PROBES.largeBytes },
      seconds: (performance.now() - startedMs) / 1000,
    };
    terminal.out(json ? `${JSON.stringify(result, null, 2)}\n` : formatMesh(result));
    if (signal.aborted) return ExitCode.INTERRUPTED;
    return result.findings.length === 0 ? ExitCode.GOOD : ExitCode.FOUND;
  } finally {
    end();
  }
}

/** A process of the mesh, from outside. */
class MeshChild {
  readonly name: string;
  readonly address: string;
  private readonly child: ChildProcess;
  private probes = 0;

  constructor(name: string, address: string) {
    this.name = name;
    this.address = address;
    this.child = fork(process.argv[1], ['ping', '--provider', 'software', '--process'], {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
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
