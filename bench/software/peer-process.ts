import { type ChildProcess, fork } from 'node:child_process';
import { on } from 'node:events';
import type { Order } from './peer.js';

/** The peer of a measurement: a process that does what it is told, one order after another. */
export class PeerProcess {
  private readonly child: ChildProcess;
  private readonly messages: AsyncIterator<[unknown]>;

  constructor(program: string) {
    this.child = fork(program, ['peer'], { stdio: 'inherit' });
    this.messages = on(this.child, 'message') as AsyncIterator<[unknown]>;
  }

  /** Gives an order and waits for the answer. */
  async ask<T>(order: Order): Promise<T> {
    this.child.send(order);
    return (await this.next()) as T;
  }

  /** The next thing that it says. */
  async next(): Promise<unknown> {
    const { value } = await this.messages.next();
    return value[0];
  }

  /** Ends it. */
  quit(): void {
    this.child.send({ kind: 'quit' } satisfies Order);
  }
}
