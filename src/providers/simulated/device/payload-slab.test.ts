import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NO_REFERENCE } from '../../../transport/index.js';
import { PayloadSlab } from './payload-slab.js';

describe('the payload slab', () => {
  it('gives slots that do not overlap, and takes them back', () => {
    fc.assert(
      fc.property(fc.array(fc.boolean(), { maxLength: 400 }), (steps) => {
        const slab = new PayloadSlab();
        const held: number[] = [];
        for (const take of steps) {
          if (take) {
            const slot = slab.take();
            expect(held).not.toContain(slot);
            slab.bytes.fill(slot & 0xff, slab.at(slot), slab.at(slot) + 4096);
            held.push(slot);
          } else slab.release(held.pop() ?? NO_REFERENCE);
          expect(slab.inUse).toBe(held.length);
        }
        for (const slot of held) {
          expect(slab.bytes[slab.at(slot)]).toBe(slot & 0xff);
          expect(slab.bytes[slab.at(slot) + 4095]).toBe(slot & 0xff);
        }
      }),
      { numRuns: 30 },
    );
  });
});
