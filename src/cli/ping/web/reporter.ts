import { KelpieError } from '../../../error.js';
import type { Plan, RunRecord } from '../../../jobs/ping/index.js';

const TIMEOUT_MS = 5000;

/** Sends runs to a collector, one at a time; what cannot be sent is said once, and probing goes on. */
export class Reporter {
  private readonly url: string;
  private readonly plan: Plan;
  private readonly say: (text: string) => void;
  private waiting: RunRecord | null = null;
  private sending: Promise<void> | null = null;
  private isFailing = false;

  constructor(url: string, plan: Plan, say: (text: string) => void) {
    this.url = addressOf(url);
    this.plan = plan;
    this.say = say;
  }

  /** Sends a run as soon as the one before is sent; of several that wait the last one goes. */
  report(record: RunRecord): void {
    this.waiting = record;
    this.sending ??= this.sendAll();
  }

  /** Resolves when nothing waits any more. */
  async settled(): Promise<void> {
    await this.sending;
  }

  private async sendAll(): Promise<void> {
    for (let record = this.waiting; record !== null; record = this.waiting) {
      this.waiting = null;
      await this.send(record);
    }
    this.sending = null;
  }

  private async send(record: RunRecord): Promise<void> {
    try {
      const response = await fetch(this.url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ plan: this.plan, record }),
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      const text = await response.text();
      if (!response.ok) throw new Error(text.slice(0, 300).trim() || `status ${response.status}`);
      if (this.isFailing) this.say('runs are reported again');
      this.isFailing = false;
    } catch (error) {
      const { message, cause } = error as Error & { cause?: Error };
      if (!this.isFailing) this.say(`runs are not reported, probing goes on: ${cause?.message ?? message}`);
      this.isFailing = true;
    }
  }
}

function addressOf(given: string): string {
  if (URL.canParse(given)) {
    const url = new URL(given);
    if (url.protocol === 'http:' || url.protocol === 'https:') {
      if (url.pathname === '/') url.pathname = '/report';
      return url.href;
    }
  }
  throw new KelpieError('BAD_FLAG', 'not an address to report to', {
    ...{ field: '--report', given },
    allowed: 'the address of a collector, such as http://collector:8080',
  });
}
