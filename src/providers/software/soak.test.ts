import { describe, expect, it } from 'vitest';
import { loopbackAddress } from './loopback-address.js';
import { SoftwareProvider } from './provider.js';
import { memoryUse, soakConnections, soakTransfer } from './testing/soak.js';

const KIB = 1024;

// Goal: memory stays flat. Method: a small part of `npm run soak:software`, after as much again to warm up; what is left
// after a full collection may differ by what engines and test runners keep for themselves.
describe('memory of software devices', () => {
  it('stays flat over transfers and connections', async () => {
    const provider = new SoftwareProvider();
    const [left, right] = [await provider.open(loopbackAddress(1)), await provider.open(loopbackAddress(2))];
    await soakTransfer(left, right, 8e6);
    await soakConnections(left, right, 150);
    const before = memoryUse();
    expect(await soakTransfer(left, right, 32e6)).toBeGreaterThanOrEqual(32e6);
    await soakConnections(left, right, 300);
    const after = memoryUse();
    await Promise.all([left.close(), right.close()]);
    expect(after.heapBytes - before.heapBytes).toBeLessThan(1024 * KIB);
    expect(after.bufferBytes - before.bufferBytes).toBeLessThan(256 * KIB);
  });
});
