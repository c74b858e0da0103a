import { z } from 'zod';
import { type DocumentKind, name, number, pattern, text, word } from '../../schema/index.js';

/** What a campaign is to the reader. */
export const CAMPAIGN: DocumentKind = {
  noun: 'a campaign',
  reference: 'docs/campaigns.md',
  codes: {
    syntax: 'YAML_SYNTAX',
    unknownField: 'CAMPAIGN_UNKNOWN_FIELD',
    missingField: 'CAMPAIGN_MISSING_FIELD',
    badType: 'CAMPAIGN_BAD_TYPE',
    outOfRange: 'CAMPAIGN_OUT_OF_RANGE',
  },
};

/** What a campaign can run. */
export const JOBS = ['run', 'sweep', 'hunt', 'isolate', 'reproduce', 'fabric', 'ping', 'rehearsal'] as const;

/** The name of what a campaign runs. */
export type JobName = (typeof JOBS)[number];

/** Values of an axis that a file may list, and tasks of a rehearsal. */
const MOST_VALUES = 10_000;
const MOST_TASKS = 1_000_000;
/** Each has a queue of its own. */
const MOST_HOSTS = 1000;

const count = (meaning: string, max: number, unit: string, min = 1) =>
  number(meaning, { min, max, integer: true, unit });
const seed = count('a seed', Number.MAX_SAFE_INTEGER, '', 0);
const values = z.union([text('a value'), z.number()]);
const names = (meaning: string) =>
  z.union([text('one of them'), z.array(text('one of them')).min(1).max(MOST_VALUES)]).describe(meaning);
const given = (meaning: string) =>
  z
    .union([text('a file, relative to this one'), z.record(z.string(), z.unknown())])
    .describe(`${meaning}: a file, relative to this one, or the description itself`);
/** As a token of a subject, so no dots, blanks or wildcards. */
const label = pattern(
  'a label',
  /^[a-z0-9][a-z0-9-]*$/,
  40,
  'lower-case letters, digits and hyphens, up to 40',
);

/** A campaign as people write it. */
export const campaignSchema = z
  .strictObject({
    name: name('what it is called: campaigns of one name are compared with each other'),
    job: word('what it runs', JOBS),
    on: names('subsystems; for ping, hosts').optional(),
    provider: word('where workloads run', ['simulated', 'ideal', 'software']).optional(),
    profile: names('files with profiles of your own, relative to this one').optional(),
    workload: given('what is run').optional(),
    fabric: given('what is simulated').optional(),
    vary: z
      .record(
        text('a field', 200),
        z.union([text('a range, such as 1..1024'), z.array(values).min(1).max(MOST_VALUES)]),
      )
      .describe(
        'fields, and the values that each takes: a list, or a range as `kelpie compare --sweep` has them',
      )
      .optional(),
    schemes: names('isolation schemes').optional(),
    attackers: text('attackers, names or beginnings with *, separated by commas').optional(),
    victims: text('victims, as attackers').optional(),
    rows: names('rows of the papers; ci: all that take seconds').optional(),
    faults: names(
      'faults as `kelpie ping --fault` takes them; none: a healthy host; all: every one',
    ).optional(),
    device: text('the device of pinged hosts').optional(),
    hosts: z
      .union([text('one of them', 100), z.array(text('one of them', 100)).min(1).max(MOST_HOSTS)])
      .describe('real hosts to ping, by name: each is examined by a worker on it')
      .optional(),
    processes: number('processes that probe each other on a real host', {
      ...{ min: 2, max: 32, integer: true, unit: 'processes' },
    }).optional(),
    between: z
      .union([word('which ways', ['all']), count('others that each host probes', MOST_HOSTS, 'hosts')])
      .describe('ways between real hosts that are probed, too: all, or from each host to this many others')
      .optional(),
    waitS: count(
      'seconds without a worker of a host after which its tasks are given up',
      604_800,
      's',
    ).optional(),
    space: text('bounds of an application, relative to this file').optional(),
    budget: text('how long a hunt searches: 600 experiments, 10h of hardware').optional(),
    strategy: word('how a hunt searches', ['annealing', 'random', 'bayesian']).optional(),
    round: count(
      'hunts that run side by side before they tell each other what they found',
      1000,
      'hunts',
    ).optional(),
    independent: z.boolean().describe('hunts tell each other nothing').optional(),
    tasks: count('tasks of a rehearsal', MOST_TASKS, 'tasks').optional(),
    draws: count('random numbers that a task of a rehearsal draws', 1e9, 'numbers', 0).optional(),
    failing: z
      .array(count('a task', MOST_TASKS, '', 0))
      .max(1000)
      .describe('tasks that fail')
      .optional(),
    hanging: z
      .array(count('a task', MOST_TASKS, '', 0))
      .max(1000)
      .describe('tasks that never end')
      .optional(),
    seeds: z
      .union([seed, text('a range, such as 1..10', 40), z.array(seed).min(1).max(MOST_VALUES)])
      .describe('random seeds; 1 unless set')
      .optional(),
    metrics: z.array(text('a metric', 200)).max(100).describe('what is read of each run').optional(),
    keep: word('what is kept of a run: its metrics, or all of it', ['metrics', 'all']).optional(),
    assert: z
      .array(text('METRIC OP NUMBER, or METRIC OP NUMBER * last', 300))
      .max(100)
      .describe('what must hold for every run')
      .optional(),
    tries: count('how often a task is begun before it is given up', 100, 'tries').optional(),
    timeoutS: count('seconds after which a task is ended', 604_800, 's').optional(),
    needs: z
      .strictObject({
        cores: count('processors', 4096, '').optional(),
        memoryGb: count('memory', 65_536, 'GB').optional(),
        devices: z
          .array(text('a device', 30))
          .max(8)
          .describe('RNICs that its worker must have, by name, family or type: mlx5_0, mlx5, MT4119')
          .optional(),
        labels: z.array(label).max(16).describe('labels that its worker must have').optional(),
      })
      .describe('what a worker must have')
      .optional(),
  })
  .describe(
    'Work for one machine or many: which job, on what, over which ranges and seeds, and what must hold.',
  );

export type CampaignDescription = z.output<typeof campaignSchema>;
