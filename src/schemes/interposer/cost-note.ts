import type { InterposerCost } from '../scheme.js';

/** What an interposer cost, in a line: a message's share of each. */
export function costNote(
  scheme: string,
  { messages, workRequests, pcieBytes, cpuNs }: InterposerCost,
): string {
  const each = (value: number) => (messages === 0 ? 0 : Number((value / messages).toPrecision(3)));
  const extra = each(Math.max(0, workRequests - messages));
  return `${scheme} cost a message ${extra} extra work requests, ${each(pcieBytes)} B over PCIe and ${each(cpuNs)} ns of processor time (${messages} messages)`;
}
