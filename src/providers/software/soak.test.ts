import { describe, expect, it } from 'vitest';
import { loopbackAddress } from './loopback-address.js';
import { SoftwareProvider } from './provider.js';
import { memoryUse, soakConnections, soakTransfer } from './testing/soak.js';

const KIB = 1024;
const BYTES = 24e6;
const CONNECTIONS = 900;

// Goal: memory stays flat. Method: a small part of `npm run soak:software`, after as much again to warm up, so that what is
// compiled is compiled; what is left after a full collection may differ by what engines and test runners keep.
describe('memory of software devices', () => {
  it('stays flat over transfers and connections', async () => {
    const provider = new SoftwareProvider();
    const [left, right] = [await provider.open(loopbackAddress(1)), await provider.open(loopbackAddress(2))];
    const soak = async () => {
      expect(await soakTransfer(left, right, BYTES)).toBeGreaterThanOrEqual(BYTES);
      await soakConnections(left, right, CONNECTIONS);
      return memoryUse();
    };
    const before = await soak();
    const after = await soak();
    await Promise.all([left.close(), right.close()]);
    expect(after.heapBytes - before.heapBytes).toBeLessThan(1024 * KIB);
    expect(after.bufferBytes - before.bufferBytes).toBeLessThan(256 * KIB);
  });
});
