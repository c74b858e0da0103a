import type { Context } from '../../verbs/index.js';
import { exchangeError } from './byte-channel.js';

/** How long a peer may be silent while both agree: it registers memory between two words, and does nothing else. */
const SILENT_NS = 30e9;
/** How often silence is looked for. */
const LOOK_NS = 0.25e9;

/** A test in which nothing comes and nothing goes: the peer was given a smaller number, or is gone without a word. */
export class Stillness {
  private readonly context: Context;
  private readonly silentNs: number;
  private sinceNs: number;

  /** `silentNs`: 30 s unless set. */
  constructor(context: Context, silentNs = SILENT_NS) {
    this.context = context;
    this.silentNs = silentNs;
    this.sinceNs = context.clock.nowNs;
  }

  /** Something came, or went. */
  moved(): void {
    this.sinceNs = this.context.clock.nowNs;
  }

  /** Nothing did; fails where that is so for long. */
  still(allowed: string): void {
    const { context, silentNs } = this;
    const { clock } = context;
    if (!clock.virtual && clock.nowNs - this.sinceNs >= silentNs)
      throw exchangeError('peer', `silence for ${silentNs / 1e9} s`, allowed);
  }
}

/** What is waited for. */
interface Agreement {
  /** What the peer has said so far. */
  heard?: () => number;
  /** 30 s unless set. */
  silentNs?: number | undefined;
  /** What both sides must have alike. */
  allowed: string;
}

/**
 * Waits until both sides agree; fails where nothing was heard for long, as it is where they were given different choices:
 * then each waits for what the other will not say.
 */
export async function unlessSilent<Result>(
  { clock }: Context,
  agreed: Promise<Result>,
  { heard = () => 0, silentNs = SILENT_NS, allowed }: Agreement,
): Promise<Result> {
  // A virtual clock runs on while nobody speaks.
  if (clock.virtual) return agreed;
  let over = false;
  const settled = () => {
    over = true;
  };
  agreed.then(settled, settled);
  const silence = async (): Promise<Result> => {
    let last = heard();
    let sinceNs = clock.nowNs;
    while (!over && clock.nowNs - sinceNs < silentNs) {
      await clock.sleep(Math.min(LOOK_NS, silentNs));
      if (heard() === last) continue;
      last = heard();
      sinceNs = clock.nowNs;
    }
    if (over) return agreed;
    throw exchangeError('peer', `silence for ${silentNs / 1e9} s`, allowed);
  };
  return Promise.race([agreed, silence()]);
}
