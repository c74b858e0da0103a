import { huskyTraffic, perftest, type Victim } from './entry.js';

const VERBS = ['write', 'send', 'read'] as const;
const LETTERS = { s: 'SEND', w: 'WRITE', r: 'READ' } as const;

const large: Victim[] = VERBS.map((verb) => ({
  name: `large_bw_${verb}`,
  tenant: perftest({ verb, processes: 1, qps: 1, sizeBytes: 65536, postList: 128, depth: 128 }),
}));

const small: Victim[] = VERBS.map((verb) => ({
  name: `small_tput_${verb}`,
  tenant: perftest({ verb, processes: 8, qps: 16, sizeBytes: 8, postList: 16, depth: 16 }),
}));

const packet: Victim[] = VERBS.map((verb) => ({
  name: `mtu_tput_${verb}`,
  tenant: perftest({ verb, processes: 4, qps: 16, sizeBytes: 4096, postList: 16, depth: 16 }),
}));

const MANY = {
  qp: { processes: 6, qps: 16, mrs: 1 },
  mr: { processes: 16, qps: 6, mrs: 16 },
} as const;

const many: Victim[] = Object.entries(MANY).flatMap(([what, shape]) =>
  Object.entries(LETTERS).flatMap(([letter, opcode]) =>
    [512, 4096].map((sizeBytes) => ({
      name: `te_many_${what}_${letter}_1_${sizeBytes}`,
      tenant: huskyTraffic({
        ...shape,
        opcode,
        sizeBytes,
        sendDepth: 1,
        sendBatch: 1,
        receiveDepth: 1024,
        receiveBatch: 32,
        bufferBytes: what === 'mr' ? 16 * 4096 : 4096,
      }),
    })),
  ),
);

/** The 21 victims of Husky's generator; its paper counts 20. */
export const victims: readonly Victim[] = [...large, ...small, ...packet, ...many];
