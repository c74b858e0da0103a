import { describe, expect, it } from 'vitest';
import { costNote } from './cost-note.js';

describe('the note of what a scheme cost', () => {
  it('gives a message its share of each, and parts of a core', () => {
    const cost = {
      messages: 4,
      workRequests: 12,
      pcieBytes: 512,
      cpuNs: 100,
      insideShare: 0.0362,
      threadShare: 0.5,
    };
    expect(costNote('perf', cost)).toBe(
      'perf cost a message 2 extra work requests, 128 B over PCIe and 25 ns of processor time (4 messages); ' +
        "of one core 3.62 % inside tenants' calls (all tenants together) and 50 % for its own threads, on the busiest host",
    );
  });

  it('has nothing to share where there were no messages', () => {
    const cost = { messages: 0, workRequests: 3, pcieBytes: 9, cpuNs: 9, insideShare: 0, threadShare: 0 };
    expect(costNote('perf', cost)).toContain('0 extra work requests, 0 B over PCIe and 0 ns');
  });
});
