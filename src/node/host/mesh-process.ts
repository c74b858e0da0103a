import { MeshEnd, type MeshProbeOptions } from '../../jobs/ping/index.js';
import { FaultPlan, faults, type Link, withMiddlewares } from '../../link/index.js';
import { SoftwareProvider, scheduleTimeout } from '../../providers/software/index.js';
import type { ProcessFault } from './process-fault.js';

/** What the process that started this one tells it first. */
interface MeshOrder {
  readonly address: string;
  readonly probes: MeshProbeOptions;
  readonly faults: readonly ProcessFault[];
}

/** Whom it is told to probe; the answer has the same number. */
interface MeshProbe {
  readonly to: string;
  readonly id: number;
}

const BUSY_PERIOD_MS = 20;

/**
 * One of the processes of a mesh, a program of its own: opens a device at an address, says so, and probes whom it is told
 * to, until its parent goes.
 */
function runMeshProcess(): void {
  const send = (message: object) => process.send?.(message);
  process.once('disconnect', () => process.exit());
  let end: MeshEnd | null = null;
  process.on('message', (message: MeshOrder | MeshProbe | { readonly leave: string }) => {
    if ('address' in message) {
      open(message).then(
        (opened) => {
          end = opened;
          send({ ready: true });
        },
        (error: Error) => send({ ready: false, why: error.message }),
      );
    } else if ('leave' in message) void end?.leave(message.leave).catch(() => {});
    else void end?.probe(message.to).then((times) => send({ id: message.id, times }));
  });
  send({ listening: true });
}

async function open({ address, probes, faults: wrong }: MeshOrder): Promise<MeshEnd> {
  const severity = (kind: ProcessFault['kind']) => wrong.find((each) => each.kind === kind)?.severity;
  const busy = severity('busy');
  if (busy !== undefined) setInterval(() => block(busy * BUSY_PERIOD_MS), BUSY_PERIOD_MS).unref();
  const delayMs = severity('delay');
  const loss = severity('loss');
  const rules =
    delayMs === undefined ? [] : [{ action: 'delay', direction: 'sent', delayNs: delayMs * 1e6 } as const];
  const plan = new FaultPlan({ rules, ...(loss === undefined ? {} : { rates: { loss } }) });
  const wrapLink = (link: Link) => withMiddlewares(link, [faults(plan, scheduleTimeout)]);
  const provider = new SoftwareProvider(rules.length > 0 || loss !== undefined ? { wrapLink } : {});
  return new MeshEnd(await provider.open(address), probes);
}

/** Keeps the event loop from everything else, as a program that computes in it does. */
function block(milliseconds: number): void {
  const until = performance.now() + milliseconds;
  while (performance.now() < until);
}

runMeshProcess();
