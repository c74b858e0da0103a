/** What some engines have beside the timers of all. */
const { setImmediate, MessageChannel } = globalThis as unknown as {
  setImmediate?: (callback: () => void) => unknown;
  MessageChannel?: new () => {
    port1: { onmessage: unknown; close?(): void };
    port2: { postMessage(value: unknown): void };
  };
};

/**
 * Lets the event loop have its turn. Virtual time never waits: without this a signal would not be heard, nor a page drawn,
 * before a simulation has ended.
 */
export function eventTurn(): Promise<void> {
  return new Promise((resolve) => {
    if (setImmediate !== undefined) setImmediate(resolve);
    else if (MessageChannel !== undefined) {
      // A timer of a browser waits four milliseconds when it is set again and again; a message does not.
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => {
        port1.close?.();
        resolve();
      };
      port2.postMessage(null);
    } else setTimeout(resolve, 0);
  });
}
