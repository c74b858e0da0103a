import { KelpieError } from '../../error.js';
import type { Connection, ConnectionManager, Context } from '../../verbs/index.js';
import { discard } from '../discard.js';
import { RpingEnd } from './rping-end.js';

/** rping's port. */
export const RPING_PORT = 7174;
/** The letters of rping's text. */
const FIRST_LETTER = 65;
const LAST_LETTER = 122;
/** READs at a time, in both roles: rping has one. */
const DEPTHS = { responderResources: 1, initiatorDepth: 1 } as const;

/** Choices by rping's own flags. */
export interface RpingOptions {
  /** `-S`: bytes of each ping. */
  sizeBytes: number;
  /** `-C`: pings of each client; a server goes on until the client ends unless set. */
  count?: number;
  /** Told after every ping with the text that went round. */
  onPing?(text: string): void;
}

/** Choices about a server. */
export interface RpingServerOptions extends RpingOptions {
  /** Told when clients can connect. */
  onReady?(): void;
  /** `-P`: serves any number of clients, several at a time, until `signal`; one client unless set. */
  persistent?: boolean;
  /** Told when a client has gone: its address and how many pings there were. */
  onClient?(address: string, pings: number): void;
  signal?: AbortSignal;
}

/** The text of a ping: its number, then letters that begin one later each time. */
function fill(data: Uint8Array, ping: number): void {
  const head = `rdma-ping-${ping}: `;
  let letter = FIRST_LETTER + (ping % (LAST_LETTER - FIRST_LETTER + 1));
  for (let at = 0; at < data.length - 1; at++) {
    data[at] = at < head.length ? head.charCodeAt(at) : letter;
    if (at < head.length) continue;
    letter = letter === LAST_LETTER ? FIRST_LETTER : letter + 1;
  }
  data[data.length - 1] = 0;
}

function textOf(data: Uint8Array): string {
  const end = data.indexOf(0);
  return String.fromCharCode(...data.subarray(0, end < 0 ? data.length : end));
}

/**
 * rping's client: asks a server to READ what it has and to WRITE it back, and compares.
 *
 * @example
 * await rpingClient(context, manager, '10.77.0.2', RPING_PORT, { sizeBytes: 64, count: 10 });
 */
export async function rpingClient(
  context: Context,
  manager: ConnectionManager,
  address: string,
  port: number,
  options: RpingOptions,
): Promise<number> {
  const end = new RpingEnd(context, options.sizeBytes);
  try {
    const connection = await manager.connect(end.qp, { address, port, ...DEPTHS });
    let ping = 0;
    for (; options.count === undefined || ping < options.count; ping++) {
      fill(end.data, ping);
      end.sink.fill(0);
      await end.tell('data');
      if (!(await end.hear())) break;
      await end.tell('sink');
      if (!(await end.hear())) break;
      if (textOf(end.sink) !== textOf(end.data))
        throw new KelpieError('CANNOT_RUN', 'what came back is not what was sent', {
          field: 'data',
          given: textOf(end.sink),
          allowed: textOf(end.data),
        });
      options.onPing?.(textOf(end.sink));
    }
    await connection.disconnect();
    return ping;
  } finally {
    end.destroy();
  }
}

/**
 * rping's server: serves one client, or every client until `signal`, and says how many pings there were. Each request
 * gets an end of its own, so that one that is never finished keeps nobody out.
 *
 * @example
 * const pings = await rpingServer(context, manager, RPING_PORT, { sizeBytes: 64 });
 */
export async function rpingServer(
  context: Context,
  manager: ConnectionManager,
  port: number,
  options: RpingServerOptions,
): Promise<number> {
  const { persistent = false, signal } = options;
  const serving = new Set<Promise<void>>();
  let pings = 0;
  let chosen = false;
  await new Promise<void>((resolve, reject) => {
    const listener = manager.listen(port, (request) => {
      const end = new RpingEnd(context, options.sizeBytes);
      try {
        const connection = request.accept(end.qp, DEPTHS);
        const work = connection.established.then(
          async () => {
            if (chosen && !persistent) {
              // Somebody else was first.
              await connection.disconnect();
              return;
            }
            chosen = true;
            if (!persistent) listener.close();
            const served = await serve(end, connection, options);
            pings += served;
            options.onClient?.(connection.address, served);
            if (!persistent) resolve();
          },
          // It came to nothing: whoever asked never went on.
          () => undefined,
        );
        const done = work
          .catch((error: unknown) => {
            // One client of many that breaks off is no end for the others.
            if (!persistent) reject(error);
          })
          .finally(() => {
            serving.delete(done);
            discard(end);
          });
        serving.add(done);
      } catch (error) {
        end.destroy();
        throw error;
      }
    });
    signal?.addEventListener(
      'abort',
      () => {
        listener.close();
        resolve();
      },
      { once: true },
    );
    options.onReady?.();
  });
  return pings;
}

/** One client, from its first ping to its end. */
async function serve(end: RpingEnd, connection: Connection, options: RpingOptions): Promise<number> {
  let pings = 0;
  for (; options.count === undefined || pings < options.count; pings++) {
    if (!(await end.hear())) break;
    await end.move('RDMA_READ', Math.min(end.remote.bytes, options.sizeBytes));
    options.onPing?.(textOf(end.data));
    await end.tell('data');
    if (!(await end.hear())) break;
    await end.move('RDMA_WRITE', Math.min(end.remote.bytes, textOf(end.data).length + 1));
    await end.tell('data');
  }
  await connection.disconnected;
  return pings;
}
