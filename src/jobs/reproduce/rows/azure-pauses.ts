import { type Fabric, leafSpine, SONIC_WATCHDOG } from '../../../models/fabric/index.js';
import type { Bench } from '../bench.js';
import { conclude, figures, must } from '../check.js';
import type { Finding } from '../row.js';
import { azureFabric, flow, LINE_GBPS, MS, streams } from './azure-fabric.js';

const SMALL = leafSpine({
  leaves: 2,
  spines: 1,
  hostsPerLeaf: 3,
  host: { gbps: LINE_GBPS, delayNs: 500 },
  fabric: { gbps: LINE_GBPS, delayNs: 500 },
});
/** Flows to the host that storms, and from another that shares the spine. */
const VICTIM = 2;

function stormy(seed: number, changes: Parameters<typeof azureFabric>[3]): Fabric {
  const flows = [flow(3, 0, 8_000_000), flow(4, 0, 8_000_000), flow(5, 1, 4_000_000, 5 * MS)];
  return azureFabric(SMALL, flows, seed, {
    pauses: { quanta: 65_535 },
    storms: [{ host: 0, trafficClass: 3, fromNs: 0, untilNs: 1000 * MS }],
    ...changes,
  });
}

function heldSwitchPorts({ state: { ports } }: Fabric): number {
  let held = 0;
  for (let port = 0; port < ports.count; port++) if (ports.paused(port) !== 0) held++;
  return held;
}

/** A8: a storm spreads, and the watchdog ends it. */
export async function storm({ seed }: Bench): Promise<Finding> {
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

/** When the watchdog finds a storm and when it gives the queue back, and who else sees the storm. */
export async function watchdog({ seed }: Bench): Promise<Finding> {
  const fabric = stormy(seed, { watchdog: SONIC_WATCHDOG });
  const { plan } = fabric.state;
  fabric.run(3000 * MS);
  const own = fabric.watchdogEvents.filter(({ port }) => plan.peer[port] === plan.portBegin[0]);
  const found = (own[0]?.timeNs ?? Number.NaN) / MS;
  const restored = (own[1]?.timeNs ?? Number.NaN) / MS;
  const upstream = fabric.watchdogEvents.filter(
    ({ port, kind }) => kind === 'storm' && plan.peer[port] !== plan.portBegin[0],
  );
  return conclude(
    { found: figures(found), restored: figures(restored), 'other queues in a storm': upstream.length },
    [
      must(found >= 200 && found <= 400, 'detection is not within detect and detect + poll'),
      must(
        upstream.length === 0,
        'watchdogs upstream see the pause that spread before the first of them looks, and drop too',
      ),
      must(fabric.finished.length === 3, 'flows do not end after the restoration'),
      must(restored >= 1200 && restored <= 1600, 'it is not restored in time'),
    ],
  );
}

/** A receiver that is slow, not gone: the watchdog fires only where nothing goes through. */
export async function slowReceiver({ seed }: Bench): Promise<Finding> {
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
