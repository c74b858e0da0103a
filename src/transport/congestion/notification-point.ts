/** What a device paces its congestion notifications by. The numbers are those of profiles (`dcqcnCnpScope`). */
export const NotificationScope = { QUEUE_PAIR: 0, DESTINATION: 1, PORT: 2 } as const;

/** Choices about a notification point. */
export interface NotificationPointOptions {
  /** Least time between two notifications of one scope. */
  readonly intervalPs: number;
  /** One of {@link NotificationScope}. */
  readonly scope: number;
  /** How many queue pairs there will be, if that is known; default: it grows. */
  readonly queuePairs?: number;
}

/**
 * The notification point of DCQCN (Zhu et al., SIGCOMM 2015, §3.1): which of the packets that arrive marked 'congestion
 * experienced' cause a CNP. At most one per interval and scope does.
 */
export class NotificationPoint {
  private readonly intervalPs: number;
  private readonly scope: number;
  /** By queue pair or destination, or at 0 for the port: when the next may be sent. */
  private readonly nextPs: number[];

  constructor(options: NotificationPointOptions) {
    this.intervalPs = options.intervalPs;
    this.scope = options.scope;
    this.nextPs = new Array(options.queuePairs ?? 0).fill(0);
  }

  /** Whether a marked packet causes a notification; queue pair and destination are small numbers of the device's own. */
  due(nowPs: number, queuePair: number, destination: number): boolean {
    const { scope, nextPs } = this;
    const key =
      scope === NotificationScope.PORT
        ? 0
        : scope === NotificationScope.DESTINATION
          ? destination
          : queuePair;
    if (nowPs < (nextPs[key] ?? 0)) return false;
    nextPs[key] = nowPs + this.intervalPs;
    return true;
  }

  /** The number of a queue pair will name another one. */
  forget(queuePair: number): void {
    if (this.scope === NotificationScope.QUEUE_PAIR) this.nextPs[queuePair] = 0;
  }
}
