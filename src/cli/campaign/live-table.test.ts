import { expect, it } from 'vitest';
import type { CampaignProgress, WorkerPresence } from '../../jobs/campaign/index.js';
import { liveTable } from './live-table.js';

// Goal: whoever watches a campaign sees tasks by state, rate, time left, who does what, and why something was given up.

const now: CampaignProgress = {
  ...{ id: 3, name: 'night', job: 'run', version: '0.1.0', state: 'running', tasks: 500, measured: 120 },
  ...{
    refused: 2,
    failed: 1,
    found: 7,
    repeated: 4,
    beganMs: 0,
    updatedMs: 60_000,
    perSecond: 12,
    leftS: 31,
  },
  failures: [{ point: { on: 'collie-f', seed: 9 }, reason: 'out of luck', tries: 3 }],
  workers: [
    { name: 'a', done: 100, busyS: 80 },
    { name: 'gone', done: 23, busyS: 9.5 },
  ],
};
const worker = (name: string, running: WorkerPresence['running']): WorkerPresence => ({
  ...{ name, version: '0.1.0', providers: ['simulated'], cores: 4, memoryGb: 8, labels: [], threads: 4 },
  ...{ running, done: 0, failed: 0, busyMs: 0, refused: [], draining: name === 'b', atMs: 0 },
});

it('shows states, rate, time left, workers and failures', () => {
  const present = [
    worker('a', [
      { campaign: 3, index: 1, sinceMs: 57_000 },
      { campaign: 2, index: 1, sinceMs: 0 },
    ]),
    worker('b', []),
  ];
  expect(liveTable(now, present, 60_000)).toBe(
    [
      'campaign 3 (night): 123 of 500, 1 given up, 12 per second, about 31 s left',
      'measured 120, refused 2, given up 1, left 377; runs with findings 7, begun again 4',
      'worker  results  busy s  now',
      'a           100    80.0  1 of 4 threads, the longest for 3 s, 1 for others',
      'b             0     0.0  0 of 4 threads, ends',
      'gone         23     9.5  silent',
      'given up after 3 tries: collie-f, seed 9: out of luck',
      '',
    ].join('\n'),
  );
});

it('is as short as people can watch', () => {
  const crowd = Array.from({ length: 40 }, (_, index) => worker(`w${index}`, []));
  const lines = liveTable({ ...now, workers: [], failures: [] }, crowd, 0)
    .trimEnd()
    .split('\n');
  expect(lines).toHaveLength(14);
  expect(lines[13]).toBe('and 30 more workers');
});
