import {
  type Attacker,
  type HuskyCommand,
  huskyTraffic,
  type Perftest,
  perftest,
  type SuiteTenant,
} from './entry.js';

const VERBS = ['write', 'read', 'send'] as const;
const LETTERS = { w: 'WRITE', r: 'READ', s: 'SEND' } as const;
const LETTER_NAMES = ['w', 'r', 's'] as const;
const HOSTS = { sender: 'a', receiver: 'b' } as const;
const MIB = 1 << 20;
const GIB = 1 << 30;

/** A thread that never stops calling: each call is as long as the device profile says. */
const WITHOUT_PAUSE = 1e6;
/** The tool's threads; Husky §3.5: the rate of control verbs is bound by the kernel, hence by thread. */
const CONTROL_THREADS = 6;
/** A registration and a deregistration: so far apart are the threads at most. */
export const CONTROL_CYCLE_NS = 1_300_000;

const bandwidth: Attacker[] = [
  ...VERBS.map((verb) => perftestAttacker('bandwidth', `BW-1MB_${verb}`, bulk(verb, 1, MIB))),
  ...VERBS.map((verb) => perftestAttacker('bandwidth', `BW-4KB_${verb}`, bulk(verb, 4, 4096))),
];

function bulk(verb: Perftest['verb'], processes: number, sizeBytes: number): Perftest {
  return { verb, processes, qps: 16, sizeBytes, postList: 128, depth: 128 };
}

function perftestAttacker(
  attackClass: Attacker['attackClass'],
  name: string,
  given: Perftest,
  rest: Partial<Attacker> = {},
): Attacker {
  return { name, attackClass, column: null, tenant: perftest(given), ...rest };
}

const pcie: Attacker[] = [
  // One byte more than a TLP's payload of 256 or 128 bytes.
  ...[257, 129].map(
    (sizeBytes): Attacker => ({
      name: `PCIe-size_w_1_${sizeBytes}`,
      attackClass: 'pcie',
      column: 'PCIe bandwidth',
      tenant: huskyTraffic({
        opcode: 'WRITE',
        processes: 6,
        qps: 16,
        sizeBytes,
        sendDepth: 1024,
        sendBatch: 1,
        receiveDepth: 1024,
        receiveBatch: 0,
      }),
    }),
  ),
  ...(['receiver', 'sender'] as const).map((host) =>
    perftestAttacker(
      'pcie',
      `PCIe-loopback_${host}`,
      { verb: 'write', processes: 2, qps: 8, sizeBytes: MIB, postList: 1, depth: 5, loopbackOn: HOSTS[host] },
      {
        column: 'PCIe bandwidth',
        corrected: 'the script starts one process more than its loop is meant to: two are run, as described',
      },
    ),
  ),
];

const RNR = {
  opcode: 'SEND',
  processes: 1,
  qps: 1,
  sizeBytes: 4096,
  sendDepth: 1,
  sendBatch: 1,
  receiveDepth: 1,
  receiveBatch: 0,
} as const satisfies HuskyCommand;

function rnr(name: string, given: Partial<HuskyCommand>): Attacker {
  const reliable = given.transport === 'RC';
  return {
    name: `PU-RNR_${name}`,
    attackClass: 'pu',
    column: reliable ? 'RC error handling' : 'UD and UC error handling',
    tenant: huskyTraffic({ ...RNR, ...given }),
  };
}

const processingUnits: Attacker[] = [
  rnr('RC-RNR-longms', { transport: 'RC', minRnrTimer: 0 }),
  rnr('RC-RNR-shortus', { transport: 'RC', minRnrTimer: 1 }),
  rnr('UC-RNR', { transport: 'UC' }),
  rnr('UD-RNR', { transport: 'UD' }),
  ...([...VERBS, 'cas', 'faa'] as const).flatMap((verb) =>
    [false, true].map((backward) =>
      perftestAttacker(
        'pu',
        `PU-request_${verb}_${backward ? 'backward' : 'forward'}`,
        { verb, processes: 8, qps: 8, sizeBytes: 8, postList: 8, depth: 8, backward },
        { column: 'data verbs on PUs' },
      ),
    ),
  ),
];

const contexts: Attacker[] = VERBS.map((verb) =>
  perftestAttacker(
    'cache',
    `Cache-QPC_${verb}`,
    { verb, processes: 16, qps: 32, sizeBytes: 512, postList: 1, depth: 5 },
    { column: 'data verbs on the cache' },
  ),
);

/** By name: regions of a process and their bytes; every message fills a region. */
const ACCESS = {
  num: { mrs: 4096, sizeBytes: 512 },
  size: { mrs: 1, sizeBytes: GIB },
  all: { mrs: 1024, sizeBytes: MIB },
} as const;

const access: Attacker[] = Object.entries(ACCESS).flatMap(([what, { mrs, sizeBytes }]) =>
  LETTER_NAMES.map(
    (letter): Attacker => ({
      name: `Cache-access_mr_${what}_${letter}`,
      attackClass: 'cache',
      column: 'data verbs on the cache',
      tenant: huskyTraffic({
        opcode: LETTERS[letter],
        processes: 4,
        qps: 1,
        sizeBytes,
        sendDepth: 128,
        sendBatch: 1,
        receiveDepth: 256,
        receiveBatch: 32,
        mrs,
        bufferBytes: sizeBytes,
      }),
    }),
  ),
);

const CONTROL = { num: 1024, all: MIB, size: GIB } as const;

const control: Attacker[] = [false, true].flatMap((ownDomains) =>
  Object.entries(CONTROL).flatMap(([what, mrBytes]) =>
    (['sender', 'receiver'] as const).map((host): Attacker => {
      // With one buffer, a domain a buffer is one domain: size_pd equals size.
      const pds = ownDomains && what !== 'size' ? 'own' : 'shared';
      return {
        name: `Cache-ctrl_${what}_${ownDomains ? 'pd_' : ''}${host}`,
        attackClass: 'cache',
        column: 'control verbs on the cache',
        tenant: {
          qps: 0,
          control: Array.from({ length: CONTROL_THREADS }, () => calls(HOSTS[host], mrBytes, pds)),
        },
      };
    }),
  ),
);

function calls(
  host: string,
  mrBytes: number,
  pds: 'own' | 'shared',
): NonNullable<SuiteTenant['control']>[number] {
  return { host, verb: 'both', perSecond: WITHOUT_PAUSE, spreadNs: CONTROL_CYCLE_NS, mrBytes, pds };
}

const WQES = {
  processes: 4,
  qps: 8,
  sizeBytes: 4096,
  sendDepth: 1024,
  sendBatch: 64,
  receiveDepth: 1024,
  receiveBatch: 128,
} as const satisfies Omit<HuskyCommand, 'opcode'>;

const receiveWqes: Attacker[] = [
  ...(['UD', 'UC', 'RC'] as const).map(
    (transport): Attacker => ({
      name: `Cache-recvwqe_${transport}_recv`,
      attackClass: 'cache',
      column: 'data verbs on the cache',
      tenant: huskyTraffic({ ...WQES, transport, opcode: 'SEND' }),
      ...(transport === 'RC'
        ? {}
        : {
            corrected: `the script gives --qp_type to the client alone, whose server stays RC: both are ${transport}`,
          }),
    }),
  ),
  {
    name: 'Cache-recvwqe_RC_read',
    attackClass: 'cache',
    column: 'data verbs on the cache',
    tenant: huskyTraffic({ ...WQES, opcode: 'READ', sizeBytes: 16384 }),
  },
];

/** Husky's 52 attackers: 6 of bandwidth, 4 of PCIe, 14 of processing units, 28 of caches. */
export const attackers: readonly Attacker[] = [
  ...bandwidth,
  ...pcie,
  ...processingUnits,
  ...contexts,
  ...access,
  ...control,
  ...receiveWqes,
];
