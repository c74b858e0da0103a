import { Checker } from '../../../engine/index.js';
import { PRIORITIES } from '../../../models/index.js';
import type { World } from '../world/world.js';

/** Longer than any timer that a test sets. */
const LONG_PS = 1e12;

/**
 * Lets everything in a world come to its end and checks that nothing was lost or made on the way: every packet and
 * payload was freed, every buffer is empty, every pause was taken back. Programs must have stopped posting. Returns how
 * many checks held.
 */
export function checkDrained(world: World): number {
  world.time.advance(world.simulation.now + LONG_PS);
  const checker = new Checker();
  const none = (name: string, given: number) => checker.check(given === 0, name, name, given, 0);
  none('packets in use', world.packets.inUse);
  none('payloads in use', world.payloads.inUse);
  for (const { name, nic } of world.devices) {
    none(`bytes in the receive buffer of ${name}`, nic.port.buffer.occupancyBytes);
    none(`messages of ${name} that wait for a receive`, nic.receivePath.waitingMessages);
  }
  for (const { name, occupancyBytes } of world.switches) none(`bytes in ${name}`, occupancyBytes);
  for (const port of world.egressPorts) {
    for (let priority = 0; priority < PRIORITIES; priority++) {
      none(`bytes queued at ${port.name}`, port.queuedBytesOf(priority));
      none(`classes of ${port.name} that are paused`, port.isPaused(priority) ? 1 : 0);
    }
  }
  return checker.passed;
}
