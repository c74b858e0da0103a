import type { RunRequest } from '../desk/backend.js';

/** What the sliders and buttons of the laboratory say. */
export interface Setup {
  readonly subsystem: string;
  readonly transport: 'RC' | 'UC' | 'UD';
  readonly opcode: 'WRITE' | 'READ' | 'SEND' | 'FETCH_ADD';
  readonly direction: 'uni' | 'bi' | 'loopback';
  readonly sizeBytes: number;
  readonly qps: number;
  readonly batch: number;
  readonly depth: number;
  readonly mtu: number;
  /** Where the memory of each host lies; empty: where the subsystem has it. */
  readonly memoryA: string;
  readonly memoryB: string;
  /** Settings that differ from the subsystem's. */
  readonly settings: Readonly<Record<string, string>>;
  readonly seed: number;
}

/** A control that is dragged: a number on a ladder. */
export interface Slider {
  readonly field: 'sizeBytes' | 'qps' | 'batch' | 'depth' | 'mtu';
  readonly title: string;
  /** The workload's word for it. */
  readonly word: string;
  readonly values: readonly number[];
  readonly isBytes: boolean;
}

/** A control that is pressed: one of a few words. */
export interface Choice {
  readonly field: 'opcode' | 'transport' | 'direction';
  readonly title: string;
  readonly word: string;
  readonly values: readonly string[];
}

/** A control of the laboratory with a response of its own. */
export type Control = Slider | Choice;

const powers = (from: number, to: number, step = 2): number[] =>
  from > to ? [] : [from, ...powers(from * step, to, step)];

/** What is dragged. */
export const SLIDERS: readonly Slider[] = [
  { field: 'sizeBytes', title: 'Message size', word: 'sizes', values: powers(64, 1 << 20), isBytes: true },
  { field: 'qps', title: 'Queue pairs', word: 'qps', values: powers(1, 1024), isBytes: false },
  { field: 'batch', title: 'Batch', word: 'batch', values: powers(1, 64), isBytes: false },
  { field: 'depth', title: 'Queue depth', word: 'sendQueueDepth', values: powers(1, 128), isBytes: false },
  { field: 'mtu', title: 'MTU', word: 'mtu', values: powers(256, 4096), isBytes: true },
];

/** What is pressed. */
export const CHOICES: readonly Choice[] = [
  { field: 'opcode', title: 'Operation', word: 'opcode', values: ['WRITE', 'READ', 'SEND', 'FETCH_ADD'] },
  { field: 'transport', title: 'Transport', word: 'transport', values: ['RC', 'UC', 'UD'] },
  { field: 'direction', title: 'Direction', word: 'direction', values: ['uni', 'bi', 'loopback'] },
];

/** All of them. */
export const CONTROLS: readonly Control[] = [...SLIDERS, ...CHOICES];

/**
 * What the laboratory opens with: writes into the memory of a GPU behind a PCIe switch that redirects peer traffic
 * (Collie #12). The queues are short, so that a request's latency fits into the run.
 */
export const FIRST_SETUP: Setup = {
  ...{ subsystem: 'collie-f-as-tested', transport: 'RC', opcode: 'WRITE', direction: 'uni' },
  ...{ sizeBytes: 16384, qps: 8, batch: 1, depth: 4, mtu: 4096 },
  ...{ memoryA: '', memoryB: 'gpu0', settings: {}, seed: 1 },
};

/** An atomic is eight bytes long. */
const ATOMIC_BYTES = 8;

/** Runs of the laboratory are short: a drag of a slider should not wait. */
const MEASURE = { sliceNs: 10_000, minNs: 200_000, maxNs: 600_000 };

/** The setup with one thing changed, and what then has to follow so that it can be run. */
export function changed<Field extends keyof Setup>(setup: Setup, field: Field, value: Setup[Field]): Setup {
  const next = { ...setup, [field]: value };
  if (field === 'batch') next.depth = Math.max(next.depth, next.batch);
  if (field === 'depth') next.batch = Math.min(next.batch, next.depth);
  // Whoever asks for an operation gets a transport that has it.
  if (field === 'opcode') {
    const isOneSided = next.opcode === 'WRITE';
    const has = { RC: true, UC: isOneSided || next.opcode === 'SEND', UD: next.opcode === 'SEND' };
    if (!has[next.transport]) next.transport = 'RC';
  }
  if (next.transport === 'UD') next.opcode = 'SEND';
  if (next.transport === 'UC' && (next.opcode === 'READ' || next.opcode === 'FETCH_ADD'))
    next.opcode = 'WRITE';
  if (next.transport === 'UD') next.sizeBytes = Math.min(next.sizeBytes, next.mtu);
  return next;
}

/** What else changed between two setups beside one field, in words; empty where nothing did. */
export function followed(before: Setup, after: Setup, field: keyof Setup): string[] {
  return CONTROLS.filter(
    (control) => control.field !== field && before[control.field] !== after[control.field],
  ).map((control) => `${control.title.toLowerCase()} is ${textOf(control, after[control.field])} now`);
}

/** The value of a control as people read it. */
export function textOf(control: Control, value: number | string): string {
  return 'isBytes' in control && control.isBytes ? bytesText(Number(value)) : String(value);
}

/** Bytes as people read them. */
export function bytesText(bytes: number): string {
  if (bytes >= 1 << 20) return `${round(bytes / (1 << 20))} MB`;
  return bytes >= 1024 ? `${round(bytes / 1024)} KB` : `${round(bytes)} B`;
}

function round(value: number): string {
  return String(Number(value.toPrecision(3)));
}

/** The workload of a setup, with no more in it than it needs. */
export function setupWorkload(setup: Setup): Record<string, unknown> {
  const { transport, opcode, direction, qps, batch, depth, mtu, memoryA, memoryB, settings } = setup;
  const memory = {
    ...(memoryA === '' ? {} : { a: memoryA }),
    ...(memoryB === '' || direction === 'loopback' ? {} : { b: memoryB }),
  };
  return {
    ...{ transport, opcode, direction, qps, batch, sendQueueDepth: depth, mtu },
    sizes: [opcode === 'FETCH_ADD' ? ATOMIC_BYTES : setup.sizeBytes],
    ...(Object.keys(memory).length === 0 ? {} : { memory }),
    ...(Object.keys(settings).length === 0 ? {} : { settings }),
    measure: MEASURE,
  };
}

/** A workload as a file that `kelpie run` takes: a line for each field, its value as JSON, which YAML reads too. */
export function workloadText(workload: Readonly<Record<string, unknown>>): string {
  return Object.entries(workload)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}: ${flow(value)}\n`)
    .join('');
}

/** A value on one line, as people write it in YAML. */
function flow(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(flow).join(', ')}]`;
  if (typeof value === 'object' && value !== null) {
    const fields = Object.entries(value).filter(([, each]) => each !== undefined);
    return `{ ${fields.map(([name, each]) => `${word(name)}: ${flow(each)}`).join(', ')} }`;
  }
  return typeof value === 'string' ? word(value) : JSON.stringify(value);
}

/** A word stands as it is where YAML reads it as one; everything else is quoted. */
function word(text: string): string {
  const isPlain = /^[A-Za-z][\w/-]*$/.test(text) && !/^(true|false|null|yes|no|on|off|y|n)$/i.test(text);
  return isPlain ? text : JSON.stringify(text);
}

/** The run of a setup. */
export function requestOf(setup: Setup): RunRequest {
  return {
    ...{ job: 'run', subsystem: setup.subsystem, seed: setup.seed },
    workload: workloadText(setupWorkload(setup)),
  };
}

/** A text that is equal for equal runs and no others. */
export function keyOf({
  subsystem,
  seed,
  workload,
}: Pick<RunRequest, 'subsystem' | 'seed' | 'workload'>): string {
  return `${subsystem}\n${seed}\n${workload}`;
}

/** The command that makes the same run: the workload comes with it, so that nothing else is needed. */
export function commandOf({
  subsystem,
  seed,
  workload,
}: Pick<RunRequest, 'subsystem' | 'seed' | 'workload'>): string {
  // A line of the workload that ends the text would be a command.
  let end = 'END';
  while (workload.split('\n').includes(end)) end += '_';
  return `kelpie run /dev/stdin --subsystem ${shellWord(subsystem)} --seed ${seed} --levels <<'${end}'\n${workload.replace(/\n*$/, '\n')}${end}`;
}

function shellWord(text: string): string {
  return /^[\w./:-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
