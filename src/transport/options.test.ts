import { expect, it } from 'vitest';
import { transportOptions } from './options.js';

it('refuses counts that are none', () => {
  for (const [field, given] of [
    ['ackRequestInterval', 0],
    ['maxOutstandingPackets', 2 ** 23 + 1],
    ['maxOutstandingPackets', 1.5],
  ] as const) {
    const wanted = { code: 'TRANSPORT_OPTION_OUT_OF_RANGE', field, given };
    expect(() => transportOptions({ [field]: given })).toThrow(expect.objectContaining(wanted));
  }
});
