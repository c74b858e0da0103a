import type { Checker } from '../../../engine/checker.js';
import type { Fabric } from './fabric.js';

/**
 * Checks a fabric in which nothing is under way any more: every packet arrived, was dropped or was lost; buffers and
 * queues are empty; no port is paused, and every resume followed a pause.
 */
export function checkSettled(fabric: Fabric, checker: Checker): void {
  const { policy, ports, loss } = fabric.state;
  const { totals } = fabric;
  const zero = (value: number, name: string) => checker.check(value === 0, name, 'left', value, 0);
  const sum = (column: Int32Array) => column.reduce((total, each) => total + each, 0);
  zero(totals.records, 'no record is left');
  zero(policy.heldBytes(), 'buffers are empty');
  zero(sum(ports.queuedBytes), 'queues are empty');
  const packets = totals.deliveredPackets + totals.discardedPackets + totals.droppedData + totals.lostData;
  checker.check(
    packets === totals.sentPackets,
    'packets are conserved',
    'packets',
    packets,
    totals.sentPackets,
  );
  const bytes =
    totals.deliveredBytes + totals.discardedBytes + totals.droppedDataBytes + totals.lostDataBytes;
  checker.check(bytes === totals.sentBytes, 'bytes are conserved', 'bytes', bytes, totals.sentBytes);
  const { linkChanges = [], storms = [], pauses } = fabric.spec;
  // Pauses and resumes that were lost on the way have no partner, nor have those of a NIC that storms.
  if (loss !== null || linkChanges.length > 0 || storms.length > 0) return;
  zero(policy.pausedQueues(), 'no pause is outstanding');
  zero(sum(ports.status), 'no port is busy, paused or has packets waiting');
  zero(totals.unpairedResumes, 'pauses and resumes pair up');
  // A pause that runs out is repeated.
  if (pauses !== undefined) return;
  const { pauseFrames, resumeFrames } = totals;
  checker.check(
    pauseFrames === resumeFrames,
    'as many resumes as pauses',
    'resumes',
    resumeFrames,
    pauseFrames,
  );
}
