import {
  type CompletionQueue,
  type Context,
  emptyWorkCompletion,
  type QueuePair,
  type SendWr,
} from '../../verbs/index.js';
import { connectOwn } from '../interposer/index.js';

/** Zero-byte messages that wait in the control queue pair. */
const DEPTH = 256;
/** It is filled again when this many were used. */
const REFILL = 64;

/**
 * Tokens in the device: a managed queue pair in loopback that is full of zero-byte messages (PeRF's preemption control
 * QP), and its completion queue (PCC). An ENABLE lets one go, and its completion lets one WAIT pass: PAUSE and RESUME
 * (PeRF §3.5.1). A queue pair that WAITs before its requests and ENABLEs after them sends only while it holds a token.
 */
export class Semaphore {
  /** Takes a token, or holds the queue pair until there is one. */
  readonly acquire: SendWr;
  /** Gives a token. */
  readonly release: SendWr;
  /** Requests that it has posted for itself. */
  workRequests = 0;
  readonly completions: CompletionQueue;
  private readonly control: QueuePair;
  private readonly regular: QueuePair;
  private readonly regularCq: CompletionQueue;
  private readonly slots = Array.from({ length: 32 }, emptyWorkCompletion);
  private tokens = 0;
  private used = 0;
  private unsignalled = 0;

  constructor(context: Context) {
    const pd = context.allocPd();
    this.completions = context.createCq({ cqe: DEPTH });
    this.regularCq = context.createCq({ cqe: DEPTH });
    const end = { context, pd, recvCq: this.regularCq, depth: DEPTH };
    [this.control, this.regular] = connectOwn(
      { ...end, sendCq: this.completions, managedSend: true },
      { ...end, sendCq: this.regularCq },
    );
    this.acquire = { opcode: 'WAIT', cq: this.completions, count: 1 };
    this.release = { opcode: 'ENABLE', qp: this.control, count: 1 };
    this.fill(DEPTH);
  }

  /** Changes how many queue pairs may hold a token at a time; fewer takes effect as tokens come back. */
  allow(tokens: number): void {
    for (; this.tokens < tokens; this.tokens++) this.postControl(this.release);
    for (; this.tokens > tokens; this.tokens--) this.postControl(this.acquire);
  }

  /** Gives back a token of a queue pair that failed with it. */
  giveBack(): void {
    this.postControl(this.release);
  }

  /** Takes the completions of messages that went and posts as many again. */
  refill(): void {
    for (let count = this.completions.pollInto(this.slots); count > 0; ) {
      this.used += count;
      count = this.completions.pollInto(this.slots);
    }
    if (this.used < REFILL) return;
    this.fill(this.used);
    this.used = 0;
  }

  private fill(count: number): void {
    const message: SendWr = { opcode: 'RDMA_WRITE', sgList: [], remoteAddr: 0, rkey: 0, signaled: true };
    this.workRequests += count;
    this.control.postSend(Array<SendWr>(count).fill(message));
  }

  private postControl(wr: SendWr): void {
    while (this.regularCq.pollInto(this.slots) > 0);
    this.workRequests++;
    const signaled = ++this.unsignalled % REFILL === 0;
    this.regular.postSend({ ...wr, signaled });
  }
}
