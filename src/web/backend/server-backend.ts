import { KelpieError } from '../../error.js';
import type { CampaignSight } from '../../jobs/campaign/index.js';
import type {
  JobEntry,
  JobEvent,
  JobId,
  JobManner,
  JobRequest,
  JobResult,
  LaboratoryBackend,
} from '../../laboratory/desk/backend.js';
import { isLast } from '../../laboratory/desk/backend.js';
import type { Catalogue } from '../../laboratory/desk/catalogue.js';

/** A server that is away is asked again after this long. */
const RETRY_MS = 1000;

/** The laboratory of `kelpie serve`: the server runs and keeps everything, and goes on when the page is left. */
export class ServerBackend implements LaboratoryBackend {
  private readonly token: string;
  /** Told when the server cannot be reached, and when it can again. */
  private readonly onReach: (isReached: boolean) => void;

  constructor(token: string, onReach: (isReached: boolean) => void) {
    this.token = token;
    this.onReach = onReach;
  }

  catalogue(): Promise<Catalogue> {
    return this.ask('GET', 'catalogue');
  }

  async start(request: JobRequest, manner: JobManner = 'kept'): Promise<JobId> {
    const { id } = await this.ask<{ id: JobId }>('POST', 'jobs', { request, manner });
    return id;
  }

  watch(id: JobId, onEvent: (event: JobEvent) => void): () => void {
    const stop = new AbortController();
    void this.listen(id, onEvent, stop.signal);
    return () => stop.abort();
  }

  async cancel(id: JobId): Promise<void> {
    await this.ask('POST', `jobs/${id}/cancel`, {});
  }

  async resume(id: JobId): Promise<void> {
    await this.ask('POST', `jobs/${id}/resume`, {});
  }

  jobs(): Promise<readonly JobEntry[]> {
    return this.ask('GET', 'jobs');
  }

  result(id: JobId): Promise<JobResult | null> {
    return this.ask('GET', `jobs/${id}/result`);
  }

  async keep(id: JobId, name: string): Promise<JobId> {
    return (await this.ask<{ id: JobId }>('POST', `jobs/${id}/keep`, { name })).id;
  }

  async forget(id: JobId): Promise<void> {
    await this.ask('POST', `jobs/${id}/forget`, {});
  }

  campaigns(): Promise<readonly CampaignSight[]> {
    return this.ask('GET', 'campaigns');
  }

  /** Watches a job, and goes on after the last event that was heard where the line breaks. */
  private async listen(id: JobId, onEvent: (event: JobEvent) => void, signal: AbortSignal): Promise<void> {
    let heard = 0;
    while (!signal.aborted) {
      try {
        const response = await this.fetch('GET', `jobs/${id}/events?from=${heard}`, undefined, signal);
        for await (const { event, number } of eventsOf(response)) {
          if (signal.aborted) return;
          heard = number + 1;
          onEvent(event);
          if (isLast(event)) return;
        }
      } catch (error) {
        if (signal.aborted) return;
        if (error instanceof KelpieError) {
          onEvent({ kind: 'failed', failure: { message: error.message, code: error.code } });
          return;
        }
      }
      await new Promise((again) => setTimeout(again, RETRY_MS));
    }
  }

  private async ask<Value>(method: 'GET' | 'POST', path: string, body?: object): Promise<Value> {
    return (await this.fetch(method, path, body)).json() as Promise<Value>;
  }

  private async fetch(method: string, path: string, body?: object, signal?: AbortSignal): Promise<Response> {
    let response: Response;
    try {
      response = await fetch(`api/${path}`, {
        method,
        headers: {
          authorization: `Bearer ${this.token}`,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        ...(signal === undefined ? {} : { signal }),
      });
    } catch (error) {
      if (signal?.aborted !== true) this.onReach(false);
      throw error;
    }
    this.onReach(true);
    if (response.ok) return response;
    const { code, message } = (await response.json()) as { code: string; message: string };
    throw new KelpieError(code, message);
  }
}

/** The events of a stream as the server sends them, with their numbers: a line of JSON each. */
async function* eventsOf(response: Response): AsyncGenerator<{ event: JobEvent; number: number }> {
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const lines = (rest + value).split('\n');
    rest = lines.pop()!;
    for (const line of lines)
      if (line.startsWith('data: ')) yield JSON.parse(line.slice(6)) as { event: JobEvent; number: number };
  }
}
