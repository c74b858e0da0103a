import { SoftwareInterposer } from '../interposer/index.js';
import { ANYWHERE, AS_SHIPPED, type Scheme } from '../scheme.js';
import { JUSTITIA } from './constants.js';
import { Pacer, type PacerOptions } from './pacer.js';

/** Room for parts of the scheme's own in every send queue. */
const EXTRA_REQUESTS = 512;

/** Justitia with a threshold of the reference flow's latency, or other settings. */
export function justitiaWith(name: string, title: string, settings: Omit<PacerOptions, 'hosts'>): Scheme {
  return {
    name,
    title,
    refuses({ tenants, together }) {
      if (together.some((each) => each.startsWith('sr-iov')))
        return `${name} isolates tenants of one function alone: it cannot be combined with sr-iov`;
      for (const { name: tenant, opcodes } of tenants) {
        const other = opcodes.find((opcode) => opcode === 'RDMA_READ' || opcode.startsWith('ATOMIC'));
        if (other !== undefined) return `${name} paces no ${other}, which ${tenant} uses`;
      }
      return null;
    },
    device: () => AS_SHIPPED,
    place: () => ANYWHERE,
    interpose: (options) =>
      new SoftwareInterposer(
        options,
        EXTRA_REQUESTS,
        (host) => new Pacer(host, { ...settings, hosts: options.hosts }),
      ),
  };
}

/** Justitia (NSDI 2022): tokens paced by a virtual link capacity, which a latency target drives. */
export const justitia = justitiaWith('justitia', 'pacing by tokens, 2 us latency target', {
  targetNs: JUSTITIA.targetNs.value,
});

/** Justitia with PeRF's generous threshold (PeRF §5.1, Justitia_R). */
export const justitiaRelaxed = justitiaWith('justitia-relaxed', 'pacing by tokens, 15 us latency target', {
  targetNs: JUSTITIA.relaxedTargetNs.value,
});
