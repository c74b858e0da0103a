import type { SuiteTenant } from '../suite/index.js';

/** The four attackers of Husky §5.2, from the first host to the second. */
export const applicationAttacks = {
  /** ib_write_bw: 16 queue pairs with 128 WRITEs of 1 MB each. */
  bandwidth: {
    qps: 16,
    threads: 1,
    sizes: [1 << 20],
    mrScope: 'thread',
    mrBytes: 1 << 20,
    sendQueueDepth: 128,
  },
  /** 36 queue pairs on 6 cores with 128 WRITEs of 257 B each, which the paper has at almost 50 Gb/s. */
  pcie: { qps: 36, threads: 6, sizes: [257], sendQueueDepth: 128, rateLimit: { gbps: (50 * 257) / 335 } },
  /** 1536 queue pairs on 6 cores over 12288 regions, one WRITE of 256 B each. */
  cache: { qps: 1536, threads: 6, mrs: 8, mrChoice: 'random', sizes: [256], outstanding: 1 },
  /** One UC queue pair with 128 SENDs that nobody receives. */
  pu: { transport: 'UC', opcode: 'SEND', sizes: [64], sendQueueDepth: 128, receives: 'none' },
} as const satisfies Readonly<Record<string, SuiteTenant>>;

/** An attack on an application. */
export type ApplicationAttack = keyof typeof applicationAttacks;
