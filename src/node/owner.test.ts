import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it } from 'vitest';
import { MemoryStore } from '../jobs/index.js';
import { leaveStore, takeStore } from './owner.js';

// Goal: one process has a store; one that was killed has it no more, also if its number was given to another.

const names = { field: '--folder', given: 'runs', noun: 'agent' };
const NOW = Date.UTC(2026, 0, 1);

/** A store that another process says it has. */
async function ownedBy(owner: object): Promise<MemoryStore> {
  const store = new MemoryStore();
  await takeStore(store, NOW, names);
  await store.change(['owner'], (self) => ({ ...(self as object), ...owner }));
  return store;
}

it('a store is taken, kept and given back', async () => {
  const store = new MemoryStore();
  await takeStore(store, NOW, names);
  await takeStore(store, NOW + 5, names);
  expect(await store.get(['owner'])).toMatchObject({ pid: process.pid, sinceMs: NOW, seenMs: NOW + 5 });
  await leaveStore(store);
  expect(await store.get(['owner'])).toBeNull();
  await takeStore(store, NOW, names);
});

it('a process that lives is named; when it was killed, its store is free', async () => {
  const child = spawn(process.execPath, ['-e', 'setTimeout(() => {}, 60000)'], { stdio: 'ignore' });
  const store = await ownedBy({ pid: child.pid, began: null });
  await expect(takeStore(store, NOW, names)).rejects.toMatchObject({
    code: 'FOLDER_TAKEN',
    message: expect.stringMatching(
      new RegExp(
        `another agent uses this folder; --folder is 'runs'.*process ${child.pid} on .*2026-01-01T00`,
      ),
    ),
  });
  child.kill('SIGKILL');
  await once(child, 'exit');
  await takeStore(store, NOW, names);
  expect(await store.get(['owner'])).toMatchObject({ pid: process.pid });
});

it.runIf(process.platform === 'linux')('a number that was given to another process is no owner', async () => {
  const store = await ownedBy({ pid: process.ppid, began: '1' });
  await takeStore(store, NOW, names);
});

it('a process of another machine is taken for dead when it was silent for long', async () => {
  const store = await ownedBy({ machine: 'elsewhere' });
  await expect(takeStore(store, NOW + 60_000, names)).rejects.toMatchObject({ code: 'FOLDER_TAKEN' });
  await takeStore(store, NOW + 3_600_000, names);
});
