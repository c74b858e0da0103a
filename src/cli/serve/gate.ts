import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** Why a request is not answered. */
export interface Refusal {
  readonly status: 401 | 403;
  readonly code: 'BAD_HOST' | 'BAD_ORIGIN' | 'BAD_TOKEN';
  readonly message: string;
}

/**
 * Who may ask the laboratory's server. It listens on this machine alone, but every page that a browser of this machine
 * shows can reach it: a page of another origin is refused by its origin, one that got here by a name of its own that now
 * leads to 127.0.0.1 (DNS rebinding) by that name, and whoever does not know the token by that.
 */
export class Gate {
  private readonly hosts: readonly string[];
  private readonly token: Buffer;

  constructor(port: number, token: string) {
    this.hosts = ['127.0.0.1', 'localhost', '[::1]'].map((name) => `${name}:${port}`);
    this.token = Buffer.from(token);
  }

  /** Whether the page and its files may be had: they have no secrets, but only by our own name. */
  refusePage({ headers }: Pick<IncomingMessage, 'headers'>): Refusal | null {
    if (this.hosts.includes((headers.host ?? '').toLowerCase())) return null;
    return {
      status: 403,
      code: 'BAD_HOST',
      message: `this server answers only to ${this.hosts.join(', ')}`,
    };
  }

  /** Whether a request may ask the laboratory. */
  refuseCall(request: Pick<IncomingMessage, 'headers'>): Refusal | null {
    const { headers } = request;
    const refused = this.refusePage(request);
    if (refused !== null) return refused;
    const { origin, 'sec-fetch-site': site } = headers;
    const isOwn =
      origin === undefined || this.hosts.some((host) => origin.toLowerCase() === `http://${host}`);
    if (!isOwn || (site !== undefined && site !== 'same-origin'))
      return { status: 403, code: 'BAD_ORIGIN', message: "only this server's own page may call it" };
    const [, given] = /^Bearer ([\w-]+)$/.exec(headers.authorization ?? '') ?? [];
    if (given !== undefined && this.isToken(given)) return null;
    return {
      status: 401,
      code: 'BAD_TOKEN',
      message: 'this needs the token of the address that kelpie serve printed',
    };
  }

  private isToken(given: string): boolean {
    const bytes = Buffer.from(given);
    return bytes.length === this.token.length && timingSafeEqual(bytes, this.token);
  }
}
