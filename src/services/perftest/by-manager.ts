import {
  type Connection,
  ConnectionError,
  type ConnectionOptions,
  type Context,
  type QueuePair,
} from '../../verbs/index.js';
import type { PeerOptions } from './peer-options.js';

/** perftest's server listens after it has said so: a client tries as often, so far apart. */
const TRIES = 10;
const PAUSE_NS = 1e8;

type Cm = NonNullable<PeerOptions['cm']>;

/** Connects queue pairs to a server, one after the other, as perftest's client does. */
export async function askForAll(
  qps: readonly QueuePair[],
  { manager, address, port }: Cm,
  options: ConnectionOptions,
): Promise<Connection[]> {
  const made: Connection[] = [];
  for (const qp of qps)
    made.push(
      await untilAccepted(qp.pd.context, () => {
        if (qp.state === 'ERR') qp.modify({ state: 'RESET' });
        return manager.connect(qp, { ...options, address, port });
      }),
    );
  return made;
}

/** Tries again where nobody listens yet. */
export async function untilAccepted<Result>(
  context: Context,
  attempt: () => Promise<Result>,
): Promise<Result> {
  for (let tries = 1; ; tries++) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof ConnectionError) || tries === TRIES) throw error;
      await context.clock.sleep(PAUSE_NS);
    }
  }
}

/**
 * Accepts one request for each queue pair, from one address. A queue pair whose peer never went on is given to the next
 * that asks: anybody can ask in the name of an address.
 */
export async function acceptAll(
  qps: readonly QueuePair[],
  { manager, address, port }: Cm,
  options: ConnectionOptions,
  signal: AbortSignal,
): Promise<Connection[]> {
  const free = [...qps];
  const made: Connection[] = [];
  return firstOf(signal, (resolve, reject) => {
    const listener = manager.listen(port, (request) => {
      const qp = request.address === address ? free.shift() : undefined;
      if (qp === undefined) {
        request.reject();
        return;
      }
      let connection: Connection;
      try {
        connection = request.accept(qp, options);
      } catch (error) {
        free.unshift(qp);
        throw error;
      }
      const established = () => {
        made.push(connection);
        if (made.length === qps.length) resolve(made);
      };
      const forgotten = () => {
        qp.modify({ state: 'RESET' });
        free.push(qp);
      };
      connection.established.then(established, forgotten).catch(reject);
    });
    return () => listener.close();
  });
}

/** What comes of a promise, or the reason of the signal. */
export function unlessStopped<Result>(signal: AbortSignal, promise: Promise<Result>): Promise<Result> {
  return firstOf(signal, (resolve, reject) => {
    promise.then(resolve, reject);
    return () => {};
  });
}

/** What `begin` comes to, or the reason of the signal; what `begin` returns is called at the end. */
export async function firstOf<Result>(
  signal: AbortSignal,
  begin: (resolve: (result: Result) => void, reject: (error: unknown) => void) => () => void,
): Promise<Result> {
  signal.throwIfAborted();
  let end = (): void => {};
  let stop = (): void => {};
  try {
    return await new Promise<Result>((resolve, reject) => {
      stop = () => reject(signal.reason as Error);
      signal.addEventListener('abort', stop, { once: true });
      end = begin(resolve, reject);
    });
  } finally {
    signal.removeEventListener('abort', stop);
    end();
  }
}
