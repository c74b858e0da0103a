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

/** Accepts one request for each queue pair, and turns further ones down. */
export async function acceptAll(
  qps: readonly QueuePair[],
  { manager, port }: Cm,
  options: ConnectionOptions,
  signal: AbortSignal,
): Promise<Connection[]> {
  const made: Connection[] = [];
  const all = new Promise<void>((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
    const listener = manager.listen(port, (request) => {
      if (made.length === qps.length) {
        request.reject();
        return;
      }
      made.push(request.accept(qps[made.length], options));
      if (made.length < qps.length) return;
      listener.close();
      resolve();
    });
  });
  await all;
  await Promise.all(made.map(({ established }) => established));
  return made;
}
