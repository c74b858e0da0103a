import type { WorkloadInput } from '../../../../workload/index.js';
import type { Bench } from '../../bench.js';
import { conclude, figures, must } from '../../check.js';
import { counter, millions } from '../../readings.js';
import { type RowOutcome, type Row, rowsOf } from '../../row.js';
import { srnicTargets } from '../../targets/srnic.js';
import { FLAT, MTU, ON } from './connections.js';
import { SPILLING, SRNIC, srnicConstants } from './device.js';

const MB = 2 ** 20;
const GB = 2 ** 30;
const TRANSLATION_BYTES = 8;

/** Messages anywhere in one region of each side. */
const ANYWHERE: WorkloadInput = {
  ...{ opcode: 'WRITE', mtu: MTU, threads: 16, cqSharing: 'thread' },
  ...{ mrScope: 'tenant', mrOffsets: 'random' },
};

/** SRNIC's rows about translations, and what they share the chip with. */
export const srnicTranslationRows: readonly Row[] = rowsOf('SRNIC', srnicTargets, {
  S32: {
    unit: 'misses a message',
    facts: ['64 QPs of 4 KB WRITEs on any cache line of one region of 4 GB on each side'],
    run: hugePages,
  },
  S38: {
    unit: 'Mrps',
    facts: [
      'unreliable connections with two WRITEs of 64 B in flight each, anywhere in one region on each side (with one, fetches of WQEs are the limit and hide translations; with deep queues turns of eight hide contexts); contexts of 210 B and translations of 8 B share what the prototype has for 10,000 contexts and 157,286 translations',
    ],
    run: splits,
  },
});

/** S32: pages of the usual size and huge ones. */
const PAGES = { '4 KB': 4096, '2 MB': 2 * MB } as const;
/** S32: misses a message that are none. */
const VANISHED = 0.001;

async function hugePages(bench: Bench): Promise<RowOutcome> {
  const simulated: Record<string, number> = {};
  const misses: number[] = [];
  for (const [name, bytes] of Object.entries(PAGES)) {
    const measurement = await bench.measure(
      ON,
      { ...ANYWHERE, sizes: [4096], qps: 64, mrBytes: 4 * GB },
      { changes: { ...SRNIC, 'device.translationPageBytes': bytes } },
    );
    const { messagesPerSecond, wireGbps } = measurement.total;
    const messages = (messagesPerSecond * measurement.steadyState.measuredNs) / 1e9;
    misses.push(counter(measurement, 'b', 'mtt_cache_miss') / messages);
    simulated[`${name}, misses a message`] = figures(misses[misses.length - 1]);
    simulated[`${name}, Gb/s`] = figures(wireGbps);
  }
  const [small, huge] = misses;
  return conclude(simulated, [
    must(small > 0.5, 'pages of 4 KB do not miss'),
    must(huge <= VANISHED, 'pages of 2 MB miss'),
  ]);
}

/** S38: the corners of the map, and how many contexts the chip has room for. */
const CONNECTIONS = [1000, 10_000] as const;
const REGIONS = { '100 MB': 100 * MB, '4 GB': 4 * GB, '16 GB': 16 * GB } as const;
const CONTEXTS = [1000, 5000, 10_000] as const;

async function splits(bench: Bench): Promise<RowOutcome> {
  const { residentContexts, residentContextBytes, translationCacheEntries } = srnicConstants();
  const chipBytes = residentContexts * residentContextBytes + translationCacheEntries * TRANSLATION_BYTES;
  const simulated: Record<string, number> = {};
  const map = new Map<string, number[]>();
  for (const qps of CONNECTIONS)
    for (const [name, mrBytes] of Object.entries(REGIONS)) {
      const workload = `${qps} QPs, ${name}`;
      const rates: number[] = [];
      for (const contexts of CONTEXTS) {
        const entries = Math.floor((chipBytes - contexts * residentContextBytes) / TRANSLATION_BYTES);
        const { total } = await bench.measure(
          ON,
          { ...ANYWHERE, transport: 'UC', sizes: [64], qps, mrBytes, outstanding: 2, sendQueueDepth: 4 },
          {
            changes: {
              ...SPILLING,
              'device.contextCacheEntries': contexts,
              'device.translationCacheEntries': entries,
            },
          },
        );
        rates.push(millions(total));
        simulated[`${workload}, ${contexts} contexts`] = figures(rates[rates.length - 1]);
      }
      map.set(workload, rates);
    }
  const gain = (workload: string) => {
    const rates = map.get(workload)!;
    return rates[rates.length - 1] / rates[0];
  };
  return conclude(simulated, [
    must(
      gain('10000 QPs, 100 MB') > 1 + FLAT,
      'many connections on little memory gain nothing from contexts on chip',
    ),
    must(
      gain('1000 QPs, 4 GB') < 1 - FLAT,
      'few connections on much memory gain nothing from translations on chip',
    ),
  ]);
}
