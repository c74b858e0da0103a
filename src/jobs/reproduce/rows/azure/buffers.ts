import {
  AZURE_LISTING,
  HEADROOM_DEFAULTS,
  headroomOf,
  SonicBuffer,
} from '../../../../models/fabric/index.js';
import { conclude, figures, must } from '../../check.js';
import type { RowOutcome } from '../../row.js';
import { LINE_GBPS } from './fabric.js';

/** A switch alone: 64 ports, control, a lossless and a lossy class. */
const PORTS = 64;
const FRAME = 1040;
const [LOSSLESS, LOSSY] = [1, 2];
const queue = (port: number, lane: number) => (port << 2) | lane;

function listing(changes: Partial<typeof AZURE_LISTING> = {}): SonicBuffer {
  const ports = {
    count: PORTS,
    queueShift: 2,
    hostPorts: 0,
    node: new Int32Array(PORTS),
    rateBps: new Float64Array(PORTS).fill(LINE_GBPS * 1e9),
    delayNs: new Int32Array(PORTS).fill(500),
  };
  return new SonicBuffer(ports, 1, [0, 3, 1], { ...AZURE_LISTING, ...changes });
}

/** Appendix A's listing: where a class is paused and where it drops. */
export async function appendixA(): Promise<RowOutcome> {
  const lossless = listing();
  let pausePoint = 0;
  for (; !lossless.pauses(queue(0, LOSSLESS)); pausePoint += FRAME)
    lossless.admit(queue(0, LOSSLESS), queue(1, LOSSLESS), FRAME);
  const lossy = listing();
  let dropPoint = 0;
  while (lossy.admit(queue(0, LOSSY), queue(1, LOSSY), FRAME)) dropPoint += FRAME;
  let headroom = 0;
  while (lossless.admit(queue(0, LOSSLESS), queue(1, LOSSLESS), FRAME)) headroom += FRAME;
  const expectedPause = (18e6 - PORTS * 1248 + 1248) / 9;
  return conclude({ pause: pausePoint, drop: dropPoint, headroom: headroom + FRAME }, [
    must(
      Math.abs(pausePoint - expectedPause) <= 2 * FRAME,
      `the pause point is not ${Math.round(expectedPause)}`,
    ),
    must(Math.abs(dropPoint - 14e6 / 3) <= FRAME, 'a lossy queue is not dropped at a third of its pool'),
    must(Math.abs(headroom + FRAME - 96_928) <= FRAME, 'the headroom of a queue is not its xoff'),
  ]);
}

/** Pause points of several congested queues, against the formula of dynamic thresholds. */
export async function pausePoints(): Promise<RowOutcome> {
  const off: number[] = [];
  for (const n of [1, 2, 4, 8, 16, 32, 64]) {
    const buffer = listing();
    let sent = 0;
    const paused = new Set<number>();
    for (; paused.size < n; sent += FRAME)
      for (let port = 0; port < n; port++) {
        if (paused.has(port)) continue;
        buffer.admit(queue(port, LOSSLESS), queue(63, LOSSLESS), FRAME);
        if (buffer.pauses(queue(port, LOSSLESS))) paused.add(port);
      }
    off.push(Math.abs(sent - FRAME - (18e6 - PORTS * 1248 + 1248 * n) / (8 + n)));
    const lossy = listing();
    let held = 0;
    while (
      Array.from({ length: n }, (_, port) => lossy.admit(queue(0, LOSSY), queue(port, LOSSY), FRAME)).every(
        Boolean,
      )
    )
      held += FRAME;
    off.push(Math.abs(held - 14e6 / (2 + n)));
  }
  const most = Math.max(...off);
  return conclude({ 'largest distance from the formula': figures(most) }, [
    must(most <= FRAME, 'further than a frame from the formula'),
  ]);
}

/** Headroom that ports share instead of each having its own. */
export async function headroomPool(): Promise<RowOutcome> {
  const buffer = listing({ ingressPoolBytes: PORTS * 1248 });
  const cell = AZURE_LISTING.cellBytes;
  let full = 0;
  let most = 0;
  for (let port = 0; port < PORTS; port++) {
    let taken = 0;
    while (buffer.admit(queue(port, LOSSLESS), queue(63, LOSSLESS), cell)) taken += cell;
    most = Math.max(most, taken - 1248);
    if (taken - 1248 === AZURE_LISTING.lossless.xoffBytes) full++;
  }
  return conclude({ 'queues in full': full, 'most of a queue': most }, [
    must(full === 61, 'not 61 queues have all of their headroom'),
    must(most === 96_928, 'a queue has more or less than 96,928 bytes'),
  ]);
}

/** What the ports of a chassis need as headroom for long cables. */
export async function chassis(): Promise<RowOutcome> {
  const wanted = (ports: number, metres: number) => {
    const { cableBytes, xoffBytes } = headroomOf({ ...HEADROOM_DEFAULTS, gbps: 100, metres })!;
    return { cable: (2 * ports * cableBytes) / 1e9, xoff: (2 * ports * xoffBytes) / 1e9 };
  };
  const typical = wanted(200, 80_000);
  const least = wanted(100, 20_000);
  return conclude(
    {
      '200 ports, 80 km': figures(typical.cable),
      'as xoff': figures(typical.xoff),
      '100 ports, 20 km': figures(least.cable),
    },
    [must(typical.cable > 1 && typical.xoff < 10, 'not several GB')],
  );
}
