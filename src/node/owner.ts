import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { KelpieError } from '../error.js';
import type { Store, StoreKey } from '../jobs/index.js';

/** A process that has a store to itself. */
interface Owner {
  readonly pid: number;
  /** When the process began, in the kernel's ticks: a number that was given out again has another. */
  readonly began: string | null;
  readonly machine: string;
  readonly sinceMs: number;
  /** When it last said that it lives. */
  readonly seenMs: number;
}

/** How messages speak of the store and of who has it. */
export interface OwnerNames {
  readonly field: string;
  readonly given: string;
  readonly noun: string;
}

const OWNER: StoreKey = ['owner'];
/** A process of another machine cannot be looked for; it is taken for dead if it was silent for this long. */
const SILENT_MS = 900_000;

/**
 * Takes a store for this process, in one step; a KelpieError with the code `FOLDER_TAKEN` names the process that has it.
 * One that was killed has it no more. Call it again from time to time to say that this process lives.
 *
 * @example
 * await takeStore(store, Date.now(), { field: '--folder', given: folder, noun: 'agent' });
 */
export async function takeStore(store: Store, nowMs: number, names: OwnerNames): Promise<void> {
  const self = { pid: process.pid, began: beganOf(process.pid), machine: hostname() };
  await store.change(OWNER, (now) => {
    const owner = now as Owner | null | undefined;
    const isSelf = owner?.pid === self.pid && owner.began === self.began && owner.machine === self.machine;
    if (owner != null && !isSelf && isAlive(owner, nowMs)) {
      const since = new Date(owner.sinceMs).toISOString();
      throw new KelpieError('FOLDER_TAKEN', `another ${names.noun} uses this folder`, {
        field: names.field,
        given: names.given,
        allowed: `another folder, or stop process ${owner.pid} on ${owner.machine}, which has used it since ${since}`,
      });
    }
    return { ...self, sinceMs: isSelf ? owner.sinceMs : nowMs, seenMs: nowMs } satisfies Owner;
  });
}

/** Gives a store back. */
export async function leaveStore(store: Store): Promise<void> {
  await store.change(OWNER, (now) => ((now as Owner | null)?.pid === process.pid ? null : now));
}

function isAlive({ pid, began, machine, seenMs }: Owner, nowMs: number): boolean {
  if (machine !== hostname()) return nowMs - seenMs < SILENT_MS;
  try {
    process.kill(pid, 0);
  } catch (error) {
    // EPERM: it lives and belongs to somebody else.
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false;
  }
  const now = beganOf(pid);
  return began === null || now === null || began === now;
}

/** When a process began; null where the system does not tell. */
function beganOf(pid: number): string | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The name, in brackets, may contain anything; the start is the twentieth field after it.
    return text.slice(text.lastIndexOf(')') + 2).split(' ')[19] ?? null;
  } catch {
    return null;
  }
}
