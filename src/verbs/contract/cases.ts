import { atomicCases } from './atomic.js';
import { completionCases } from './completions.js';
import { connectionRuleCases } from './connection-rules.js';
import { connectionCases } from './connections.js';
import { crossChannelCases } from './cross-channel.js';
import { datagramCases } from './datagram.js';
import { deviceCases } from './device.js';
import { inlineCases } from './inline.js';
import type { ContractCase } from './kit/case.js';
import { channelCases } from './kit/channel.js';
import { lifetimeCases } from './lifetime.js';
import { listCases } from './lists.js';
import { fastRegistrationCases } from './memory/fast-registration.js';
import { localAccessCases } from './memory/local-access.js';
import { memoryCases } from './memory/memory.js';
import { remoteAccessCases } from './memory/remote-access.js';
import { wideAddressCases } from './memory/wide-address.js';
import { windowCases } from './memory/window.js';
import { orderingCases } from './ordering.js';
import { ownershipCases } from './ownership.js';
import { placementCases } from './placement.js';
import { postingCases } from './posting.js';
import { reliabilityCases } from './reliability.js';
import { scaleCases } from './scale.js';
import { scatterGatherCases } from './scatter-gather.js';
import { sharedReceiveCases } from './shared-receive.js';
import { stateCases } from './states.js';
import { transferCases } from './transfer.js';
import { transitionCases } from './transitions.js';
import { unreliableCases } from './unreliable.js';

/** Every case of the contract, by group. */
export const contractCases: readonly ContractCase[] = [
  ...deviceCases,
  ...memoryCases,
  ...wideAddressCases,
  ...transitionCases,
  ...stateCases,
  ...transferCases,
  ...scatterGatherCases,
  ...inlineCases,
  ...atomicCases,
  ...orderingCases,
  ...remoteAccessCases,
  ...localAccessCases,
  ...windowCases,
  ...fastRegistrationCases,
  ...datagramCases,
  ...unreliableCases,
  ...reliabilityCases,
  ...postingCases,
  ...listCases,
  ...sharedReceiveCases,
  ...completionCases,
  ...channelCases,
  ...crossChannelCases,
  ...placementCases,
  ...connectionCases,
  ...connectionRuleCases,
  ...lifetimeCases,
  ...ownershipCases,
  ...scaleCases,
];
