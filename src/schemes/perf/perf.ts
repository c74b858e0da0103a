import { SoftwareInterposer } from '../interposer/index.js';
import { ANYWHERE, AS_SHIPPED, type Scheme } from '../scheme.js';
import { PERF_DEFAULTS, type PerfSettings } from './constants.js';
import { Master } from './master.js';
import { Peers } from './peers.js';

/** Room for requests of the scheme's own in every send queue: some sixty sub-messages with their WAITs. */
const EXTRA_REQUESTS = 1024;

/**
 * PeRF with some of its settings changed.
 *
 * @example
 * const generous = perfWith({ waitUnitBytes: 2048 });
 */
export function perfWith(settings: Partial<PerfSettings>): Scheme {
  const all: PerfSettings = { ...PERF_DEFAULTS, ...settings };
  return {
    name: 'perf',
    title: 'preemption by WAIT and ENABLE',
    refuses({ provider, capabilities, together }) {
      if (together.some((each) => each.startsWith('sr-iov')))
        return 'perf knows the tenants of one function alone: it cannot be combined with sr-iov';
      if (capabilities.crossChannel) return null;
      const reason = capabilities.reasons['crossChannel'];
      return `perf needs WAIT and ENABLE, which the ${provider} provider lacks${reason === undefined ? '' : `: ${reason}`}`;
    },
    device: () => AS_SHIPPED,
    place: () => ANYWHERE,
    interpose: (options) => {
      const peers = new Peers();
      return new SoftwareInterposer(options, EXTRA_REQUESTS, (host) => new Master(host, all, peers));
    },
  };
}

/** PeRF (ATC 2024) as the paper has it. */
export const perf: Scheme = perfWith({});
