import { type ChildProcess, execFileSync, fork } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import {
  ConnectionError,
  type Context,
  VerbsError,
  type VerbsErrorCode,
  type WorkCompletion,
} from '../../../../verbs/index.js';
import { RealTimeClock } from '../../real-time-clock.js';
import { MemoryMirror } from './memory-mirror.js';
import {
  type Answer,
  type Call,
  type ErrorImage,
  type MemoryReference,
  readMessage,
  writeMessage,
} from './messages.js';

const REMOTE = Symbol('remote');
const SYNC = 0;
const OPEN = -1;
const FORGET = -2;
const ABORT = -3;
/** How often memory is compared although nobody calls. */
const SYNC_MS = 2;
/** What never changes, so that asking once is enough. */
const CONSTANT = new Set([
  'qpNum',
  'qpType',
  'cap',
  'pd',
  'context',
  'sendCq',
  'recvCq',
  'srq',
  'capabilities',
]);
const METHODS = new Set(
  `queryDevice queryPort queryGid placements allocPd createCompChannel createCq getAsyncEvent tryGetAsyncEvent counters
   close regMr allocMr allocMw createQp createSrq createAh dealloc dereg destroy modify query postSend postRecv poll
   pollInto reqNotify resize getCqEvent tryGetCqEvent setLimit createConnectionManager listen connect getCmEvent
   tryGetCmEvent accept reject disconnect`.split(/\s+/),
);

interface Waiting {
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

/**
 * A software device in another process, with the verbs of this one: every call crosses to the other process and back
 * while this one waits, so that a program written for two devices at hand runs unchanged. Memory is mirrored.
 */
export class RemoteProcess {
  private readonly child: ChildProcess;
  private readonly folder: string;
  private readonly requests: number;
  private readonly answers: number;
  private readonly mirror = new MemoryMirror();
  private memories = new Map<ArrayBufferLike, number>();
  private nextMemory = 1;
  private nextSignal = 1;
  private proxies = new Map<number, object>();
  /** The memory that each region was registered with. */
  private regionMemory = new Map<number, Uint8Array>();
  private readonly waiting = new Map<number, Waiting>();
  private readonly early = new Map<number, { value?: unknown; error?: ErrorImage }>();
  private readonly timer: NodeJS.Timeout;

  private constructor(child: ChildProcess, folder: string, requests: number, answers: number) {
    this.child = child;
    this.folder = folder;
    this.requests = requests;
    this.answers = answers;
    child.on('message', (message) => this.settle(message as { promise: number }));
    this.timer = setInterval(() => this.call(SYNC, ''), SYNC_MS);
  }

  /** Starts the other process. */
  static async start(): Promise<RemoteProcess> {
    const folder = mkdtempSync(join(tmpdir(), 'kelpie-remote-'));
    const [requestPath, answerPath] = [join(folder, 'requests'), join(folder, 'answers')];
    execFileSync('mkfifo', [requestPath, answerPath]);
    const outfile = join(process.cwd(), 'build', `remote-${process.pid}.mjs`);
    await build({
      entryPoints: [fileURLToPath(new URL('./child.ts', import.meta.url))],
      outfile,
      bundle: true,
      platform: 'node',
      format: 'esm',
      target: 'node20',
      packages: 'external',
      logLevel: 'warning',
    });
    const child = fork(outfile, [requestPath, answerPath], { serialization: 'advanced', execArgv: [] });
    await once(child, 'message');
    rmSync(outfile);
    const answers = openSync(answerPath, 'r');
    return new RemoteProcess(child, folder, openSync(requestPath, 'w'), answers);
  }

  /** Opens a device there. Whatever was opened before is forgotten. */
  async open(address: string): Promise<Context> {
    this.call(FORGET, '');
    this.mirror.clear();
    this.memories = new Map();
    this.proxies = new Map();
    this.regionMemory = new Map();
    return (await this.call(OPEN, address)) as Context;
  }

  /**
   * Lets memory be compared whenever a program looks for completions here: what a completion speaks of is then in the
   * mirror.
   */
  follow(context: Context): void {
    const createCq = context.createCq.bind(context);
    context.createCq = (options) => {
      const cq = createCq(options);
      const [poll, pollInto] = [cq.poll.bind(cq), cq.pollInto.bind(cq)];
      const look = <A, R>(original: (arg: A) => R) => {
        return (arg: A): R => {
          this.call(SYNC, '');
          return original(arg);
        };
      };
      return Object.assign(cq, { poll: look(poll), pollInto: look(pollInto) });
    };
  }

  stop(): void {
    clearInterval(this.timer);
    this.child.disconnect();
    closeSync(this.requests);
    closeSync(this.answers);
    rmSync(this.folder, { recursive: true });
  }

  private call(target: number, member: string, args?: unknown[]): unknown {
    const changes = this.mirror.changes();
    writeMessage(this.requests, { target, member, args, changes } satisfies Call);
    const answer = readMessage(this.answers) as Answer | null;
    if (answer === null) throw new Error('the other process is gone');
    this.mirror.apply(answer.changes);
    if (answer.error !== undefined) throw errorOf(answer.error);
    return this.decode(answer.value);
  }

  private settle({ promise, value, error }: { promise: number; value?: unknown; error?: ErrorImage }): void {
    const waiter = this.waiting.get(promise);
    if (waiter === undefined) {
      this.early.set(promise, { value, error });
      return;
    }
    this.waiting.delete(promise);
    if (error === undefined) waiter.resolve(this.decode(value));
    else waiter.reject(errorOf(error));
  }

  private decode(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((each) => this.decode(each));
    if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return value;
    const special = value as { $object?: number; $promise?: number };
    if (special.$object !== undefined) return this.proxyOf(special.$object);
    if (special.$promise !== undefined) return this.promiseOf(special.$promise);
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, this.decode(inner)]));
  }

  private promiseOf(promise: number): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.waiting.set(promise, { resolve, reject });
      const early = this.early.get(promise);
      if (early === undefined) return;
      this.early.delete(promise);
      this.settle({ promise, ...early });
    });
  }

  private proxyOf(id: number): object {
    let proxy = this.proxies.get(id);
    if (proxy === undefined) {
      proxy = new Proxy(
        {},
        { get: (_, member) => this.get(id, member), has: (_, member) => member === REMOTE },
      );
      this.proxies.set(id, proxy);
    }
    return proxy;
  }

  private readonly constants = new Map<string, unknown>();
  private readonly clock = new RealTimeClock(() => this.call(SYNC, ''));

  private get(id: number, member: string | symbol): unknown {
    if (member === REMOTE) return id;
    // A promise that resolves with one of these asks whether it is a promise itself.
    if (typeof member === 'symbol' || member === 'then' || member === 'toJSON') return undefined;
    if (member === 'clock') return this.clock;
    if (member === 'memory') return this.regionMemory.get(id) ?? null;
    if (METHODS.has(member)) return (...args: unknown[]) => this.invoke(id, member, args);
    if (!CONSTANT.has(member)) return this.call(id, member);
    const key = `${id}.${member}`;
    if (!this.constants.has(key)) this.constants.set(key, this.call(id, member));
    return this.constants.get(key);
  }

  private invoke(id: number, member: string, args: unknown[]): unknown {
    if (member === 'pollInto') return this.pollInto(id, args[0] as WorkCompletion[]);
    const encoded = args.map((each) => this.encode(each, member === 'regMr'));
    const result = this.call(id, member, encoded);
    if (member === 'regMr' && args[0] instanceof Uint8Array)
      this.regionMemory.set(remoteId(result) as number, args[0]);
    return result;
  }

  private pollInto(id: number, slots: WorkCompletion[]): number {
    const found = this.call(id, 'poll', [slots.length]) as WorkCompletion[];
    found.forEach((completion, index) => {
      Object.assign(slots[index], completion);
    });
    return found.length;
  }

  private encode(value: unknown, byIdentity: boolean): unknown {
    if (value instanceof Uint8Array) return byIdentity ? this.memoryReference(value) : value.slice();
    if (Array.isArray(value)) return value.map((each) => this.encode(each, false));
    if (value instanceof AbortSignal) return this.signalReference(value);
    if (typeof value !== 'object' || value === null) return value;
    const id = remoteId(value);
    if (id !== undefined) return { $object: id };
    const proto = Object.getPrototypeOf(value);
    if (proto !== Object.prototype && proto !== null) return { $stranger: true };
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => [key, this.encode(inner, key === 'memory')]),
    );
  }

  private memoryReference(view: Uint8Array): MemoryReference {
    const { buffer, byteOffset, length } = view;
    const known = this.memories.get(buffer);
    if (known !== undefined) return { $memory: known, byteOffset, length };
    const $memory = this.nextMemory++;
    const whole = new Uint8Array(buffer);
    this.memories.set(buffer, $memory);
    this.mirror.add($memory, whole);
    return { $memory, byteOffset, length, all: whole.slice(), shared: buffer instanceof SharedArrayBuffer };
  }

  private signalReference(signal: AbortSignal): { $signal: number; $aborted: boolean } {
    const $signal = this.nextSignal++;
    signal.addEventListener('abort', () => this.call(ABORT, String($signal)), { once: true });
    return { $signal, $aborted: signal.aborted };
  }
}

function remoteId(value: unknown): number | undefined {
  return typeof value === 'object' && value !== null && REMOTE in value
    ? ((value as Record<symbol, unknown>)[REMOTE] as number)
    : undefined;
}

function errorOf(image: ErrorImage): Error {
  const { code, message, field, given, allowed, badWrIndex } = image;
  if (code === undefined) return new Error(message);
  const error =
    image.reason === undefined
      ? new VerbsError(code as VerbsErrorCode, message, { badWrIndex })
      : new ConnectionError(image.reason, message, image.privateData!);
  return Object.assign(error, { message, field, given, allowed });
}
