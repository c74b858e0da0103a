import type { WorkloadInput } from '../../../../workload/index.js';
import type { CollieParameter, CollieTarget } from '../../targets/target.js';

/** The profile of a subsystem of Table 1. */
export function subsystemOf(target: CollieTarget): string {
  return `collie-${target.on.toLowerCase()}`;
}

/** A trigger with one thing changed, as its `breaks` and the sweeps do. */
export function withChange(target: CollieTarget, parameter: CollieParameter, value: unknown): CollieTarget {
  const changed: CollieTarget = { ...target, [parameter]: value };
  // A post cannot be longer than its queue.
  return { ...changed, batch: Math.min(changed.batch, changed.wq) };
}

/** Of rows in which both hosts do the same. */
const WANDERS =
  'pauses over 6 ms: which of the two hosts pauses the other wanders, and the paper gives the share of a second';

/** Of rows with several regions. */
const REGIONS =
  "regions as Collie's traffic engine (github.com/bytedance/Collie) chooses them: the next one with each post, the peer's from the first on";

/** What was chosen where the paper is silent, row by row. */
export const collieFacts: Readonly<Record<string, readonly string[]>> = {
  C4: [WANDERS],
  C8: [REGIONS],
  C9: [WANDERS],
  C12: [
    "relaxed ordering: the workload is #9's, so that #9's fault is repaired and the redirect is the only one",
    'GPU gpu0, next to the RNIC',
    WANDERS,
  ],
  C13: [REGIONS, 'loopback: false sends all 16 QPs from the other host'],
  C11: [REGIONS, 'socket 1 is memory2 of the profile: the first NUMA node of the second socket (NPS 2)'],
  C14: [REGIONS],
  C18: ['regions are as long as a message: 64 KB do not fit 12 KB'],
};

/** Rows whose outcome a constant says: named as what they are until a mechanism yields them. */
export const collieEncoded: Readonly<Record<string, string>> = {
  C9: 'orderingTurnNs and orderingDepthBytes: how long the ordering point turns for a short element is fitted to this row',
  C14: 'transmitSlotBeforeContext: the vendor knows no cause; a placeholder',
  C18: 'burstDivisor and sharedPacketProcessors: the vendor names registers and no mechanism; placeholders',
};

/** The NUMA node that a socket's memory is in this host's profile. */
function memoryNode(target: CollieTarget, socket: string): string {
  // Table 1: G is set to NPS 2, two nodes a socket.
  const nodesPerSocket = target.on === 'G' ? 2 : 1;
  return `memory${Number(socket.replace('socket ', '')) * nodesPerSocket}`;
}

/** The workload that a trigger describes. */
export function collieWorkload(target: CollieTarget): WorkloadInput {
  const { memory, senders } = target;
  const settings: Record<string, string> = {};
  if (target.acs !== undefined) Object.assign(settings, { acs: target.acs, ordering: 'relaxed' });
  if (target.relaxedOrdering === true) settings['ordering'] = 'relaxed';
  if (target.registers !== undefined) settings['registers'] = target.registers;
  const common = {
    name: target.id,
    settings,
    transport: target.transport,
    opcode: target.op,
    mrs: target.mrs,
    mrBytes: target.mrBytes,
    mrChoice: 'perPost',
    sendQueueDepth: target.wq,
    receiveQueueDepth: target.wq,
    batch: target.batch,
    sge: target.sge,
    sizes: target.sizes.map((entry) => (typeof entry === 'number' ? entry : [...entry])),
    mtu: target.mtu,
  } satisfies WorkloadInput;
  if (senders !== undefined) {
    const sameHost = target.loopback === false ? 0 : senders.sameHost;
    const otherHost = senders.otherHost + senders.sameHost - sameHost;
    return { ...common, direction: 'nToOne', to: 'b', senders: { sameHost, otherHost, hosts: 1 } };
  }
  const place =
    memory === undefined
      ? {}
      : typeof memory === 'string'
        ? { memory: 'gpu0' }
        : { memory: { a: memoryNode(target, memory.a), b: memoryNode(target, memory.b) } };
  return { ...common, ...place, qps: target.qps, direction: target.bidirectional === true ? 'bi' : 'uni' };
}
