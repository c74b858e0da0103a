import { type Fabric, leafSpine, type PauseStorm, SONIC_WATCHDOG } from '../../../../models/fabric/index.js';
import type { Bench } from '../../bench.js';
import { conclude, figures, must } from '../../check.js';
import type { RowOutcome } from '../../row.js';
import { azureFabric, azureNic, flow, LINE_GBPS, MS, streams, WRITE_BYTES } from './fabric.js';

const SMALL = leafSpine({
  leaves: 2,
  spines: 1,
  hostsPerLeaf: 3,
  host: { gbps: LINE_GBPS, delayNs: 500 },
  fabric: { gbps: LINE_GBPS, delayNs: 500 },
});
/** Flows to the host that storms, and from another that shares the spine. */
const VICTIM = 2;

/** The host that storms. */
const ONE_SECOND: PauseStorm = { host: 0, trafficClass: 3, fromNs: 0, untilNs: 1000 * MS };

function stormy(seed: number, changes: Parameters<typeof azureFabric>[3]): Fabric {
  const flows = [flow(3, 0, 8_000_000), flow(4, 0, 8_000_000), flow(5, 1, 4_000_000, 5 * MS)];
  return azureFabric(SMALL, flows, seed, {
    pauses: { quanta: 65_535 },
    storms: [ONE_SECOND],
    ...changes,
  });
}

function heldSwitchPorts({ state: { ports } }: Fabric): number {
  let held = 0;
  for (let port = 0; port < ports.count; port++) if (ports.paused(port) !== 0) held++;
  return held;
}

/** A8: a storm spreads, and the watchdog ends it. */
export async function storm({ seed }: Bench): Promise<RowOutcome> {
  const without = stormy(seed, {});
  without.run(900 * MS);
  const spread = heldSwitchPorts(without);
  const guarded = stormy(seed, { watchdog: SONIC_WATCHDOG });
  guarded.run(900 * MS);
  const left = heldSwitchPorts(guarded);
  const firstMs = (guarded.watchdogEvents[0]?.timeNs ?? Number.NaN) / MS;
  const freed = guarded.flows.endNs[VICTIM] > 0;
  return conclude({ without: spread, with: left, 'found after ms': figures(firstMs) }, [
    must(spread > 1 && without.flows.endNs[VICTIM] < 0, 'the storm does not reach others'),
    must(left <= 1 && freed, 'it does not end at its switch'),
    must(firstMs >= 200 && firstMs <= 400, 'it is not found within hundreds of milliseconds'),
  ]);
}

/** Senders to the host that storms: what they send until it is found fits below the pause point of 2 MB. */
const STUCK = [3, 4];
const CHUNKS = 256;
/** InfiniBand's local acknowledgement timeout 14, which perftest and most applications set: 4.096 us times 2^14. */
const ACK_TIMEOUT_NS = 67_108_864;
/** How often the other pair sends a message, for as long as anything happens. */
const OTHER_MESSAGES = 2000;
const OTHER_PERIOD_NS = 1 * MS;

/** Chunks to a host and messages of another pair that shares their spine; the host storms for a second, or never. */
function chunksBesideOthers(seed: number, storms: readonly PauseStorm[]) {
  const pairs = STUCK.map((source) => [source, 0] as const);
  const stuck = streams(pairs, WRITE_BYTES, CHUNKS);
  const other = Array.from({ length: OTHER_MESSAGES }, (_, index) =>
    flow(5, 1, WRITE_BYTES, index * OTHER_PERIOD_NS),
  );
  const fabric = stormy(seed, {
    watchdog: SONIC_WATCHDOG,
    flows: [...stuck, ...other],
    nic: { ...azureNic, recovery: { kind: 'go-back-n', timeoutNs: ACK_TIMEOUT_NS } },
    storms,
  });
  fabric.run(3000 * MS);
  const { endNs, startNs } = fabric.flows;
  return {
    fabric,
    allEnded: fabric.finished.length === stuck.length + other.length,
    /** Goodput of the chunks from a time on, in Gb/s. */
    rateFrom(fromNs: number): number {
      const ends = [...stuck.keys()].map((each) => endNs[each]).filter((each) => each > fromNs);
      return ((ends.length - 1) * WRITE_BYTES * 8) / (Math.max(...ends) - Math.min(...ends));
    },
    /** The longest message of the other pair: it waits for a timer if it loses. */
    longestUs:
      Math.max(...other.map((_, index) => endNs[stuck.length + index] - startNs[stuck.length + index])) /
      1000,
  };
}

/** When the watchdog finds a storm and when it gives the queue back, what it costs others, and how fast it goes on. */
export async function watchdog({ seed }: Bench): Promise<RowOutcome> {
  const quiet = chunksBesideOthers(seed, []);
  const stormed = chunksBesideOthers(seed, [ONE_SECOND]);
  const { plan } = stormed.fabric.state;
  const events = stormed.fabric.watchdogEvents;
  const own = events.filter(({ port }) => plan.peer[port] === plan.portBegin[0]);
  const found = (own[0]?.timeNs ?? Number.NaN) / MS;
  const restored = (own[1]?.timeNs ?? Number.NaN) / MS;
  const upstream = events.filter(
    ({ port, kind }) => kind === 'storm' && plan.peer[port] !== plan.portBegin[0],
  );
  const [usual, rate] = [quiet.rateFrom(0), stormed.rateFrom(restored * MS)];
  const greedy = stormy(seed, { watchdog: SONIC_WATCHDOG });
  greedy.run(3000 * MS);
  const spread = greedy.watchdogEvents.filter(
    ({ port, kind }) => kind === 'storm' && plan.peer[port] !== plan.portBegin[0],
  );
  return conclude(
    {
      found: figures(found),
      restored: figures(restored),
      'other queues in a storm': upstream.length,
      'other queues in a storm, senders that do not wait': spread.length,
      'longest message of others, us': figures(stormed.longestUs),
      'without the storm, us': figures(quiet.longestUs),
      'Gb/s after the restoration': figures(rate),
      'Gb/s without the storm': figures(usual),
    },
    [
      must(found >= 200 && found <= 400, 'detection is not within detect and detect + poll'),
      must(upstream.length === 0, 'watchdogs upstream see a storm'),
      must(
        spread.length === 0,
        'where senders do not wait, the pause has spread before the first watchdog looks: those upstream find a storm too, and drop what is for others',
      ),
      must(stormed.longestUs < 2 * quiet.longestUs, 'others lose'),
      must(stormed.allEnded, 'flows do not end after the restoration'),
      must(restored >= 1200 && restored <= 1600, 'it is not restored in time'),
      must(rate > 0.95 * usual, 'the rate is not full after the restoration'),
    ],
  );
}

/** A receiver that is slow, not gone: the watchdog fires only where nothing goes through. */
export async function slowReceiver({ seed }: Bench): Promise<RowOutcome> {
  const run = (heldNs: number) => {
    const flows = streams([[3, 0]], 100_000, 2000);
    const fabric = azureFabric(SMALL, flows, seed, {
      pauses: { quanta: 65_535 },
      storms: [{ host: 0, trafficClass: 3, fromNs: 0, untilNs: 1500 * MS, periodNs: 2 * MS, heldNs }],
      watchdog: SONIC_WATCHDOG,
    });
    fabric.run(1500 * MS);
    return fabric.watchdogEvents.filter(({ kind }) => kind === 'storm').length;
  };
  const [half, whole] = [run(MS), run(2 * MS)];
  return conclude({ 'half of the time': half, 'all the time': whole }, [
    must(half === 0, 'the watchdog fires though the queue moves'),
    must(whole > 0, 'it does not fire at 100 %'),
  ]);
}
