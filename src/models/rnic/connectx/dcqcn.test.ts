import { describe, expect, it } from 'vitest';
import { dcqcnNicDefaults, NotificationScope } from '../../../transport/index.js';
import { constantsOf } from '../testing/test-parts.js';
import { DeviceDcqcn, dcqcnLineBps, dcqcnParameters, RateScope } from './dcqcn.js';

const device = constantsOf('connectx-6-200g');
const US = 1e6;

describe("a device's congestion control", () => {
  it('comes from its profile, which says what the firmware of mlx5 starts with', () => {
    expect(dcqcnParameters(device)).toEqual(dcqcnNicDefaults());
    expect(dcqcnLineBps({ ...device, dcqcnMaxRateMbps: 5000 }, 200e9)).toBe(5e9);
    expect(dcqcnLineBps(device, 200e9)).toBe(200e9);
    const without = dcqcnParameters({ ...device, dcqcnByteResetUnits: 0 });
    expect(without.byteCounterBytes).toBe(Number.POSITIVE_INFINITY);
  });

  it('has a rate per destination or per queue pair, as the profile says', () => {
    const limitedBy = (scope: number) => {
      const point = new DeviceDcqcn({ ...device, dcqcnRateScope: scope }, 200e9);
      const [one, other] = [point.control(3, 4096), point.control(3, 4096)];
      one.onCnp(0);
      other.onSend(4096, 0, true);
      return other.nextSendPs > 0;
    };
    expect([limitedBy(RateScope.DESTINATION), limitedBy(RateScope.QUEUE_PAIR)]).toEqual([true, false]);
  });

  it('paces notifications as the profile says', () => {
    const paced = { ...device, dcqcnCnpIntervalUs: 4, dcqcnCnpScope: NotificationScope.PORT };
    const { notification } = new DeviceDcqcn(paced, 200e9);
    expect([0, 3.9, 4].map((us) => notification.due(us * US, 1, 10))).toEqual([true, false, true]);
  });
});
