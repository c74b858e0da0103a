import type { Context } from '../../verbs/index.js';
import { InterposedContext } from '../interposer/index.js';
import { justitia, justitiaWith } from '../justitia/index.js';
import { perf, perfWith } from '../perf/index.js';
import type { Scheme, SchemeTenant } from '../scheme.js';

/** Two contexts that stand in front of two devices. */
export interface Through {
  left: Context;
  right: Context;
  stop(): void;
}

/** Puts something in front of two devices. */
export type Between = (left: Context, right: Context) => Through;

/** One tenant behind a scheme on both devices. */
function behind(scheme: Scheme): Between {
  return (left, right) => {
    const hosts = [
      { name: 'a', context: left },
      { name: 'b', context: right },
    ];
    const tenant: SchemeTenant = { name: 'tenant', index: 0, weight: 1, guaranteeGbps: 0, bypasses: false };
    const interposer = scheme.interpose!({ hosts, tenants: [tenant], seed: 1 });
    return {
      left: interposer.wrap(hosts[0], tenant),
      right: interposer.wrap(hosts[1], tenant),
      stop: () => interposer.stop(),
    };
  };
}

/** What stands between a tenant and its verbs, by name: the contract suite runs through each, on every provider. */
export const through: Readonly<Record<string, Between>> = {
  justitia: behind(justitia),
  perf: behind(perf),
  'perf that always isolates, in sub-messages of 2 KB': behind(
    perfWith({ isolation: 'always', subMessageBytes: 2048, waitUnitBytes: 512 }),
  ),
};

/** More of it, where cases are quick: nothing but the passing on, and a pacer that lets nobody past. */
export const throughQuickly: Readonly<Record<string, Between>> = {
  'an interposer that passes everything on': (left, right) => ({
    left: new InterposedContext({ inner: left }),
    right: new InterposedContext({ inner: right }),
    stop: () => {},
  }),
  'justitia that paces all, in chunks of 1 KB': behind(
    justitiaWith('justitia', 'for tests', { targetNs: 2000, paceAll: true, chunkBytes: 1024 }),
  ),
};

/** Opens two devices through a scheme; closing ends the tenants first, then the devices. */
export function openThrough(
  between: Between,
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
