import type { Checker } from '../../../engine/checker.js';
import type { Fabric } from './fabric.js';

/**
 * Checks a fabric in which nothing is under way any more: every packet arrived, was dropped or was lost; buffers and
 * queues are empty; no port is paused, and every resume followed a pause.
 */
export function checkSettled(fabric: Fabric, checker: Checker): void {
  const { records, policy, ports, nics, switches, loss } = fabric;
  const zero = (value: number, name: string) => checker.check(value === 0, name, 'left', value, 0);
  zero(records.inUse, 'no record is left');
  zero(policy.heldBytes(), 'buffers are empty');
  zero(
    ports.queuedBytes.reduce((sum, each) => sum + each, 0),
    'queues are empty',
  );
  const { sentPackets, sentBytes } = nics.sender;
  const { deliveredPackets, discardedPackets, deliveredBytes, discardedBytes } = nics.receiver;
  const lostPackets = switches.droppedData + (loss?.lostData ?? 0);
  const lostBytes = switches.droppedDataBytes + (loss?.lostDataBytes ?? 0);
  const arrived = deliveredPackets + discardedPackets + lostPackets;
  checker.check(arrived === sentPackets, 'packets are conserved', 'packets', arrived, sentPackets);
  const arrivedBytes = deliveredBytes + discardedBytes + lostBytes;
  checker.check(arrivedBytes === sentBytes, 'bytes are conserved', 'bytes', arrivedBytes, sentBytes);
  if (loss !== null) return;
  zero(policy.pausedQueues(), 'no pause is outstanding');
  zero(
    ports.paused.reduce((sum, each) => sum + each, 0),
    'no port is paused',
  );
  zero(fabric.unpairedResumes, 'pauses and resumes pair up');
  const { pauseFrames, resumeFrames } = switches;
  checker.check(
    pauseFrames === resumeFrames,
    'as many resumes as pauses',
    'resumes',
    resumeFrames,
    pauseFrames,
  );
}
