import { describe, expect, it } from 'vitest';
import { Random } from '../../../engine/index.js';
import { IDEAL_CAPABILITIES, IDEAL_LIMITS } from '../../../providers/ideal/device.js';
import { parseGid } from '../../../wire/ib/gid.js';
import { Access } from '../../access.js';
import type { QueuePairCarrier } from '../carrier.js';
import { BaseContext } from '../objects/context.js';
import type { BaseMemoryRegion } from '../objects/memory-region.js';
import { QpNumbers } from '../qp-numbers.js';
import { AddressSpace } from './address-space.js';

function makeContext(hooks: Pick<QueuePairCarrier, 'regionAdded' | 'regionRemoved'>): BaseContext {
  const nothing = () => undefined;
  const random = new Random(1);
  return new BaseContext({
    deviceName: 'manual0',
    capabilities: IDEAL_CAPABILITIES,
    clock: { nowNs: 0, virtual: true, sleep: async () => undefined },
    device: { ...IDEAL_LIMITS, maxMr: 2 },
    ports: [],
    carrier: {
      created: nothing,
      posted: nothing,
      sendReady: nothing,
      receivesPosted: nothing,
      stateChanged: nothing,
      destroyed: nothing,
      settle: nothing,
      waiting: nothing,
      counters: () => ({}),
      ...hooks,
    },
    qpNumbers: new QpNumbers(),
    addresses: new AddressSpace(),
    random: () => random.nextUint32(),
    parseGid,
  });
}

describe('a carrier that wants to know of memory regions', () => {
  it('is told of registrations and deregistrations, with the entry still readable', () => {
    const log: string[] = [];
    const context: BaseContext = makeContext({
      regionAdded: (slot) => void log.push(`added ${slot}: ${context.memory.length[slot]} B`),
      regionRemoved: (slot) => void log.push(`removed ${slot}: ${context.memory.length[slot]} B`),
    });
    const pd = context.allocPd();
    const region = pd.regMr(new Uint8Array(64), Access.LOCAL_WRITE) as BaseMemoryRegion;
    region.dereg();
    expect(log).toEqual([`added ${region.slot}: 64 B`, `removed ${region.slot}: 64 B`]);
  });

  it('is told of the end of a fast region alone, and of nothing that is refused', () => {
    const log: string[] = [];
    const context = makeContext({
      regionAdded: () => void log.push('added'),
      regionRemoved: () => void log.push('removed'),
    });
    const pd = context.allocPd();
    const fast = pd.allocMr(4096);
    fast.dereg();
    expect(log).toEqual(['removed']);
    expect(() => fast.dereg()).toThrow(expect.objectContaining({ code: 'OBJECT_DESTROYED' }));
    for (let index = 0; index < 2; index++) pd.regMr(new Uint8Array(8), 0);
    expect(() => pd.regMr(new Uint8Array(8), 0)).toThrow(expect.objectContaining({ code: 'LIMIT_REACHED' }));
    expect(log).toEqual(['removed', 'added', 'added']);
  });

  it('need not care', () => {
    const region = makeContext({}).allocPd().regMr(new Uint8Array(8), 0);
    expect(() => region.dereg()).not.toThrow();
  });
});
