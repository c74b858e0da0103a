import { describe, expect, it } from 'vitest';
import { Checker } from '../../engine/index.js';
import { Fabric } from '../../models/fabric/index.js';
import { answerOf } from './answer.js';
import { runMixed } from './mixed.js';
import { parseFabric } from './resolve.js';

// Goal: what one NIC does to a fabric. Collie's #12 on one host, whose peer has its data in host memory and sends at full
// rate, makes it pause its switch; the pauses reach light hosts that send to other hosts, and a watchdog ends that.

const WATCHDOG = 'watchdog: { detectNs: 15000, restoreNs: 100000, pollNs: 5000, rule: nvidia }';

/** Hosts 0 and 4 are full, on leaves of their own; the light ones of either leaf send to those of the other. */
function description(acs: 'direct' | 'redirect', more = ''): string {
  return `
topology: { kind: leaf-spine, leaves: 2, spines: 1, hostsPerLeaf: 4, host: { gbps: 200 }, fabric: { gbps: 800 } }
workload: [{ kind: permutation, bytes: 300000, startNs: 100000 }]
control: none
buffer: { bytes: 1500000 }
pauses: { quanta: 65535 }
${more}
full:
  hosts: [host 0, host 4]
  subsystem: collie-e
  workload:
    settings: { acs: ${acs}, ordering: relaxed }
    opcode: WRITE
    direction: bi
    qps: 8
    mrBytes: 4194304
    sendQueueDepth: 128
    batch: 8
    sge: 3
    sizes: [[128, 65536, 1024]]
    mtu: 4096
    memory: { a: gpu0, b: memory0 }
    measure: { minNs: 250000, maxNs: 300000 }
`;
}

async function ran(text: string) {
  const job = parseFabric(text, 'mixed.yaml', () => '');
  const checker = new Checker();
  const spec = { ...job.spec, checker };
  const { fabric, recorder, measurement } = await runMixed({ ...job, spec, full: job.full! });
  expect(checker.passed).toBeGreaterThan(1000);
  return { answer: answerOf(fabric, recorder, false), measurement };
}

describe('full NICs in a fabric of light ones', () => {
  it('an anomaly of one NIC holds flows that have nothing to do with it, and a watchdog ends that', async () => {
    const [healthy, sick, watched] = [
      await ran(description('direct')),
      await ran(description('redirect')),
      await ran(description('redirect', WATCHDOG)),
    ];
    expect(healthy.measurement.verdict.symptom).not.toBe('pause');
    expect(sick.measurement.verdict.symptom).toBe('pause');
    const heldHosts = ({ links }: (typeof sick)['answer']) =>
      links.filter(({ from, pausedNs }) => from.startsWith('host') && pausedNs > 0).map(({ from }) => from);
    const light = (held: readonly string[]) => held.filter((name) => name !== 'host 0' && name !== 'host 4');
    expect(light(heldHosts(healthy.answer))).toEqual([]);
    expect(light(heldHosts(sick.answer))).not.toEqual([]);
    const [root] = sick.answer.pauseTrees;
    expect([root.from, root.to]).toEqual(['leaf 0', 'host 0']);
    expect(root.held.map(({ from }) => from)).toContain('spine 0');
    const slowestNs = ({ answer }: typeof sick) => answer.completionNs!.max;
    expect(slowestNs(sick)).toBeGreaterThan(1.5 * slowestNs(healthy));
    expect(watched.answer.watchdog.map(({ kind }) => kind)).toContain('storm');
    expect(slowestNs(watched)).toBeLessThan(slowestNs(sick));
    expect(sick.answer.drops).toBe(0);
    expect(watched.answer.drops).toBe(watched.answer.watchdogDrops);
  });

  it('comes out the same twice', async () => {
    const [one, other] = [await ran(description('redirect')), await ran(description('redirect'))];
    expect(other).toEqual(one);
  });

  it.each([
    ['hosts: [host 0, host 4]', 'hosts: [host 0, leaf 1]', 'full.hosts[1]'],
    ['hosts: [host 0, host 4]', 'hosts: [host 0, host 4, host 5]', 'full.hosts'],
    ['control: none', 'control: none\norder: ns3', 'order'],
    ['opcode: WRITE', 'opcode: WRITTEN', 'opcode'],
    ['subsystem: collie-e', 'subsystem: collie-z', 'subsystem'],
  ])('refuses %s as %s', async (from, to, field) => {
    await expect(ran(description('direct').replace(from, to))).rejects.toThrow(field);
  });

  it('a fabric with full hosts is not run without them', () => {
    const { spec } = parseFabric(description('direct'), 'mixed.yaml', () => '');
    expect(() => new Fabric(spec)).toThrow(expect.objectContaining({ code: 'FABRIC_GUEST' }));
  });
});
