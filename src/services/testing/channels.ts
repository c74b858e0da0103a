import type { ByteChannel } from '../perftest/byte-channel.js';

/** Two ends of a stream in memory. */
export function channels(): [ByteChannel, ByteChannel] {
  const buffers: number[][] = [[], []];
  const waiting: (() => void)[][] = [[], []];
  let closed = false;
  let tellClosed: () => void = () => {};
  const gone = new Promise<void>((resolve) => {
    tellClosed = resolve;
  });
  const end = (side: number): ByteChannel => ({
    async read(bytes) {
      while (buffers[side].length < bytes) {
        if (closed) throw new Error('the peer hung up');
        await new Promise<void>((resolve) => waiting[side].push(resolve));
      }
      return Uint8Array.from(buffers[side].splice(0, bytes));
    },
    async write(bytes) {
      buffers[1 - side].push(...bytes);
      for (const wake of waiting[1 - side].splice(0)) wake();
    },
    hungUp: () => gone,
    async close() {
      closed = true;
      tellClosed();
      for (const wake of waiting.flat()) wake();
    },
  });
  return [end(0), end(1)];
}
