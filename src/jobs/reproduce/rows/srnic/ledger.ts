import { type Changes, changeSubsystem, type Readings, runCompareTask } from '../../../compare/index.js';
import { several, single } from '../../check.js';
import { type RowOutcome, type Row, rowsOf } from '../../row.js';
import { srnicTargets } from '../../targets/srnic.js';
import type { Target } from '../../targets/target.js';
import { ON } from './connections.js';
import { SRNIC, srnicConstants } from './device.js';

const CONNECTIONS = 10_000;
const MB = 2 ** 20;
/** §3.2: 4 GB registered, in pages of 4 KB of 8 B each. */
const REGIONS_BYTES = 4 * 2 ** 30;
const PAGE_BYTES = 4096;
const TRANSLATION_BYTES = 8;
/** §3.2: 100 Gb/s and 40 us are 500 packets of 1 KB; five bitmaps, and 24 B for each outstanding request. */
const WINDOW_PACKETS = 500;
const PACKET_BYTES = 1024;
const BITMAPS = 5;
const REQUEST_BYTES = 24;
/** §3.2: eight WQEs of 64 B in each of two caches. */
const WQE_BYTES = 64;
const CACHED_WQES = 8;
/** §6.1: 256 QPs on the 2 MB of a ConnectX-5. */
const CONNECTX_5 = { qps: 256, megabytes: 2 };

/** Of S10, S18 and S19. */
const ENCODED = "the size of each structure is a constant of the device, from the paper's tables";

/** SRNIC's rows about memory. */
export const srnicLedgerRows: readonly Row[] = rowsOf('SRNIC', srnicTargets, {
  S10: {
    facts: ['from the ledger of the simulated device; QPC as 210 B a QP, the total as built'],
    encoded: ENCODED,
    run: (_, target) => onChip(target),
  },
  S17: {
    unit: 'ratio',
    facts: ["10,000 QPs on the simulated device's chip, over 256 on 2 MB (§6.1)"],
    run: async (_, target) => {
      const { chipBytes } = await ledger();
      const own = CONNECTIONS / (chipBytes! / MB);
      return single(target, own / (CONNECTX_5.qps / CONNECTX_5.megabytes));
    },
  },
  S18: {
    facts: ['size rules of §3.2 with the constants of the simulated device'],
    encoded: ENCODED,
    run: conceptual,
  },
  S19: {
    facts: ['from the ledger of the simulated device'],
    encoded: ENCODED,
    run: (_, target) => asBuilt(target),
  },
});

/** Memory on the chip of a device that each queue pair adds. */
export async function bytesAQueuePair(device: Changes): Promise<number> {
  const [one, more] = [await ledger(device, 1), await ledger(device, CONNECTIONS + 1)];
  return (more['chipBytes']! - one['chipBytes']!) / CONNECTIONS;
}

/** A simulated device's memory. */
export async function ledger(device = SRNIC, connections = CONNECTIONS): Promise<Readings> {
  const on = changeSubsystem(ON, device);
  const answer = await runCompareTask({
    ...{ job: 'compare', kind: 'memory', on, connections, regionsBytes: REGIONS_BYTES },
  });
  if (answer === null || !('readings' in answer)) throw new Error('there is no ledger');
  return answer.readings;
}

/** Megabytes of structures on the chip. */
function megabytes(readings: Readings, ...structures: string[]): number {
  return structures.reduce((sum, each) => sum + (readings[`chip: ${each}`] ?? 0), 0) / MB;
}

async function onChip(target: Target): Promise<RowOutcome> {
  const readings = await ledger();
  return several(target, {
    QPC: (CONNECTIONS * contextBytes()) / MB,
    'MTT cache': megabytes(readings, 'translation cache'),
    'receive buffer': megabytes(readings, 'receive buffer'),
    total: readings['chipBytes']! / MB,
  });
}

async function asBuilt(target: Target): Promise<RowOutcome> {
  const readings = await ledger();
  const chip = readings['chipBytes']! / MB;
  const [contexts, cache, buffer] = ['contexts', 'translation cache', 'receive buffer'].map((each) =>
    megabytes(readings, each),
  );
  return several(target, {
    QPC: contexts,
    'MTT cache': cache,
    'receive buffer': buffer,
    scheduler: chip - contexts - cache - buffer,
  });
}

function contextBytes(): number {
  return srnicConstants()['residentContextBytes'];
}

async function conceptual(_: unknown, target: Target): Promise<RowOutcome> {
  const each = (bytes: number) => (CONNECTIONS * bytes) / MB;
  return several(target, {
    'receive buffer': srnicConstants()['receiveBufferBytes'] / MB,
    QPC: each(contextBytes()),
    MTT: ((REGIONS_BYTES / PAGE_BYTES) * TRANSLATION_BYTES) / MB,
    'WQE caches': each(2 * CACHED_WQES * WQE_BYTES),
    bitmaps: each((BITMAPS * WINDOW_PACKETS) / 8),
    'reordering buffer': each(WINDOW_PACKETS * PACKET_BYTES),
    'outstanding requests': each(WINDOW_PACKETS * REQUEST_BYTES),
  });
}
