import { describe, expect, it } from 'vitest';
import { NotificationPoint, NotificationScope } from './notification-point.js';

const US = 1e6;

describe('a notification point', () => {
  it.each([
    [NotificationScope.PORT, [true, false, false, true]],
    [NotificationScope.DESTINATION, [true, false, true, true]],
    [NotificationScope.QUEUE_PAIR, [true, true, true, true]],
  ])('paces notifications by scope %i', (scope, expected) => {
    const point = new NotificationPoint({ intervalPs: 4 * US, scope });
    // Two queue pairs of one node, then one of another, then the first again an interval later.
    const due = [
      point.due(0, 1, 10),
      point.due(1 * US, 2, 10),
      point.due(2 * US, 3, 11),
      point.due(4 * US, 1, 10),
    ];
    expect(due).toEqual(expected);
    expect(point.due(5 * US, 1, 10)).toBe(false);
  });

  it('forgets a queue pair whose number is given to another', () => {
    const point = new NotificationPoint({ intervalPs: 4 * US, scope: NotificationScope.QUEUE_PAIR });
    expect([point.due(US, 7, 0), point.due(2 * US, 7, 0)]).toEqual([true, false]);
    point.forget(7);
    expect([point.due(2 * US, 7, 0), point.due(2 * US, 8, 0)]).toEqual([true, true]);
  });
});
