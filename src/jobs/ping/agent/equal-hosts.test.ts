import { expect, it } from 'vitest';
import { equalHosts } from './equal-hosts.js';
import { planNamed, recordWith } from './testing/records.js';

const plan = planNamed('single-rnic');
const host = (name: string, change: { gbps?: number; latencyNs?: number; settingsHash?: string } = {}) => {
  const { settingsHash = 'same', ...reading } = change;
  const record = recordWith(plan, { settingsHash });
  const paths = record.paths.map((path, index) => (index === 0 ? { ...path!, ...reading } : path));
  return { name, plan, record: { ...record, paths } };
};

it('a host that is slower or later than its equals stands out, whatever its own baseline says', () => {
  const equals = ['a', 'b', 'c', 'd', 'e'].map((name) => host(name));
  const [group, ...others] = equalHosts([
    ...equals,
    host('slow', { gbps: 160 }),
    host('late', { latencyNs: 3100 }),
  ]);
  expect(others).toEqual([]);
  expect(group.hosts).toHaveLength(7);
  expect(group.paths[0]).toEqual({ gbps: 210, latencyNs: 2500 });
  expect([...group.outliers.keys()]).toEqual(['slow', 'late']);
  expect(group.outliers.get('slow')).toEqual([`${plan.paths[0].rnic} to ${plan.paths[0].endpoint}`]);
});

it('four hosts, or five with other settings, are no measure', () => {
  const four = ['a', 'b', 'c', 'd'].map((name) => host(name));
  expect(equalHosts(four)).toEqual([]);
  expect(equalHosts([...four, host('e', { settingsHash: 'other' })])).toEqual([]);
  const partial = host('f');
  const unread = { ...partial, record: { ...partial.record, paths: partial.record.paths.map(() => null) } };
  expect(equalHosts([...four, unread])).toEqual([]);
});
