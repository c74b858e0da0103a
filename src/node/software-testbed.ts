import { threadId } from 'node:worker_threads';
import { KelpieError } from '../error.js';
import { capture as captureLink, type Link, type PacketRecorder, withMiddlewares } from '../link/index.js';
import {
  loopbackAddress,
  type RecoveryName,
  type SoftwareContext,
  SoftwareProvider,
  softwareControls,
  softwareRecoveries,
} from '../providers/software/index.js';
import {
  buildTestbed,
  hostsOf,
  type IsolatedTestbed,
  isolated,
  type ProviderEntry,
  type TestbedRequest,
} from '../testbeds/index.js';
import { formatGid } from '../wire/index.js';

/** Loopback addresses of a process, and how far apart its threads begin. */
const ADDRESSES = 250;
const THREAD_ADDRESSES = 10;

/** The software provider, for testbeds: devices of one process that talk over the loopback interface. */
export const softwareProvider: ProviderEntry = {
  name: 'software',
  takesProfiles: false,
  hasPackets: true,
  realTime: true,
  controls: softwareControls,
  recoveries: softwareRecoveries,
  open: openSoftwareTestbed,
};

async function openSoftwareTestbed(request: TestbedRequest): Promise<IsolatedTestbed> {
  const { settings = {}, capture, isolation, seed = 1 } = request;
  const { congestionControl, ...others } = settings;
  const congestion = softwareControls.find((name) => name === congestionControl);
  const provider = new SoftwareProvider({
    ...(congestion === undefined ? {} : { congestion }),
    ...(request.recovery === undefined ? {} : { recovery: request.recovery as RecoveryName }),
    ...(capture === undefined ? {} : { wrapLink: recordSent(capture) }),
  });
  const plans = hostsOf(request);
  const count = plans.reduce((sum, { devices }) => sum + devices, 0);
  if (count > ADDRESSES)
    throw new KelpieError('TESTBED_INVALID', 'one process has no addresses for that many software devices', {
      field: 'hosts',
      given: count,
      allowed: `up to ${ADDRESSES} devices in all`,
    });
  const opened = (await openAll(provider, count)).map((context) => ({ context }));
  const notes = [
    'software devices in one process on one thread: both ends of every transfer share its time',
    ...opened[0].context.software.link.abilities.limits,
  ];
  if (Object.keys(others).length > 0)
    notes.push('a software device has no settings of a host: those of the workload change nothing');
  if (congestionControl !== undefined && congestion === undefined)
    notes.push(`a software device has no ${congestionControl}: its senders react to no congestion`);
  const hosts = plans.map(({ name, devices }) => ({ name, devices: opened.splice(0, devices) }));
  return isolated(buildTestbed({ provider: 'software', hosts, notes }), isolation, seed);
}

/** Opens devices; where one cannot be opened, none stays open. */
async function openAll(provider: SoftwareProvider, count: number): Promise<SoftwareContext[]> {
  // Threads of a process share its addresses; each begins at one of its own.
  const first = threadId * THREAD_ADDRESSES;
  const outcomes = await Promise.allSettled(
    Array.from({ length: count }, (_, index) => provider.open(loopbackAddress(first + index))),
  );
  const opened = outcomes.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
  const failed = outcomes.find((each) => each.status === 'rejected');
  if (failed === undefined) return opened;
  await Promise.all(opened.map((context) => context.close()));
  throw failed.reason;
}

/** Every device records what it sends; recording arrivals too would show each packet twice. */
function recordSent(recorder: PacketRecorder): (link: Link) => Link {
  const nowNs = () => BigInt(Math.round((performance.timeOrigin + performance.now()) * 1e3)) * 1000n;
  return (link) => {
    const name = formatGid(link.gids[0]);
    return withMiddlewares(link, [captureLink({ recorder, nowNs, name, only: 'sent' })]);
  };
}
