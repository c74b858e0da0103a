import type { Connection, ConnectionManager, Context } from '../../verbs/index.js';
import { discard } from '../discard.js';
import { MessageEnd } from './message-end.js';

/** What one side of a program does, in order; the other side of its connection does the opposite. */
type Step = 'send' | 'receive' | 'disconnect' | 'disconnected';

interface Program {
  /** Messages that are sent by each step, and their bytes. */
  count: number;
  sizeBytes: number;
  server: readonly Step[];
  client: readonly Step[];
}

/** Programs of librdmacm that connect, exchange a few messages and end, by the name of the stock program. */
export const CM_PROGRAMS = {
  ucmatose: {
    ...{ count: 10, sizeBytes: 100 },
    server: ['send', 'receive', 'disconnect'],
    client: ['receive', 'send', 'disconnected'],
  },
  rdma_client: {
    ...{ count: 1, sizeBytes: 16 },
    server: ['receive', 'send', 'disconnected'],
    client: ['send', 'receive', 'disconnect'],
  },
  rdma_xclient: {
    ...{ count: 1, sizeBytes: 16 },
    server: ['receive', 'disconnected'],
    client: ['send', 'disconnect'],
  },
  cmtime: {
    ...{ count: 0, sizeBytes: 16 },
    server: ['disconnected'],
    client: ['disconnect'],
  },
} as const satisfies Record<string, Program>;

export type CmProgramName = keyof typeof CM_PROGRAMS;

/** The port of RDMA-CM that all of them use. */
export const CM_PROGRAM_PORT = 7471;

/** A server needs no address. */
export interface CmProgramOptions {
  /** Whom to connect to; a server unless set. */
  address?: string;
  port?: number;
  /** Connections that are made or served; default 1. */
  connections?: number;
  onReady?: () => void;
}

/**
 * The other side of librdmacm's small programs: `ucmatose`, `rdma_client` and `rdma_server`, `rdma_xclient` and
 * `rdma_xserver`, `cmtime`. The number of connections that came to their end.
 *
 * @example
 * await runCmProgram(context, manager, 'rdma_client', { address: '10.77.0.2' });
 */
export function runCmProgram(
  context: Context,
  manager: ConnectionManager,
  name: CmProgramName,
  { address, port = CM_PROGRAM_PORT, connections = 1, onReady }: CmProgramOptions,
): Promise<number> {
  const program: Program = CM_PROGRAMS[name];
  return address === undefined
    ? serve(context, manager, program, port, connections, onReady)
    : ask(context, manager, program, { address, port }, connections);
}

async function ask(
  context: Context,
  manager: ConnectionManager,
  program: Program,
  target: { address: string; port: number },
  connections: number,
): Promise<number> {
  const { count, sizeBytes, client } = program;
  const ends = Array.from({ length: connections }, () => new MessageEnd(context, count, sizeBytes));
  try {
    // All are made before the first ends, as the stock programs do it.
    const made = await Promise.all(ends.map(({ qp }) => manager.connect(qp, target)));
    await Promise.all(made.map((connection, index) => play(ends[index], connection, client, count)));
  } finally {
    for (const end of ends) end.destroy();
  }
  return connections;
}

function serve(
  context: Context,
  manager: ConnectionManager,
  program: Program,
  port: number,
  connections: number,
  onReady: () => void = () => {},
): Promise<number> {
  return new Promise((resolve, reject) => {
    let done = 0;
    let begun = 0;
    // Each request gets an end of its own: one that is never finished keeps nobody out.
    const listener = manager.listen(port, (request) => {
      const end = new MessageEnd(context, program.count, program.sizeBytes);
      let connection: Connection;
      try {
        connection = request.accept(end.qp);
      } catch (error) {
        end.destroy();
        throw error;
      }
      const established = async (): Promise<void> => {
        if (begun === connections) {
          // Enough others were first.
          await connection.disconnect();
          return;
        }
        begun++;
        await play(end, connection, program.server, program.count);
        if (++done < connections) return;
        listener.close();
        resolve(done);
      };
      // Whoever asked and never went on is not the client that is waited for.
      const forgotten = () => undefined;
      connection.established
        .then(established, forgotten)
        .catch((error: unknown) => {
          listener.close();
          reject(error as Error);
        })
        .finally(() => discard(end));
    });
    onReady();
  });
}

async function play(
  end: MessageEnd,
  connection: Connection,
  steps: readonly Step[],
  count: number,
): Promise<void> {
  for (const step of steps) {
    if (step === 'disconnected') await connection.disconnected;
    else if (step === 'disconnect') await connection.disconnect();
    else await end[step](count);
  }
}
