import { PERF } from './constants.js';

/** What an application wants of the network (PeRF §2.3): delay, messages, or bandwidth. */
export type ApplicationType = 'D' | 'M' | 'B';

/** What one queue pair of an application has posted in this window. */
export interface QueueUse {
  messages: number;
  bytes: number;
  /** Requests without completion now. */
  unfinished(): number;
}

/**
 * Tells the type of an application by the mean size of its messages and, for short ones, by the longest send queue of the
 * last second, looked at every 5 ms (PeRF §3.3). With several queue pairs the largest and the fastest count.
 */
export class Classifier {
  type: ApplicationType = 'D';
  private readonly queues = new Set<QueueUse>();
  /** The longest queue of each look of the window, oldest overwritten first. */
  private readonly looks = new Float64Array(PERF.windowNs.value / PERF.sampleNs.value);
  private at = 0;

  add(queue: QueueUse): void {
    this.queues.add(queue);
  }

  remove(queue: QueueUse): void {
    this.queues.delete(queue);
  }

  /** The largest mean message of its queue pairs. */
  get meanBytes(): number {
    let largest = 0;
    for (const { messages, bytes } of this.queues)
      if (messages > 0) largest = Math.max(largest, bytes / messages);
    return largest;
  }

  /** A message was posted to a queue; only its size can change the type between looks. */
  posted(queue: QueueUse, bytes: number): void {
    queue.messages++;
    queue.bytes += bytes;
    const isLarge = queue.bytes >= PERF.largeBytes.value * queue.messages;
    if (isLarge !== (this.type === 'B')) this.decide();
  }

  /** One of the looks, every 5 ms. */
  look(): void {
    let longest = 0;
    for (const queue of this.queues) longest = Math.max(longest, queue.unfinished());
    this.looks[this.at] = longest;
    this.at = (this.at + 1) % this.looks.length;
    if (this.at === 0) for (const queue of this.queues) forgetHalf(queue);
    this.decide();
  }

  private decide(): void {
    if (this.meanBytes >= PERF.largeBytes.value) this.type = 'B';
    else this.type = Math.max(...this.looks) > PERF.longQueue.value ? 'M' : 'D';
  }
}

/** The mean follows what an application does now. */
function forgetHalf(queue: QueueUse): void {
  queue.messages /= 2;
  queue.bytes /= 2;
}
