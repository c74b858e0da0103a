import type { InterposerCost } from '../scheme.js';

/** What an interposer cost, in a line: a message's share of each, and parts of a core. */
export function costNote(scheme: string, cost: InterposerCost): string {
  const { messages, workRequests, pcieBytes, cpuNs, insideShare, threadShare } = cost;
  const each = (value: number) => (messages === 0 ? 0 : Number((value / messages).toPrecision(3)));
  const percent = (share: number) => Number((100 * share).toPrecision(3));
  const extra = each(Math.max(0, workRequests - messages));
  return (
    `${scheme} cost a message ${extra} extra work requests, ${each(pcieBytes)} B over PCIe and ${each(cpuNs)} ns of processor time (${messages} messages); ` +
    `of one core ${percent(insideShare)} % inside tenants' calls (all tenants together) and ${percent(threadShare)} % for its own threads, on the busiest host`
  );
}
