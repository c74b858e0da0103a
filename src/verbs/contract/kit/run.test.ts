import { describe, expect, it } from 'vitest';
import type { Context } from '../../context.js';
import type { Capabilities } from '../../device.js';
import { contractCases } from '../cases.js';
import { broken } from './assert.js';
import { type ContractCase, casesOf, missingNeed } from './case.js';
import { type ContractOptions, planContract, runContract } from './run.js';
import { contractSuite } from './suite.js';

const capabilities: Capabilities = {
  transports: ['RC'],
  sendOpcodes: { RC: ['SEND'], UC: [], UD: [] },
  srq: false,
  memoryWindows: true,
  fastRegistration: false,
  crossChannel: false,
  cqResize: false,
  completionTimestamps: false,
  unbackedMemory: false,
  placements: false,
  queuePlacements: false,
  packets: false,
  inOrderPlacement: false,
  connectionManager: false,
  reasons: { srq: 'the firmware has none', UC: 'nobody asked' },
};
const context = { deviceName: 'dummy0', capabilities } as Context;
const test = casesOf('example');

let closed = 0;
function options(cases: readonly ContractCase[], more: Partial<ContractOptions> = {}): ContractOptions {
  const open = async () => ({
    left: context,
    right: context,
    lossless: false,
    close: async () => {
      closed++;
    },
  });
  return { name: 'dummy', open, cases, ...more };
}

const good = test('good', [], async () => {});
const bad = test('bad', [], async () => broken('it broke', 1, '2'));
const shared = test('shared', ['srq'], async () => broken('never reached'));
const exact = test('exact', ['lossless'], async () => broken('never reached'));
const excused = test('excused', [], async (bench) => bench.skip('no room'));

describe('the contract suite itself', () => {
  it('has cases with unique, readable names, 150 of them at least', () => {
    const names = contractCases.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(names.length).toBeGreaterThan(150);
    for (const { name, group } of contractCases) expect(name.startsWith(`${group}: `)).toBe(true);
  });

  it('reports passed, failed and skipped cases, with reasons', async () => {
    const before = closed;
    const report = await runContract(options([good, bad, shared, exact, excused]));
    expect(report).toEqual({
      provider: 'dummy',
      passed: ['example: good'],
      failed: [{ name: 'example: bad', reason: 'it broke; given 1, allowed: 2' }],
      skipped: [
        { name: 'example: shared', reason: 'dummy0 lacks srq: the firmware has none' },
        { name: 'example: exact', reason: 'packets may be lost between these devices' },
        { name: 'example: excused', reason: 'no room' },
      ],
    });
    expect(closed - before).toBe(5);
  });

  it('skips by name and by pattern, and refuses a skip that matches nothing', async () => {
    const skip = [
      { reason: 'known', cases: ['example: bad'] },
      { reason: 'later', cases: /good$/ },
    ];
    const report = await runContract(options([good, bad], { skip }));
    expect(report.failed).toEqual([]);
    expect(report.skipped).toEqual([
      { name: 'example: good', reason: 'later' },
      { name: 'example: bad', reason: 'known' },
    ]);
    for (const cases of [['example: gone'], ['example: bad', 'example: gone'], /gone/]) {
      expect(() => planContract({ cases: [bad], skip: [{ reason: 'stale', cases }] })).toThrow(
        expect.objectContaining({ code: 'CONTRACT_SKIP_UNUSED' }),
      );
    }
  });

  it('knows transports, operations and features', () => {
    expect(missingNeed('RC:SEND', [context], true)).toBeNull();
    expect(missingNeed('memoryWindows', [context], true)).toBeNull();
    expect(missingNeed('lossless', [context], true)).toBeNull();
    expect(missingNeed('UC', [context], true)).toBe('dummy0 lacks UC: nobody asked');
    expect(missingNeed('RC:RDMA_READ', [context], true)).toBe('dummy0 lacks RC:RDMA_READ: no reason given');
  });

  it('declares its cases to a test framework', async () => {
    const bodies: { name: string; run: () => Promise<void> }[] = [];
    const skipped: (string | undefined)[] = [];
    const handle = { skip: (reason?: string) => skipped.push(reason) };
    contractSuite({
      ...options([good, bad, shared]),
      describe: (_, body) => body(),
      it: (name, body) => bodies.push({ name, run: () => body(handle) }),
    });
    expect(bodies.map(({ name }) => name)).toEqual(['example: good', 'example: bad', 'example: shared']);
    await bodies[0]!.run();
    await expect(bodies[1]!.run()).rejects.toThrow('it broke');
    await bodies[2]!.run();
    expect(skipped).toEqual(['dummy0 lacks srq: the firmware has none']);
  });
});
