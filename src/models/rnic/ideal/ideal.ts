import { goBackN } from '../../../transport/index.js';
import { FreeBus } from '../../pcie/free-bus.js';
import { type NicArchitecture, nicPart } from '../architecture.js';
import type { ReceiveRingOptions } from '../parts/receive-wqe-source.js';
import type { TranslationStore } from '../parts/translation-store.js';
import { roceFormat } from '../parts/wire-format.js';
import { programmable } from '../programmable-control.js';
import { ReceiveFetch, ReceiveRing } from '../receive/receive-ring.js';
import { ResidentContexts } from '../srnic/resident-contexts.js';
import { CacheFreeSends } from '../srnic/send/cache-free-sends.js';
import { idealTable } from './table.js';

/** A receive queue that is on chip whole. */
class RingAtHand extends ReceiveRing {
  override post(count: number): void {
    this.posted += count;
  }

  override take(): number {
    this.taken++;
    return ReceiveFetch.HIT;
  }

  override read(_found: number, nowPs: number): number {
    return nowPs;
  }
}

/** Translations that are always at hand. */
const unbounded: TranslationStore = {
  lookUp: (nowPs) => nowPs,
  warm() {},
  registered() {},
  deregistered() {},
};

/** Turns of one packet each, so that queue pairs share the port packet by packet; the buffer keeps the port busy. */
const immediate = {
  scheduleWqes: 4096,
  scheduleBurstBytes: 1,
  scheduleFetches: 4096,
  scheduleTurnNs: 0,
  transmitPipelineNs: 0,
  transmitBufferBytes: 16384,
};

const { parts } = idealTable;

/** A NIC without a bus and without caches, as a yardstick: what is left is its port and the transport. */
export const ideal: NicArchitecture = {
  ...idealTable,
  parts: {
    bus: nicPart('bus', parts.bus, ({ port }) => new FreeBus(port)),
    contexts: nicPart('contexts', parts.contexts, () => new ResidentContexts()),
    translations: nicPart('translations', parts.translations, () => unbounded),
    sends: nicPart(
      'sends',
      parts.sends,
      (needs) => new CacheFreeSends({ ...needs, constants: { ...needs.constants, ...immediate } }),
    ),
    receives: nicPart('receives', parts.receives, () => ({
      newRing: ({ queuePath, tenant }: ReceiveRingOptions) => new RingAtHand(queuePath, tenant),
    })),
    wire: nicPart('wire', parts.wire, () => roceFormat),
    recovery: nicPart('recovery', parts.recovery, () => goBackN),
    congestion: nicPart('congestion', parts.congestion, programmable),
  },
};
