import { KelpieError } from '../../../error.js';
import { CAMPAIGN_ACTIONS, type CampaignInvocation, campaignFlags } from '../../campaign/flags.js';
import { natsPlace } from '../../campaign/nats-flags.js';
import { onThreads } from '../../campaign/on-threads.js';
import { defineCommand } from '../../command.js';
import type { ExitCode } from '../../exit-code.js';

/** `kelpie campaign run FILE`: many tasks on threads or on many machines; the other actions look after it. */
export const campaign = defineCommand({
  options: campaignFlags,
  examples: [
    'kelpie campaign run campaign.yaml',
    'kelpie campaign run campaign.yaml --nats nats://queue:4222 --serve :8080',
    'kelpie campaign status',
    'kelpie campaign watch 3 --nats nats://queue:4222',
    'kelpie campaign resume',
    'kelpie campaign report 3 --json',
    'kelpie campaign cancel 3',
  ],
  run,
});

async function run(invocation: CampaignInvocation): Promise<ExitCode> {
  const [given, argument] = invocation.arguments;
  const action = CAMPAIGN_ACTIONS.find((each) => each === given);
  if (action === undefined)
    throw new KelpieError('BAD_ARGUMENT', 'there is no such action', {
      ...{ field: 'action', given, allowed: CAMPAIGN_ACTIONS.join(', ') },
    });
  const place = natsPlace(invocation.options);
  if (place === null) return onThreads(action, argument, invocation);
  // Its modules load the client of NATS.
  const { onNats } = await import('../../campaign/on-nats.js');
  return onNats(place, action, argument, invocation);
}
