// Runs one row at a time: as it is, or with one constant moved.
import { parentPort } from 'node:worker_threads';
import * as profiles from 'kelpie/profiles';
import { openSimulated, runTask } from 'kelpie/reproduce';
import { profilesOf, variantOf, withMove } from './constants.js';
import { figuresOf } from './moved.js';

parentPort.on('message', async ({ row, seed, constant, value }) => {
  const used = new Set();
  const began = process.hrtime.bigint();
  const open = (named, options) => {
    const subsystem = constant === undefined ? named : variantOf(profiles, named, options.settings);
    for (const [kind, profile] of Object.entries(profilesOf(profiles, subsystem, options.changes)))
      used.add(`${kind} ${profile}`);
    if (constant === undefined) return openSimulated(subsystem, options);
    const changes = withMove(profiles, subsystem, options.changes, constant, value);
    return openSimulated(subsystem, { ...options, changes });
  };
  const { result } = await runTask({ kind: 'row', id: row }, { open, seed });
  parentPort.postMessage({
    ok: result.ok,
    figures: figuresOf(result.simulated),
    used: [...used],
    seconds: Number(process.hrtime.bigint() - began) / 1e9,
    // A constant may be moved to where nothing can run, such as past the range of another.
    ...(result.simulated === 'nothing' ? { failed: result.reason } : {}),
  });
});
