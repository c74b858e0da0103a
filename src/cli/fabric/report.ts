import {
  type CompletionReport,
  completionReport,
  type Fabric,
  type Percentiles,
} from '../../models/fabric/index.js';
import { formatTable } from '../terminal.js';

/** What a run of a fabric came to: the answer of `--json`. */
export interface FabricAnswer extends CompletionReport {
  readonly partial: boolean;
  readonly simulatedNs: number;
  readonly events: number;
  /** Frames that crossed a link. */
  readonly packetHops: number;
  readonly dataPackets: number;
  readonly drops: number;
  readonly lost: number;
  readonly pauseFrames: number;
  readonly resumeFrames: number;
  readonly marks: number;
}

/** Reads the answer off a fabric. */
export function answerOf(fabric: Fabric, partial: boolean): FabricAnswer {
  return {
    partial,
    ...completionReport(fabric),
    simulatedNs: fabric.nowNs,
    events: fabric.events,
    packetHops: fabric.wire.hops,
    dataPackets: fabric.nics.sender.sentPackets,
    drops: fabric.switches.drops,
    lost: fabric.loss?.lost ?? 0,
    pauseFrames: fabric.switches.pauseFrames,
    resumeFrames: fabric.switches.resumeFrames,
    marks: fabric.switches.marks,
  };
}

/** The answer as text. */
export function formatAnswer(answer: FabricAnswer): string {
  const lines = [
    `${answer.finished} of ${answer.flows} flows done, ${answer.dataPackets} data packets, ${answer.packetHops} packet-hops`,
    `${answer.drops} dropped, ${answer.lost} lost on links, ${answer.pauseFrames} pauses, ${answer.resumeFrames} resumes, ${answer.marks} marks`,
  ];
  if (answer.partial) lines.push('interrupted: this is what there was so far');
  if (answer.completionNs === null || answer.slowdown === null) return `${lines.join('\n')}\n`;
  const { mean, max } = answer.completionNs;
  lines.push(`completion time: mean ${micro(mean)} us, longest ${micro(max)} us`);
  const rows = [
    ['bytes', 'flows', 'slowdown p50', 'p95', 'p99', 'max'],
    ...answer.bySize.map(({ fromBytes, toBytes, slowdown }) => [
      `${fromBytes} to ${toBytes}`,
      ...cells(slowdown),
    ]),
    ['all', ...cells(answer.slowdown)],
  ];
  return `${lines.join('\n')}\n\n${formatTable(rows, [1, 2, 3, 4, 5])}`;
}

function cells({ count, p50, p95, p99, max }: Percentiles): string[] {
  return [String(count), ...[p50, p95, p99, max].map((value) => (value === null ? '-' : value.toFixed(2)))];
}

function micro(ns: number): string {
  return (ns / 1000).toFixed(3);
}
