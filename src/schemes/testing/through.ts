import type { Context } from '../../verbs/index.js';
import { InterposedContext } from '../interposer/index.js';

/** Two contexts that stand in front of two devices. */
export interface Through {
  left: Context;
  right: Context;
  stop(): void;
}

/** Everything that stands between a tenant and its verbs, by name: the contract suite runs through each. */
export const through: Readonly<Record<string, (left: Context, right: Context) => Through>> = {
  'an interposer that passes everything on': (left, right) => ({
    left: new InterposedContext({ inner: left }),
    right: new InterposedContext({ inner: right }),
    stop: () => {},
  }),
};

/** Opens two devices through a scheme; closing ends the tenants first, then the devices. */
export function openThrough(
  between: (left: Context, right: Context) => Through,
  left: Context,
  right: Context,
): { left: Context; right: Context; lossless: boolean; close(): Promise<void> } {
  const seen = between(left, right);
  return {
    left: seen.left,
    right: seen.right,
    lossless: true,
    close: async () => {
      await Promise.all([seen.left.close(), seen.right.close()]);
      seen.stop();
      await Promise.all([left.close(), right.close()]);
    },
  };
}
