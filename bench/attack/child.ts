import { type ChildProcess, fork } from 'node:child_process';
import { on, once } from 'node:events';

/** A process of the attack: answers one order after another, and says when it ended. */
export class Child<Order> {
  /** How it ended, while it should not have; null while it lives. */
  ended: string | null = null;
  private readonly process: ChildProcess;
  private readonly messages: AsyncIterator<[unknown]>;
  private readonly abort = new AbortController();

  constructor(program: string, role: string) {
    this.process = fork(program, [role], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    this.messages = on(this.process, 'message', { signal: this.abort.signal }) as AsyncIterator<[unknown]>;
    this.process.on('exit', (code, signal) => {
      this.ended ??= `${role} ended with ${signal ?? code}`;
      this.abort.abort();
    });
  }

  async ask<Answer>(order: Order): Promise<Answer> {
    if (this.ended !== null) throw new Error(this.ended);
    this.process.send(order as object);
    const { value } = await this.messages.next();
    return value[0] as Answer;
  }

  /** Ends it on purpose; one that does not end by itself is killed. */
  async quit(): Promise<void> {
    if (this.ended !== null) return;
    this.ended = 'done';
    const over = once(this.process, 'exit');
    this.process.disconnect();
    const timer = setTimeout(() => this.process.kill('SIGKILL'), 2000);
    await over;
    clearTimeout(timer);
  }
}

/** Serves orders in a child process, one at a time. */
export async function serve<Order>(answer: (order: Order) => Promise<unknown>): Promise<void> {
  process.on('disconnect', () => process.exit(0));
  for await (const [order] of on(process, 'message') as AsyncIterable<[Order]>)
    process.send?.(await answer(order));
}

/** Processor time that this process has used, in user mode and in the kernel. */
export function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
