import type { Host } from '../../../profiles/index.js';

/** A core: one thread at a time works on it. */
export class Core {
  /** When the step that works on it ends. */
  freePs = 0;
}

/**
 * The cores of a host. Threads get them in turn, so that several share one only when there are more threads than cores:
 * those of its socket for a thread that runs on one, all of the host for another.
 */
export class Cores {
  private readonly sockets: number;
  private readonly perSocket: number;
  private readonly cores: (Core | undefined)[] = [];
  /** Threads so far, by socket; those of no socket last. */
  private readonly threads: number[];

  constructor({ constants }: Host) {
    this.sockets = constants.sockets;
    this.perSocket = constants.coresPerSocket;
    this.threads = new Array<number>(this.sockets + 1).fill(0);
  }

  /** The core of one more thread; null: on any socket. */
  next(socket: number | null): Core {
    const turn = this.threads[socket ?? this.sockets]++;
    const first = (socket ?? 0) * this.perSocket;
    const among = socket === null ? this.sockets * this.perSocket : this.perSocket;
    const place = first + (turn % among);
    this.cores[place] ??= new Core();
    return this.cores[place];
  }
}
