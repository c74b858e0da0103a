import {
  type Fabric,
  type Generation,
  notifyNsOf,
  PUBLISHED_DCQCN,
  presetNic,
  reactionOf,
} from '../../../../models/fabric/index.js';
import type { Bench } from '../../bench.js';
import { conclude, figures, must } from '../../check.js';
import type { RowOutcome } from '../../row.js';
import { azureFabric, flow, markingOf, rack, SPARSE } from './fabric.js';

/** A4's load between two generations. */
function between(sender: Generation, receiver: Generation, seed: number): Fabric {
  const flows = [1, 2, 3, 4].map((source) => flow(source, 0, 10_000_000));
  const topology = rack(5);
  const nic = {
    ...presetNic('dcqcn', { nicBps: 40e9, payloadBytes: 1024 }),
    notifyNs: notifyNsOf(receiver),
  };
  const fabric = azureFabric(topology, flows, seed, {
    nic,
    control: reactionOf(PUBLISHED_DCQCN, sender),
    marking: markingOf(topology, SPARSE),
  });
  fabric.run(1e9);
  return fabric;
}

function totalGbps(fabric: Fabric): number {
  const bytes = fabric.flows.sizeBytes.reduce((sum, each) => sum + each, 0);
  return (bytes * 8) / Math.max(...fabric.flows.endNs);
}

/** A4: a Gen1 sender that is told of every mark. */
export async function mixedGenerations({ seed }: Bench): Promise<RowOutcome> {
  const [own, mixed, fixed] = (['gen1', 'gen2', 'gen2-fixed'] as const).map((receiver) =>
    totalGbps(between('gen1', receiver, seed)),
  );
  return conclude({ gen1: figures(own), mixed: figures(mixed), fixed: figures(fixed) }, [
    must(mixed < 0.9 * own, 'a Gen1 sender is not slowed by a notification per mark'),
    must(fixed > 0.95 * own, 'it does not recover with coalescing at the receiver'),
  ]);
}

/** A25: how often marks are reported, as shipped and with the fix. */
export async function notifications({ seed }: Bench): Promise<RowOutcome> {
  const mixed = between('gen1', 'gen2', seed).totals;
  const fixed = between('gen1', 'gen2-fixed', seed);
  const intervals = Math.max(...fixed.flows.endNs) / notifyNsOf('gen2-fixed') + 1;
  const each = mixed.notifications / mixed.markedPackets;
  const perInterval = fixed.totals.notifications / (4 * intervals);
  return conclude({ 'per mark': figures(each), 'fixed, per flow and interval': figures(perInterval) }, [
    must(each === 1, 'not every mark is reported'),
    must(perInterval <= 1, 'more than one per flow and interval'),
  ]);
}
