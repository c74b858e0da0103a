import { DCQCN_MODE, DCTCP_MODE, HPCC_MODE, TIMELY_MODE } from './constants.js';
import { fileError, TextReader } from './text-reader.js';
import { readRate } from './units.js';

/** Thresholds of a rate, in ns-3's units. */
export type RateMap = ReadonlyMap<number, number>;

/** `LINK_DOWN`: a link that fails, this many microseconds after second 2. */
export interface LinkDown {
  readonly afterUs: number;
  readonly from: number;
  readonly to: number;
}

/** A configuration of HPCC's simulator: its keys in their units, with its defaults. */
export interface Ns3Config {
  readonly topologyFile: string;
  readonly flowFile: string;
  readonly traceFile: string | null;
  readonly traceOutputFile: string | null;
  readonly fctOutputFile: string;
  readonly pfcOutputFile: string;
  readonly queueFile: string | null;
  readonly queueStartNs: number;
  readonly queueEndNs: number;
  readonly marks: boolean;
  readonly payloadBytes: number;
  readonly chunkBytes: number;
  readonly ackIntervalBytes: number;
  readonly backToChunk: boolean;
  readonly stopSeconds: number;
  readonly controlMode: number;
  readonly alphaIntervalUs: number;
  readonly decreaseIntervalUs: number;
  readonly increaseIntervalUs: number;
  readonly clampTarget: boolean;
  readonly gain: number;
  readonly fastRecoverySteps: number;
  readonly additiveBps: number;
  readonly hyperBps: number;
  readonly minRateBps: number;
  readonly dctcpAdditiveBps: number;
  readonly errorRate: number;
  readonly hasWindow: boolean;
  readonly globalRtt: boolean;
  readonly variableWindow: boolean;
  readonly fastReact: boolean;
  readonly targetUtilisation: number;
  readonly additiveSteps: number;
  readonly telemetryMultiple: number;
  readonly ratePerHop: boolean;
  readonly sampleFeedback: boolean;
  readonly rateBound: boolean;
  readonly ackHighPriority: boolean;
  readonly linkDown: LinkDown | null;
  readonly trace: boolean;
  readonly minKilobytes: RateMap;
  readonly maxKilobytes: RateMap;
  readonly markProbability: RateMap;
  readonly bufferMegabytes: number;
  /** The file itself, and where its keys stand in it. */
  readonly file: string;
  readonly lines: ReadonlyMap<string, number>;
  /** Keys that nobody knows, with their lines: they change nothing. Words behind a value are remarks. */
  readonly ignored: readonly { key: string; line: number }[];
}

type Draft = { -readonly [Key in keyof Ns3Config]: Ns3Config[Key] };
type Setter = (draft: Draft, reader: TextReader, key: string) => void;

const UINT32 = 2 ** 32 - 1;

const DEFAULTS: Omit<Draft, 'ignored' | 'file' | 'lines'> = {
  topologyFile: '',
  flowFile: '',
  traceFile: null,
  traceOutputFile: null,
  fctOutputFile: 'fct.txt',
  pfcOutputFile: 'pfc.txt',
  queueFile: null,
  queueStartNs: 2e9,
  queueEndNs: 2.1e9,
  marks: true,
  payloadBytes: 1000,
  chunkBytes: 0,
  ackIntervalBytes: 0,
  backToChunk: false,
  stopSeconds: 3.01,
  controlMode: 1,
  alphaIntervalUs: 55,
  decreaseIntervalUs: 4,
  increaseIntervalUs: 1500,
  clampTarget: false,
  // `1 / 16` in whole numbers.
  gain: 0,
  fastRecoverySteps: 5,
  additiveBps: 0,
  hyperBps: 0,
  minRateBps: 100e6,
  dctcpAdditiveBps: 1000e6,
  errorRate: 0,
  hasWindow: true,
  globalRtt: true,
  variableWindow: false,
  fastReact: true,
  targetUtilisation: 0.95,
  additiveSteps: 5,
  telemetryMultiple: 1,
  ratePerHop: true,
  sampleFeedback: false,
  rateBound: true,
  ackHighPriority: false,
  linkDown: null,
  trace: true,
  minKilobytes: new Map(),
  maxKilobytes: new Map(),
  markProbability: new Map(),
  bufferMegabytes: 16,
};

const text =
  (
    name:
      | 'topologyFile'
      | 'flowFile'
      | 'traceFile'
      | 'traceOutputFile'
      | 'fctOutputFile'
      | 'pfcOutputFile'
      | 'queueFile',
  ): Setter =>
  (draft, reader, key) => {
    draft[name] = reader.word(key, 'a file');
  };
type Numeric = { [Key in keyof Draft]: Draft[Key] extends number ? Key : never }[keyof Draft];
type Flag = { [Key in keyof Draft]: Draft[Key] extends boolean ? Key : never }[keyof Draft];
const whole =
  (name: Numeric, least = 0, most = UINT32): Setter =>
  (draft, reader, key) => {
    draft[name] = reader.integer(key, least, most);
  };
const decimal =
  (name: Numeric, least: number, most: number): Setter =>
  (draft, reader, key) => {
    const allowed = `a number from ${least} to ${most}`;
    const value = reader.number(key, allowed);
    if (value < least || value > most) reader.refuse(key, value, allowed);
    draft[name] = value;
  };
/** ns-3 turns these into whole microseconds. */
const microseconds =
  (name: Numeric): Setter =>
  (draft, reader, key) => {
    const value = Math.floor(reader.number(key, 'microseconds'));
    if (value < 0 || value > 1e9) reader.refuse(key, value, '0 to 1000000000 microseconds');
    draft[name] = value;
  };
const flag =
  (name: Flag): Setter =>
  (draft, reader, key) => {
    draft[name] = reader.integer(key, 0, UINT32) !== 0;
  };
const rate =
  (name: Numeric): Setter =>
  (draft, reader, key) => {
    draft[name] = readRate(reader, key);
  };
const map =
  (name: 'minKilobytes' | 'maxKilobytes' | 'markProbability', most: number): Setter =>
  (draft, reader, key) => {
    const count = reader.integer(`number of rates of ${key}`, 0, 1024);
    const values = new Map<number, number>();
    for (let index = 0; index < count; index++) {
      const bps = reader.integer(`rate of ${key}`, 1, 1e15);
      const value = reader.number(`value of ${key}`);
      if (value < 0 || value > most) reader.refuse(`value of ${key}`, value, `0 to ${most}`);
      values.set(bps, name === 'markProbability' ? value : Math.floor(value));
    }
    draft[name] = values;
  };
/** Read and of no effect, in ns-3 and here. */
const unused: Setter = (_draft, reader, key) => void reader.word(key);

const KEYS: Readonly<Record<string, Setter>> = {
  ENABLE_QCN: flag('marks'),
  USE_DYNAMIC_PFC_THRESHOLD: unused,
  CLAMP_TARGET_RATE: flag('clampTarget'),
  PAUSE_TIME: unused,
  DATA_RATE: unused,
  LINK_DELAY: unused,
  PACKET_PAYLOAD_SIZE: whole('payloadBytes', 1, 65_000),
  L2_CHUNK_SIZE: whole('chunkBytes'),
  L2_ACK_INTERVAL: whole('ackIntervalBytes'),
  L2_BACK_TO_ZERO: flag('backToChunk'),
  TOPOLOGY_FILE: text('topologyFile'),
  FLOW_FILE: text('flowFile'),
  TRACE_FILE: text('traceFile'),
  TRACE_OUTPUT_FILE: text('traceOutputFile'),
  SIMULATOR_STOP_TIME: decimal('stopSeconds', 0, 1e6),
  ALPHA_RESUME_INTERVAL: microseconds('alphaIntervalUs'),
  RP_TIMER: microseconds('increaseIntervalUs'),
  EWMA_GAIN: decimal('gain', 0, 1),
  FAST_RECOVERY_TIMES: whole('fastRecoverySteps'),
  RATE_AI: rate('additiveBps'),
  RATE_HAI: rate('hyperBps'),
  ERROR_RATE_PER_LINK: decimal('errorRate', 0, 1),
  CC_MODE: whole('controlMode'),
  RATE_DECREASE_INTERVAL: microseconds('decreaseIntervalUs'),
  MIN_RATE: rate('minRateBps'),
  FCT_OUTPUT_FILE: text('fctOutputFile'),
  HAS_WIN: flag('hasWindow'),
  GLOBAL_T: (draft, reader, key) => {
    draft.globalRtt = reader.integer(key, 0, UINT32) === 1;
  },
  MI_THRESH: whole('additiveSteps'),
  VAR_WIN: flag('variableWindow'),
  FAST_REACT: flag('fastReact'),
  U_TARGET: decimal('targetUtilisation', 1e-6, 1e6),
  INT_MULTI: whole('telemetryMultiple', 1, 1_000_000),
  RATE_BOUND: flag('rateBound'),
  ACK_HIGH_PRIO: flag('ackHighPriority'),
  DCTCP_RATE_AI: rate('dctcpAdditiveBps'),
  PFC_OUTPUT_FILE: text('pfcOutputFile'),
  LINK_DOWN: (draft, reader, key) => {
    const afterUs = reader.integer(`time of ${key}`, 0, 1e15);
    const from = reader.integer(`end of ${key}`, 0, UINT32);
    const to = reader.integer(`end of ${key}`, 0, UINT32);
    draft.linkDown = afterUs === 0 ? null : { afterUs, from, to };
  },
  ENABLE_TRACE: flag('trace'),
  KMAX_MAP: map('maxKilobytes', 2_000_000),
  KMIN_MAP: map('minKilobytes', 2_000_000),
  PMAX_MAP: map('markProbability', 1),
  BUFFER_SIZE: whole('bufferMegabytes', 1, 2047),
  QLEN_MON_FILE: text('queueFile'),
  QLEN_MON_START: whole('queueStartNs', 0, Number.MAX_SAFE_INTEGER),
  QLEN_MON_END: whole('queueEndNs', 0, Number.MAX_SAFE_INTEGER),
  MULTI_RATE: flag('ratePerHop'),
  SAMPLE_FEEDBACK: flag('sampleFeedback'),
  PINT_LOG_BASE: unused,
  PINT_PROB: unused,
};

const DCQCN_TIMERS = [
  ['ALPHA_RESUME_INTERVAL', 'alphaIntervalUs'],
  ['RATE_DECREASE_INTERVAL', 'decreaseIntervalUs'],
  ['RP_TIMER', 'increaseIntervalUs'],
] as const;
/** Controls by `CC_MODE`. */
const CONTROL_MODES: readonly number[] = [0, DCQCN_MODE, HPCC_MODE, TIMELY_MODE, DCTCP_MODE];

/** Reads a configuration of HPCC's simulator. Files that it names are relative to it. */
export function readConfig(file: string, source: string): Ns3Config {
  const reader = new TextReader(file, source);
  const ignored: { key: string; line: number }[] = [];
  const lines = new Map<string, number>();
  const draft: Draft = { ...DEFAULTS, file, lines, ignored };
  while (!reader.atEnd) {
    const key = reader.word('key');
    lines.set(key, reader.line);
    const setter = KEYS[key];
    if (setter !== undefined) setter(draft, reader, key);
    else if (reader.beginsLine && /^[A-Z][A-Z0-9_]*$/.test(key)) ignored.push({ key, line: reader.line });
  }
  const need = (key: string) => {
    if (lines.has(key)) return;
    throw fileError(file, reader.line, `the file has no ${key}`, {
      field: key,
      allowed: `${key} and its value`,
    });
  };
  for (const key of ['TOPOLOGY_FILE', 'FLOW_FILE', 'L2_ACK_INTERVAL', 'RATE_AI', 'RATE_HAI']) need(key);
  const refuse = (key: string, given: unknown, allowed: string) =>
    reader.refuse(key, given, allowed, lines.get(key));
  if (!CONTROL_MODES.includes(draft.controlMode))
    refuse('CC_MODE', draft.controlMode, '0 (none), 1 (DCQCN), 3 (HPCC), 7 (TIMELY) or 8 (DCTCP)');
  if (draft.controlMode === DCQCN_MODE) {
    need('RP_TIMER');
    for (const [key, name] of DCQCN_TIMERS)
      if (draft[name] === 0)
        refuse(key, 0, '1 microsecond or more under DCQCN: with less its time stands still');
  }
  if (draft.ackIntervalBytes === 0)
    refuse('L2_ACK_INTERVAL', 0, '1 or more: with 0 ns-3 acknowledges nothing and no flow ends');
  if (draft.chunkBytes === 0 && (draft.backToChunk || draft.ackIntervalBytes > 1))
    refuse('L2_CHUNK_SIZE', 0, '1 or more with L2_BACK_TO_ZERO or an L2_ACK_INTERVAL above 1');
  if (draft.minRateBps < 1) refuse('MIN_RATE', draft.minRateBps, '1bps or more: at 0 nothing is ever sent');
  return draft;
}
