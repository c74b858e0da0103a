import { atomicCases } from './atomic.js';
import { completionCases } from './completions.js';
import { connectionRuleCases } from './connection-rules.js';
import { connectionCases } from './connections.js';
import { crossChannelCases } from './cross-channel.js';
import { datagramCases } from './datagram.js';
import { deviceCases } from './device.js';
import { fastRegistrationCases } from './fast-registration.js';
import { inlineCases } from './inline.js';
import type { ContractCase } from './kit/case.js';
import { channelCases } from './kit/channel.js';
import { lifetimeCases } from './lifetime.js';
import { listCases } from './lists.js';
import { localAccessCases } from './local-access.js';
import { memoryCases } from './memory.js';
import { orderingCases } from './ordering.js';
import { ownershipCases } from './ownership.js';
import { placementCases } from './placement.js';
import { postingCases } from './posting.js';
import { reliabilityCases } from './reliability.js';
import { remoteAccessCases } from './remote-access.js';
import { scaleCases } from './scale.js';
import { scatterGatherCases } from './scatter-gather.js';
import { sharedReceiveCases } from './shared-receive.js';
import { stateCases } from './states.js';
import { transferCases } from './transfer.js';
import { transitionCases } from './transitions.js';
import { unreliableCases } from './unreliable.js';
import { wideAddressCases } from './wide-address.js';
import { windowCases } from './window.js';

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
