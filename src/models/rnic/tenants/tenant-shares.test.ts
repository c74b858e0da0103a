import { describe, expect, it } from 'vitest';
import { Simulation } from '../../../engine/index.js';
import { SlotServer } from '../../resource/slot-server.js';
import { bookShare, TenantShares } from './tenant-shares.js';

describe('shares of a device', () => {
  const make = (weights: readonly number[]) => new TenantShares(new Simulation(), weights);

  it('leave everything to a tenant that is alone', () => {
    const shares = make([1, 1, 1]);
    shares.heard(1);
    expect(shares.partOf(1, 7)).toBe(7);
    expect(shares.startOf(1, 7)).toBe(0);
  });

  it('lie one behind the other, by weight, for those that are active', () => {
    const shares = make([1, 1, 2, 1]);
    for (const tenant of [1, 2, 3]) shares.heard(tenant);
    const parts = [1, 2, 3].map((tenant) => [shares.startOf(tenant, 8), shares.partOf(tenant, 8)]);
    expect(parts).toEqual([
      [0, 2],
      [2, 4],
      [6, 2],
    ]);
  });

  it('give each tenant servers of its own: the backlog of one does not make the other wait', () => {
    const shares = make([1, 1, 1]);
    shares.heard(1);
    shares.heard(2);
    const server = new SlotServer(7);
    for (let request = 0; request < 100; request++) bookShare(server, shares, 2, 0, 10);
    for (let request = 0; request < 3; request++) expect(bookShare(server, shares, 1, 0, 10)).toBe(10);
    expect(bookShare(server, shares, 1, 0, 10)).toBe(20);
  });
});
