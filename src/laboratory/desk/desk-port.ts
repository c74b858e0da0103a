import { errorOf, type Failure, failureOf } from '../../jobs/pool/index.js';
import type {
  JobEntry,
  JobEvent,
  JobId,
  JobManner,
  JobRequest,
  JobResult,
  LaboratoryBackend,
} from './backend.js';
import type { Catalogue } from './catalogue.js';

/** What a page asks of a desk in another thread. */
export type DeskCall =
  | { readonly call: number; readonly method: Method; readonly given: readonly unknown[] }
  | { readonly call: number; readonly method: 'watch'; readonly given: readonly [JobId] }
  | { readonly call: number; readonly method: 'unwatch'; readonly given: readonly [] };

/** What the desk says to it. */
export type DeskReply =
  | { readonly call: number; readonly value: unknown }
  | { readonly call: number; readonly failure: Failure }
  | { readonly call: number; readonly event: JobEvent };

type Method = Exclude<keyof LaboratoryBackend, 'watch' | 'campaigns'>;

const METHODS: readonly Method[] = [
  ...(['catalogue', 'start', 'cancel', 'resume', 'jobs', 'result', 'keep', 'forget'] as const),
];

/** Answers the calls that come over a port; the function that is returned takes them. */
export function deskPort(
  desk: LaboratoryBackend,
  post: (reply: DeskReply) => void,
): (call: DeskCall) => Promise<void> {
  const watched = new Map<number, () => void>();
  return async ({ call, method, given }) => {
    if (method === 'watch') {
      watched.set(
        call,
        desk.watch(given[0] as JobId, (event) => post({ call, event })),
      );
      return;
    }
    if (method === 'unwatch') {
      watched.get(call)?.();
      watched.delete(call);
      return;
    }
    try {
      if (!METHODS.includes(method)) throw new Error(`there is no method ${method}`);
      const value = await (desk[method] as (...all: readonly unknown[]) => Promise<unknown>)(...given);
      post({ call, value });
    } catch (error) {
      post({ call, failure: failureOf(error) });
    }
  };
}

/** A desk in another thread. */
export class DistantDesk implements LaboratoryBackend {
  private readonly post: (call: DeskCall) => void;
  private readonly waiting = new Map<
    number,
    { resolve: (value: unknown) => void; reject: (error: Error) => void }
  >();
  private readonly watched = new Map<number, (event: JobEvent) => void>();
  private next = 1;
  /** Why nobody answers any more. */
  private gone: Error | null = null;

  constructor(post: (call: DeskCall) => void) {
    this.post = post;
  }

  /** Takes what the desk says. */
  heard(reply: DeskReply): void {
    if ('event' in reply) {
      this.watched.get(reply.call)?.(reply.event);
      return;
    }
    const waiting = this.waiting.get(reply.call);
    this.waiting.delete(reply.call);
    if ('failure' in reply) waiting?.reject(errorOf(reply.failure));
    else waiting?.resolve(reply.value);
  }

  /** The other thread has ended: nobody will answer. */
  lost(error: Error): void {
    this.gone = error;
    for (const { reject } of this.waiting.values()) reject(error);
    this.waiting.clear();
    const event: JobEvent = { kind: 'failed', failure: failureOf(error) };
    for (const onEvent of this.watched.values()) onEvent(event);
    this.watched.clear();
  }

  catalogue(): Promise<Catalogue> {
    return this.ask('catalogue', []) as Promise<Catalogue>;
  }

  start(request: JobRequest, manner: JobManner = 'kept'): Promise<JobId> {
    return this.ask('start', [request, manner]) as Promise<JobId>;
  }

  watch(id: JobId, onEvent: (event: JobEvent) => void): () => void {
    const call = this.next++;
    this.watched.set(call, onEvent);
    this.post({ call, method: 'watch', given: [id] });
    return () => {
      if (this.watched.delete(call)) this.post({ call, method: 'unwatch', given: [] });
    };
  }

  cancel(id: JobId): Promise<void> {
    return this.ask('cancel', [id]) as Promise<void>;
  }

  resume(id: JobId): Promise<void> {
    return this.ask('resume', [id]) as Promise<void>;
  }

  jobs(): Promise<readonly JobEntry[]> {
    return this.ask('jobs', []) as Promise<readonly JobEntry[]>;
  }

  result(id: JobId): Promise<JobResult | null> {
    return this.ask('result', [id]) as Promise<JobResult | null>;
  }

  keep(id: JobId, name: string): Promise<JobId> {
    return this.ask('keep', [id, name]) as Promise<JobId>;
  }

  forget(id: JobId): Promise<void> {
    return this.ask('forget', [id]) as Promise<void>;
  }

  private ask(method: Method, given: readonly unknown[]): Promise<unknown> {
    const call = this.next++;
    return new Promise((resolve, reject) => {
      if (this.gone !== null) {
        reject(this.gone);
        return;
      }
      this.waiting.set(call, { resolve, reject });
      this.post({ call, method, given });
    });
  }
}
