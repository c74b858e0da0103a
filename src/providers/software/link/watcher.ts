import { isMainThread } from 'node:worker_threads';
import type { Libc, LoopFunctions } from './libc.js';

const READABLE = 1;
const WRITABLE = 2;
/** How often to look where nobody tells. */
const LOOK_MS = 1;

/** Tells when a descriptor can be read or written. */
export interface Watcher {
  /** One sentence where it is worse than being told by the system. */
  readonly limit: string | null;
  /** Also tell when it can be written. */
  wantWritable(want: boolean): void;
  stop(): void;
}

/** What is to be told. */
export interface WatcherListener {
  readable(): void;
  writable(): void;
}

/** Watches a descriptor with Node's own event loop or, where its functions cannot be reached, by looking often. */
export function watchDescriptor(libc: Libc, fd: number, listener: WatcherListener): Watcher {
  // The functions reach the loop of the main thread only.
  const watched = libc.loop !== null && isMainThread ? LoopWatcher.start(libc.loop, fd, listener) : null;
  return watched ?? new TimedWatcher(listener);
}

/** A watcher in the event loop that runs this program. */
class LoopWatcher implements Watcher {
  readonly limit = null;
  private readonly loop: LoopFunctions;
  private readonly memory: Uint8Array;
  private readonly callback: bigint;
  private stopped = false;

  private constructor(loop: LoopFunctions, listener: WatcherListener) {
    this.loop = loop;
    this.memory = new Uint8Array(Math.max(256, loop.watcherBytes));
    this.callback = loop.register((_watcher, _status, events) => {
      if (this.stopped) return;
      if ((events & WRITABLE) !== 0) listener.writable();
      if ((events & READABLE) !== 0 || events === 0) listener.readable();
    });
  }

  static start(loop: LoopFunctions, fd: number, listener: WatcherListener): LoopWatcher | null {
    const watcher = new LoopWatcher(loop, listener);
    if (loop.init(watcher.memory, fd) === 0 && loop.start(watcher.memory, READABLE, watcher.callback) === 0)
      return watcher;
    loop.unregister(watcher.callback);
    return null;
  }

  wantWritable(want: boolean): void {
    if (!this.stopped) this.loop.start(this.memory, want ? READABLE | WRITABLE : READABLE, this.callback);
  }

  stop(): void {
    if (this.stopped) return;
    this.stopped = true;
    this.loop.stop(this.memory);
    this.loop.close(this.memory);
    // The loop still knows the memory until its next turn has closed the handle.
    const { memory, loop, callback } = this;
    setTimeout(() => {
      if (memory.length > 0) loop.unregister(callback);
    }, 1);
  }
}

/** Looks every millisecond. */
class TimedWatcher implements Watcher {
  readonly limit =
    'nobody tells when datagrams arrive: it looks every millisecond (latency, idle processor time)';
  private readonly timer: NodeJS.Timeout;
  private writableWanted = false;

  constructor(listener: WatcherListener) {
    this.timer = setInterval(() => {
      if (this.writableWanted) listener.writable();
      listener.readable();
    }, LOOK_MS);
  }

  wantWritable(want: boolean): void {
    this.writableWanted = want;
  }

  stop(): void {
    clearInterval(this.timer);
  }
}
