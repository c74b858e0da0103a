import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { placementOf } from './description.js';
import { canonical, DEVICE_NAME, hostName, hostNameLike, parseDeviceName, placeOf } from './device-name.js';

describe('the name of a device', () => {
  it('is a place by letter or number, or a name', () => {
    expect(['a', 'z', 'h0', 'h25', 'h4095'].map(placeOf)).toEqual([0, 25, 0, 25, 4095]);
    expect(['hh', 'h00', 'h-1', 'A', 'aa', 'host1', '0'].map(placeOf)).toEqual(Array(7).fill(null));
  });

  it('has one spelling for all its aliases', () => {
    expect(['c', 'h2', 'c/rnic1', 'h2/rnic1', 'server', 'server/rnic1'].map(canonical)).toEqual([
      'h2',
      'h2',
      'h2/rnic1',
      'h2/rnic1',
      'server',
      'server/rnic1',
    ]);
  });

  it('keeps the style of its neighbour as far as letters go', () => {
    expect([hostNameLike('b', 0), hostNameLike('b', 26), hostNameLike('h1', 0)]).toEqual(['a', 'h26', 'h0']);
  });

  it('comes apart and is the same again', () => {
    const part = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9._-]{0,20}$/);
    fc.assert(
      fc.property(part, fc.option(part), fc.nat(4095), (host, device, place) => {
        const text = device === null ? host : `${host}/${device}`;
        expect(DEVICE_NAME.test(text)).toBe(true);
        expect(parseDeviceName(text)).toEqual({ host, device });
        expect(canonical(canonical(text))).toBe(canonical(text));
        expect(placeOf(hostName(place))).toBe(place);
      }),
    );
  });

  it('has memory of its own, or that of its host', () => {
    const memory = { a: 'memory0', 'h0/rnic1': 'gpu1', server: 'gpu2' };
    expect(
      ['a', 'h0', 'a/rnic0', 'a/rnic1', 'h0/rnic1', 'server/x', 'h1'].map((at) =>
        placementOf({ memory }, at),
      ),
    ).toEqual(['memory0', 'memory0', 'memory0', 'gpu1', 'gpu1', 'gpu2', undefined]);
    expect(placementOf({ memory: 'gpu0' }, 'h7')).toBe('gpu0');
    expect(placementOf({ memory: null }, 'h7')).toBeUndefined();
  });
});
