import type { Exception } from './shell-commands.js';

const BUDGET = { with: '--budget 3 --workers 1', reason: 'a whole hunt takes minutes' };

/** Commands of the pages that the test does not run as they stand. One that no page has any more is refused. */
export const exceptions: readonly Exception[] = [
  { line: 'npx kelpie hunt', ...BUDGET },
  {
    line: 'npx kelpie hunt --profile my-servers.yaml --budget 200',
    with: '--budget 10 --workers 1',
    reason: 'this one takes half a minute',
  },
  { line: 'npx kelpie hunt --fixed', ...BUDGET },
  { line: 'npx kelpie hunt --space my-space.yaml', ...BUDGET },
  { line: 'npx kelpie hunt --subsystem collie-h', ...BUDGET },
  {
    line: 'kelpie isolate --scheme sr-iov',
    with: '--attacker PU-RNR_UC-RNR --victim large_bw_write',
    reason: 'all pairs take minutes',
  },
  {
    line: 'kelpie isolate --all-schemes --json',
    with: '--attacker PU-RNR_UC-RNR --victim large_bw_write',
    reason: 'all pairs under all schemes take half an hour',
  },
  {
    line: "kelpie isolate --scheme justitia --bypass --attacker 'BW-*'",
    with: '--victim large_bw_write',
    reason: 'all victims take minutes',
  },
  {
    line: 'npx kelpie fabric --ns3 mix/config.txt',
    reason: 'a configuration of somebody; fabric.test.ts runs the reference runs',
  },
  {
    line: 'kelpie bw write --provider software',
    reason: 'waits for a peer; peer-commands.test.ts runs it with one',
  },
  {
    line: 'npx kelpie serve --open',
    reason: 'goes on until Ctrl-C and opens a browser; packed.test.ts asks it for its page',
  },
];
