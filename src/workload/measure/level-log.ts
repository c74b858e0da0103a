import type { Places } from '../program/places.js';
import type { TenantRig } from '../program/rig.js';
import type { LinkUse, QueueUse } from '../testbed.js';
import { Rows } from './rows.js';

/** What waited in a part of the testbed, slice by slice. */
export interface QueueSeries {
  /** `b/rnic0/receive-buffer`, `switch0/port1`, `a/send-queues`. */
  name: string;
  kind: QueueUse['kind'] | 'send queues';
  unit: 'B' | 'requests';
  /** What fits into it; null where nothing bounds it. */
  room: number | null;
  /** At the end of each slice. */
  levels: number[];
}

/** What one direction of a link, or of a cable, did in each slice. */
export interface LinkSeries {
  /** `a/rnic0-up`. */
  name: string;
  kind: string;
  towards: string;
  gbps: number;
  /** Carried in the slice, with all headers. */
  bytes: number[];
  /** Share of the slice in which it was busy. */
  busy: number[];
  /** Time that everything which passed in the slice had waited for it, summed. */
  waitedNs: number[];
}

/** How full the parts of a testbed were, slice by slice. */
export interface LevelSeries {
  queues: QueueSeries[];
  links: LinkSeries[];
}

/** What was read at one moment. */
export interface LevelMark {
  readonly timeNs: number;
  readonly queues: readonly QueueUse[];
  readonly links: readonly LinkUse[];
  /** By sending device. */
  readonly inFlight: Float64Array;
}

/** Reads, when somebody asks for it, what waits in the queues of a testbed; reading changes nothing. */
export class LevelLog {
  private readonly readQueues: () => readonly QueueUse[];
  private readonly rows = new Rows();
  /** For each device that sends, its senders and what they may have in flight. */
  private readonly sending: readonly { name: string; rigs: TenantRig['senders']; room: number }[];

  constructor(readQueues: () => readonly QueueUse[], places: Places, rigs: readonly TenantRig[]) {
    this.readQueues = readQueues;
    this.sending = places.all.flatMap((place) => {
      const own = rigs.map(({ senders, tenant }) => {
        const here = senders.filter(({ worker }) => worker.place === place);
        return { here, room: here.length * tenant.outstanding };
      });
      const all = own.flatMap(({ here }) => here);
      const room = own.reduce((sum, each) => sum + each.room, 0);
      return all.length === 0 ? [] : [{ name: place.name, rigs: all, room }];
    });
  }

  /** Reads now; `links` as they were read for the same sample. */
  take(timeNs: number, links: readonly LinkUse[]): LevelMark {
    const inFlight = this.rows.next(this.sending.length);
    for (let index = 0; index < inFlight.length; index++) {
      let sum = 0;
      for (const { sender } of this.sending[index].rigs) sum += sender.inFlight;
      inFlight[index] = sum;
    }
    return { timeNs, queues: this.readQueues(), links, inFlight };
  }

  /** The marks as series; `nameOf` says a host's part by the name that the measurement has for the host. */
  series(marks: readonly LevelMark[], nameOf: (name: string) => string): LevelSeries {
    const last = marks[marks.length - 1];
    const later = marks.slice(1);
    const sending = this.sending.map(
      ({ name, room }, index): QueueSeries => ({
        ...{ name: `${name}/send-queues`, kind: 'send queues', unit: 'requests', room },
        levels: later.map(({ inFlight }) => inFlight[index]),
      }),
    );
    const queues = last.queues.map(
      ({ name, kind, roomBytes }, index): QueueSeries => ({
        ...{ name: nameOf(name), kind, unit: 'B', room: roomBytes },
        levels: later.map((mark) => mark.queues[index].bytes),
      }),
    );
    return { queues: [...sending, ...queues], links: linkSeries(marks, nameOf) };
  }
}

function linkSeries(marks: readonly LevelMark[], nameOf: (name: string) => string): LinkSeries[] {
  // A link may come to be served while a run goes on: what it had carried before is nothing.
  const byName = marks.map(({ links }) => new Map(links.map((link) => [link.name, link])));
  const { links } = marks[marks.length - 1];
  return links.flatMap((link) =>
    link.directions.map(({ towards }, way): LinkSeries => {
      const perSlice = (value: (use: LinkUse['directions'][number]) => number): number[] =>
        marks.slice(1).map((_, index) => {
          const [before, after] = [byName[index], byName[index + 1]].map((each) => {
            const use = each.get(link.name)?.directions[way];
            return use === undefined ? 0 : value(use);
          });
          return after - before;
        });
      const lengths = marks.slice(1).map(({ timeNs }, index) => timeNs - marks[index].timeNs);
      return {
        ...{ name: nameOf(link.name), kind: link.kind, towards: nameOf(towards), gbps: link.gbps },
        bytes: perSlice(({ bytes }) => bytes),
        busy: perSlice(({ busyNs }) => busyNs).map((busyNs, index) => busyNs / lengths[index]),
        waitedNs: perSlice(({ waitedNs }) => waitedNs ?? 0),
      };
    }),
  );
}
