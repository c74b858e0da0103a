import { describe, expect, it } from 'vitest';
import { MemoryChannels } from './memory-channels.js';

describe('memory channels', () => {
  it('see no DMA while what is registered fits into the cache', () => {
    const memory = new MemoryChannels(100, 1000);
    memory.register(1000);
    expect([memory.waitPs(0, 64), memory.waitPs(0, 64), memory.bytes]).toEqual([0, 0, 0]);
  });

  it('see the share that does not fit', () => {
    const memory = new MemoryChannels(100, 1000);
    memory.register(4000);
    expect(memory.dramShare).toBe(0.75);
    memory.waitPs(0, 1000);
    expect(memory.bytes).toBe(750);
    memory.register(-3000);
    expect(memory.dramShare).toBe(0);
  });

  it('see all DMA without DDIO, and make it wait when there is too much of it', () => {
    const memory = new MemoryChannels(80, 0);
    expect(memory.dramShare).toBe(1);
    memory.register(10);
    expect(memory.waitPs(0, 1000)).toBe(0);
    // 1000 B at 80 Gb/s are 100 ns.
    expect(memory.waitPs(0, 1000)).toBe(100_000);
    expect(memory.waitPs(150_000, 1000)).toBe(50_000);
    expect(memory.bytes).toBe(3000);
  });
});
