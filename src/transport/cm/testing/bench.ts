import { Random } from '../../../engine/index.js';
import type { SidrRep } from '../../../wire/cm/index.js';
import { formatGidShort, type Gid, parseGid } from '../../../wire/ib/gid.js';
import { CmAgent } from '../agent.js';
import type { CmDevice } from '../cm-device.js';
import type { CmConnection } from '../connection.js';
import type { CmEvent } from '../event.js';
import type { CmLimits } from '../limits.js';
import type { DatagramQueuePair } from '../service-desk.js';

/** What a channel between two agents does to a datagram: how often it arrives, and when. */
export type ChannelRule = (random: Random) => readonly number[];

/** Two agents with a channel between them and one clock, for tests. */
export class CmBench {
  readonly gids: [Gid, Gid] = [parseGid('::ffff:10.0.0.1'), parseGid('::ffff:10.0.0.2')];
  readonly agents: [CmAgent, CmAgent];
  readonly events: { side: number; connection: CmConnection; event: CmEvent }[] = [];
  /** Bytes that either side sent, by the address that they went to. */
  readonly sentBytes = new Map<string, number>();
  /** What a consumer threw. */
  readonly faults: unknown[] = [];
  nowNs = 0;
  /** What both sides believe to wait. */
  backlog = 0;
  /** Called for every event, so that a test plays the consumer. */
  onEvent: (side: number, connection: CmConnection, event: CmEvent) => void = () => {};
  /** The one service of datagrams that both sides have, and the answers that came. */
  datagrams: (DatagramQueuePair & { serviceId: bigint }) | null = null;
  readonly replies: SidrRep[] = [];
  private readonly random: Random;
  private readonly rule: ChannelRule;
  private queue: { atNs: number; order: number; to: number; bytes: Uint8Array }[] = [];
  private order = 0;

  constructor(seed: number, rule: ChannelRule = () => [1000], limits: Partial<CmLimits> = {}) {
    this.random = new Random(seed);
    this.rule = rule;
    this.agents = [this.agent(0, limits), this.agent(1, limits)];
  }

  private agent(side: number, limits: Partial<CmLimits>): CmAgent {
    const draws = this.random.split(`agent${side}`);
    const bench = this;
    const device: CmDevice = {
      sendMad: (datagram, to) => {
        const name = formatGidShort(to);
        this.sentBytes.set(name, (this.sentBytes.get(name) ?? 0) + datagram.length);
        for (const delayNs of this.rule(this.random)) {
          this.queue.push({
            atNs: this.nowNs + delayNs,
            order: this.order++,
            to: 1 - side,
            bytes: datagram.slice(),
          });
        }
      },
      cmEvent: (connection, event) => {
        this.events.push({ side, connection, event });
        this.onEvent(side, connection, event);
      },
      cmFault: (error) => this.faults.push(error),
      deadlineMoved: () => {},
      sidrRequest: (req) => (req.serviceId === this.datagrams?.serviceId ? this.datagrams : null),
      sidrReply: (rep) => this.replies.push(rep),
      get backlog() {
        return bench.backlog;
      },
      random32: () => draws.nextInt(2 ** 32),
    };
    return new CmAgent(device, { caGuid: BigInt(side + 1), limits });
  }

  /** Hands a datagram to a side as if it came from `source`. */
  inject(side: number, bytes: Uint8Array, source: Gid): void {
    this.agents[side].receive(bytes, 0, bytes.length, source, this.nowNs);
  }

  /** Lets everything happen until nothing is left to do, or until a time. */
  run(untilNs = Number.POSITIVE_INFINITY): void {
    for (;;) {
      this.queue.sort((one, other) => one.atNs - other.atNs || one.order - other.order);
      const next = this.queue[0]?.atNs ?? Number.POSITIVE_INFINITY;
      const timer = Math.min(...this.agents.map(({ nextDeadlineNs }) => nextDeadlineNs));
      const atNs = Math.min(next, timer);
      if (atNs === Number.POSITIVE_INFINITY || atNs > untilNs) break;
      this.nowNs = Math.max(this.nowNs, atNs);
      if (next <= timer) {
        const { to, bytes } = this.queue.shift() as (typeof this.queue)[0];
        this.agents[to].receive(bytes, 0, bytes.length, this.gids[1 - to], this.nowNs);
      } else {
        for (const agent of this.agents) agent.onTimer(this.nowNs);
      }
    }
    if (untilNs !== Number.POSITIVE_INFINITY) this.nowNs = Math.max(this.nowNs, untilNs);
  }

  /** The kinds of events that a side saw, in order. */
  kinds(side: number): string[] {
    return this.events.filter((entry) => entry.side === side).map(({ event }) => event.kind);
  }
}
