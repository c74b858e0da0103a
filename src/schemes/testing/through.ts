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

/** One tenant behind a scheme on both devices. */
function behind(scheme: Scheme): (left: Context, right: Context) => Through {
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

/** Everything that stands between a tenant and its verbs, by name: the contract suite runs through each. */
export const through: Readonly<Record<string, (left: Context, right: Context) => Through>> = {
  'an interposer that passes everything on': (left, right) => ({
    left: new InterposedContext({ inner: left }),
    right: new InterposedContext({ inner: right }),
    stop: () => {},
  }),
  justitia: behind(justitia),
  'justitia that paces all, in chunks of 1 KB': behind(
    justitiaWith('justitia', 'for tests', { targetNs: 2000, paceAll: true, chunkBytes: 1024 }),
  ),
  perf: behind(perf),
  'perf that always isolates, in sub-messages of 2 KB': behind(
    perfWith({ isolation: 'always', subMessageBytes: 2048, waitUnitBytes: 512 }),
  ),
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
