/** What some engines have beside the timers of all. */
const { setImmediate, MessageChannel } = globalThis as unknown as {
  setImmediate?: (callback: () => void) => unknown;
  MessageChannel?: new () => {
    port1: { onmessage: unknown; ref?(): void; unref?(): void };
    port2: { postMessage(value: unknown): void };
  };
};

/** Who waits for a turn, in order. */
const waiting: (() => void)[] = [];
/**
 * Turns in a browser. One channel for all of them: Firefox may collect a channel that nobody holds before its message
 * arrives, and whoever waited would wait forever.
 */
let channel: InstanceType<NonNullable<typeof MessageChannel>> | null = null;

/**
 * Lets the event loop have its turn. Virtual time never waits: without this a signal would not be heard, nor a page drawn,
 * before a simulation has ended.
 */
export function eventTurn(): Promise<void> {
  return new Promise((resolve) => {
    if (setImmediate !== undefined) setImmediate(resolve);
    else if (MessageChannel !== undefined) {
      // A timer of a browser waits four milliseconds when it is set again and again; a message does not.
      if (channel === null) {
        channel = new MessageChannel();
        const { port1 } = channel;
        port1.onmessage = () => {
          waiting.shift()?.();
          // Where threads end by themselves, an open channel that nobody waits at keeps none from it.
          if (waiting.length === 0) port1.unref?.();
        };
      }
      channel.port1.ref?.();
      waiting.push(resolve);
      channel.port2.postMessage(null);
    } else setTimeout(resolve, 0);
  });
}
