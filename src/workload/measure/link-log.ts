import type { LinkUse } from '../testbed.js';
import { Rows } from './rows.js';

/** What the links had carried at one moment: numbers alone, as a run keeps thousands of these. */
export interface LinkMark {
  /** The links as they were read when this list of them was new. */
  readonly links: readonly LinkUse[];
  /** For each link its rate, then the bytes and the busy time of each direction. */
  readonly values: Float64Array;
}

/** Keeps what changes of links that are read again and again. */
export class LinkLog {
  private known: readonly LinkUse[] = [];
  private size = 0;
  private readonly rows = new Rows();

  /** Keeps all links as they were read now. */
  take(links: readonly LinkUse[]): LinkMark {
    if (!areSame(links, this.known)) {
      this.known = links;
      this.size = links.reduce((sum, { directions }) => sum + 1 + 2 * directions.length, 0);
    }
    const values = this.rows.next(this.size);
    let place = 0;
    for (let index = 0; index < links.length; index++) {
      const { gbps, directions } = links[index];
      values[place++] = gbps;
      for (let way = 0; way < directions.length; way++) {
        values[place++] = directions[way].bytes;
        values[place++] = directions[way].busyNs;
      }
    }
    return { links: this.known, values };
  }
}

/** The links with what they had carried at that moment. */
export function linksAt({ links, values }: LinkMark): readonly LinkUse[] {
  let place = 0;
  return links.map((link) => ({
    ...link,
    gbps: values[place++],
    directions: link.directions.map(({ towards }) => ({
      towards,
      bytes: values[place++],
      busyNs: values[place++],
    })),
  }));
}

/** Whether two lists name the same links: one more may come to be served while a run goes on. */
function areSame(links: readonly LinkUse[], known: readonly LinkUse[]): boolean {
  if (links.length !== known.length) return false;
  for (let index = 0; index < links.length; index++) {
    const [link, other] = [links[index], known[index]];
    if (link.name !== other.name || link.directions.length !== other.directions.length) return false;
  }
  return true;
}
