import { KelpieError } from '../error.js';

/**
 * Refuses an event that cannot be scheduled, and says what is wrong with it. Kept out of line: the caller tests, this
 * one only throws.
 */
export function refuseEvent(event: {
  time: number;
  handler: number;
  a: number;
  b: number;
  c: number;
  now: number;
  handlers: number;
}): never {
  const { time, handler, now } = event;
  if (time < now) {
    throw new KelpieError('EVENT_IN_PAST', 'an event cannot happen before the present', {
      field: 'time',
      given: time,
      allowed: `${now} or later`,
    });
  }
  if (!Number.isSafeInteger(time)) {
    throw new KelpieError('EVENT_TIME', 'the time of an event is not a safe integer', {
      field: 'time',
      given: time,
      allowed: `an integer from ${now} to ${Number.MAX_SAFE_INTEGER}`,
    });
  }
  if (!(handler >= 0 && handler < event.handlers && (handler | 0) === handler)) {
    throw new KelpieError('EVENT_HANDLER', 'no such handler is registered', {
      field: 'handler',
      given: handler,
      allowed: 'a number that register returned',
    });
  }
  const field = (['a', 'b', 'c'] as const).find((name) => (event[name] | 0) !== event[name]) ?? 'c';
  throw new KelpieError('EVENT_ARGUMENT', 'an argument of an event does not fit', {
    field,
    given: event[field],
    allowed: 'a 32-bit integer',
  });
}
