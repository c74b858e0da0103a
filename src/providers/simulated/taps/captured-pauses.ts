import type { Simulation } from '../../../engine/index.js';
import {
  emitPfc,
  MAXIMUM_PAUSE_QUANTA,
  PFC_BYTES,
  PFC_CLASSES,
  pauseQuantaToNs,
} from '../../../wire/index.js';
import type { PauseWatch } from '../world/fabric.js';
import type { CapturedPort } from './captured-port.js';

const PS_PER_NS = 1000;
/** Set in the address of whoever is at the other end of a cable: a switch's port has no address of its own. */
const OTHER_END = 0x01_00_00_00_00;

type Direction = 'inbound' | 'outbound';

/**
 * The pauses at a device's port as the frames that ask for them (802.1Qbb). The model holds a class until it resumes it;
 * on a wire a frame holds for its quanta at most, so that a long pause is asked for again before they are over.
 */
export class CapturedPauses implements PauseWatch {
  private readonly simulation: Simulation;
  private readonly port: CapturedPort;
  private readonly frame = new Uint8Array(PFC_BYTES);
  private readonly refreshPs: number;
  private readonly refreshHandler: number;
  /** Timers of the classes that are held, by direction. */
  private readonly refreshes: Readonly<Record<Direction, (number | null)[]>> = {
    inbound: new Array(PFC_CLASSES).fill(null),
    outbound: new Array(PFC_CLASSES).fill(null),
  };

  constructor(simulation: Simulation, port: CapturedPort, gbps: number) {
    this.simulation = simulation;
    this.port = port;
    this.refreshPs = Math.round((pauseQuantaToNs(MAXIMUM_PAUSE_QUANTA, gbps) / 2) * PS_PER_NS);
    this.refreshHandler = simulation.register(`${port.name}/captured pause`, (priority, outbound) =>
      this.hold(priority, outbound === 1 ? 'outbound' : 'inbound'),
    );
  }

  sent(priority: number, paused: boolean): void {
    this.tell(priority, paused, 'outbound');
  }

  received(priority: number, paused: boolean): void {
    this.tell(priority, paused, 'inbound');
  }

  private tell(priority: number, paused: boolean, direction: Direction): void {
    if (paused) return this.hold(priority, direction);
    const timer = this.refreshes[direction][priority];
    if (timer !== null) this.simulation.cancel(timer);
    this.refreshes[direction][priority] = null;
    this.record(priority, 0, direction);
  }

  private hold(priority: number, direction: Direction): void {
    this.record(priority, MAXIMUM_PAUSE_QUANTA, direction);
    const { simulation, port, refreshHandler } = this;
    this.refreshes[direction][priority] = port.isFull
      ? null
      : simulation.timer(
          simulation.now + this.refreshPs,
          refreshHandler,
          priority,
          direction === 'outbound' ? 1 : 0,
        );
  }

  private record(priority: number, quanta: number, direction: Direction): void {
    const { port, frame } = this;
    const source = direction === 'outbound' ? port.mac : port.mac + OTHER_END;
    const all = Array.from({ length: PFC_CLASSES }, (_, each) => (each === priority ? quanta : 0));
    emitPfc({ source, classEnable: 1 << priority, quanta: all }, frame, 0);
    port.passed(Math.floor(this.simulation.now / PS_PER_NS), frame, direction);
  }
}
