import type { InvocationOf } from '../command.js';
import type { OptionSpec } from '../option.js';
import { CAMPAIGNS_FOLDER } from './archive-file.js';
import { natsFlags } from './nats-flags.js';

/** What can be done with a campaign. */
export const CAMPAIGN_ACTIONS = ['run', 'status', 'watch', 'report', 'cancel', 'resume'] as const;
/** One of them. */
export type CampaignAction = (typeof CAMPAIGN_ACTIONS)[number];

/** The flags of `kelpie campaign`. */
export const campaignFlags = [
  { flags: '--workers <number>', description: 'threads, without --nats; default: number of processors' },
  { flags: '--folder <path>', description: 'where campaigns are kept', default: CAMPAIGNS_FOLDER },
  {
    flags: '--assert <assertion>',
    description: 'with run: what must hold, too, such as "goodputGbps >= 0.95 * last"; may be repeated',
    repeats: true,
  },
  { flags: '--independent', description: 'with run: hunts do not share what they find' },
  { flags: '--task <number>', description: 'with report: this task alone, and all that was kept of it' },
  { flags: '--given-up', description: 'with resume: retry tasks that were given up' },
  {
    flags: '--serve <place>',
    description:
      'with run, resume and watch: also serve a page and metrics at ADDRESS:PORT, such as 127.0.0.1:8080',
  },
  ...natsFlags,
  { flags: '--json', description: 'print the result as JSON' },
] as const satisfies readonly OptionSpec[];

/** What `kelpie campaign` gets. */
export type CampaignInvocation = InvocationOf<typeof campaignFlags>;
