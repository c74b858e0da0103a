import type { Path } from '../../schema/index.js';
import {
  deviceNamesOf,
  messageLength,
  operationMix,
  queuePairsOf,
  type Tenant,
  takesReceive,
  type Workload,
} from './description.js';
import { canonical, hostName, MAX_HOSTS, parseDeviceName, placeOf } from './device-name.js';

/** Something that a schema cannot say: fields that contradict each other. */
export interface Illegality {
  /** The way to the field inside the workload. */
  path: Path;
  problem: string;
  allowed: string;
}

/** The contradictions in a workload. Fields that are faulty by themselves have their defaults and contradict nothing. */
export function findIllegalities(workload: Workload, faulty: readonly Path[] = []): Illegality[] {
  const isMeasureKnown = faulty.every(([field]) => field !== 'measure');
  const found = isMeasureKnown ? checkMeasure(workload.measure) : [];
  const names = new Set<string>();
  for (const [index, tenant] of workload.tenants.entries()) {
    if (names.has(tenant.name))
      found.push({
        path: ['tenants', index, 'name'],
        problem: 'two tenants have this name',
        allowed: 'a name of its own',
      });
    names.add(tenant.name);
    // One contradiction often causes the next: the first of each tenant is enough.
    const first = firstIllegality(tenant, fieldsAt(faulty, index));
    if (first !== null) found.push({ ...first, path: ['tenants', index, ...first.path] });
  }
  return found;
}

function checkMeasure({ minNs, maxNs, sliceNs }: Workload['measure']): Illegality[] {
  const path = ['measure', 'maxNs'];
  if (maxNs < minNs)
    return [{ path, problem: 'the longest run is shorter than the shortest', allowed: `${minNs} or more` }];
  if (maxNs < 2 * sliceNs)
    return [{ path, problem: 'the run has fewer than two slices', allowed: `${2 * sliceNs} or more` }];
  return [];
}

type Check = (tenant: Tenant) => Illegality | null;

function illegal(field: string, problem: string, allowed: string): Illegality {
  return { path: [field], problem, allowed };
}

const checks: readonly Check[] = [
  checkIdle,
  checkOperations,
  checkDatagrams,
  checkQueues,
  checkElements,
  checkDirection,
  checkHosts,
  checkPingPong,
  checkTimes,
  checkLimits,
];

/** A tenant without queue pairs must at least call control verbs. */
function checkIdle({ qps, control }: Tenant): Illegality | null {
  if (qps > 0 || control.length > 0) return null;
  return illegal('qps', 'the tenant does nothing', '1 or more, or control verbs');
}

function firstIllegality(tenant: Tenant, faulty: ReadonlySet<string>): Illegality | null {
  for (const check of checks) {
    let isKnown = true;
    const read =
      faulty.size === 0
        ? tenant
        : new Proxy(tenant, {
            get(target, field) {
              if (faulty.has(String(field))) isKnown = false;
              return Reflect.get(target, field);
            },
          });
    const found = check(read);
    if (found !== null && isKnown) return found;
  }
  return null;
}

/** The faulty fields of one tenant. */
function fieldsAt(faulty: readonly Path[], index: number): ReadonlySet<string> {
  return new Set(
    faulty.filter(([list, at]) => list === 'tenants' && at === index).map(([, , field]) => String(field)),
  );
}

const OPERATIONS_OF = {
  RC: null,
  UC: ['WRITE', 'WRITE_WITH_IMM', 'SEND', 'SEND_WITH_IMM'],
  UD: ['SEND', 'SEND_WITH_IMM'],
} as const;

function checkOperations(tenant: Tenant): Illegality | null {
  const allowed: readonly string[] | null = OPERATIONS_OF[tenant.transport];
  for (const { opcode } of operationMix(tenant)) {
    if (allowed !== null && !allowed.includes(opcode))
      return illegal('opcode', `${tenant.transport} has no ${opcode}`, allowed.join(', '));
    if (opcode === 'COMPARE_SWAP' || opcode === 'FETCH_ADD') {
      if (tenant.sizes.some((entry) => messageLength(entry) !== 8))
        return illegal('sizes', 'an atomic has exactly eight bytes', '[8]');
      if (tenant.sge !== 1) return illegal('sge', 'an atomic has one element', '1');
    }
  }
  return null;
}

function checkDatagrams(tenant: Tenant): Illegality | null {
  if (tenant.transport !== 'UD') return null;
  const long = tenant.sizes.some((entry) => messageLength(entry) > tenant.mtu);
  return long
    ? illegal('sizes', 'a UD message is longer than one MTU', `messages up to ${tenant.mtu} bytes`)
    : null;
}

function checkQueues(tenant: Tenant): Illegality | null {
  const { sendQueueDepth, receiveQueueDepth, batch, receiveBatch, outstanding, signalEvery } = tenant;
  if (batch > sendQueueDepth)
    return illegal('batch', 'a post does not fit the send queue', `1 to sendQueueDepth, ${sendQueueDepth}`);
  if (receiveBatch > receiveQueueDepth)
    return illegal(
      'receiveBatch',
      'a post does not fit the receive queue',
      `1 to receiveQueueDepth, ${receiveQueueDepth}`,
    );
  if (outstanding > sendQueueDepth)
    return illegal(
      'outstanding',
      'more than the send queue holds',
      `batch to sendQueueDepth, ${batch} to ${sendQueueDepth}`,
    );
  if (outstanding < batch)
    return illegal(
      'outstanding',
      'less than one post',
      `batch to sendQueueDepth, ${batch} to ${sendQueueDepth}`,
    );
  // At a post, up to signalEvery - gcd sends at the tail have no completion to wait for; the next post must fit beside them.
  const least = signalEvery - greatestCommonDivisor(signalEvery, batch) + batch;
  if (outstanding < least)
    return illegal(
      'signalEvery',
      'all that may be in flight could go without a completion',
      `less, or outstanding of at least ${least}`,
    );
  return null;
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}

function checkElements(tenant: Tenant): Illegality | null {
  for (const entry of tenant.sizes) {
    if (typeof entry !== 'number' && entry.length > tenant.sge)
      return illegal(
        'sizes',
        `a message has ${entry.length} elements and a WQE holds ${tenant.sge}`,
        `up to sge, ${tenant.sge}, elements`,
      );
    if (messageLength(entry) > 2 ** 31)
      return illegal('sizes', 'a message is too long', `up to ${2 ** 31} bytes`);
  }
  return null;
}

function checkDirection(tenant: Tenant): Illegality | null {
  const { direction, from, to, senders } = tenant;
  if (direction === 'nToOne') {
    if (senders === null)
      return illegal(
        'senders',
        'nToOne needs to know who sends',
        '{ sameHost: QPs, otherHost: QPs on each, hosts: number }',
      );
    const total = queuePairsOf(senders);
    if (total === 0) return illegal('senders', 'nobody sends', 'at least one QP');
    if (tenant.qps !== total)
      return illegal('qps', 'the senders have another number of QPs', `${total}, or left out`);
    return checkSenders(senders.hosts, to);
  }
  if (senders !== null)
    return illegal('senders', `has no meaning with direction ${direction}`, 'direction: nToOne');
  if (direction !== 'loopback' && canonical(from) === canonical(to))
    return illegal('to', 'a host that sends to itself is direction: loopback', `a host other than ${from}`);
  return null;
}

/** Senders that are listed must differ from each other and from the receiver. */
function checkSenders(hosts: number | readonly string[], to: string): Illegality | null {
  if (typeof hosts === 'number') return null;
  const seen = new Set([canonical(to)]);
  for (const [index, sender] of hosts.entries()) {
    if (seen.has(canonical(sender)))
      return {
        path: ['senders', 'hosts', index],
        problem: 'this host receives, or is already listed',
        allowed: `hosts other than ${to}, each once`,
      };
    seen.add(canonical(sender));
  }
  return null;
}

function checkHosts(tenant: Tenant): Illegality | null {
  const devices = deviceNamesOf(tenant);
  const far = devices.find((name) => (placeOf(parseDeviceName(name).host) ?? 0) >= MAX_HOSTS);
  if (far !== undefined) {
    const field = tenant.control.some(({ host }) => host === far)
      ? 'control'
      : far === tenant.to
        ? 'to'
        : 'from';
    return illegal(field, `there is no host ${far}`, `hosts up to ${hostName(MAX_HOSTS - 1)}`);
  }
  if (tenant.memory === null || typeof tenant.memory === 'string') return null;
  const known = new Set(devices.map(canonical).flatMap((name) => [name, parseDeviceName(name).host]));
  const stranger = Object.keys(tenant.memory).find((name) => !known.has(canonical(name)));
  if (stranger === undefined) return null;
  const problem = 'this tenant has nothing on that host';
  return { path: ['memory', stranger], problem, allowed: devices.join(', ') };
}

function checkPingPong(tenant: Tenant): Illegality | null {
  if (tenant.mode !== 'pingPong') return null;
  if (typeof tenant.opcode !== 'string') return illegal('opcode', 'pingPong takes one operation', 'no mix');
  if (tenant.receives === 'none') return illegal('receives', 'pingPong needs an answer', 'posted');
  if (tenant.batch !== 1) return illegal('batch', 'pingPong posts one at a time', '1');
  if (tenant.rateLimit !== null) return illegal('rateLimit', 'pingPong goes at its own pace', 'none');
  return null;
}

function checkTimes(tenant: Tenant): Illegality | null {
  if (tenant.stopNs !== null && tenant.stopNs <= tenant.startNs)
    return illegal('stopNs', 'the tenant stops before it starts', `more than startNs, ${tenant.startNs}`);
  return null;
}

function checkLimits(tenant: Tenant): Illegality | null {
  const limit = tenant.rateLimit;
  if (limit !== null && (limit.gbps === undefined) === (limit.messagesPerSecond === undefined))
    return illegal('rateLimit', 'needs one of its two fields', 'gbps or messagesPerSecond');
  const receives = operationMix(tenant).some(({ opcode }) => takesReceive(opcode));
  if (tenant.receives === 'none' && !receives)
    return illegal(
      'receives',
      'no operation of this tenant uses receives',
      'SEND or WRITE_WITH_IMM among the operations',
    );
  return null;
}
