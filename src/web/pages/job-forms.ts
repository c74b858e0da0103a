import type { JobRequest } from '../../laboratory/desk/backend.js';
import type { Catalogue } from '../../laboratory/desk/catalogue.js';
import { linkText } from '../../laboratory/setup/link.js';

const METRICS = ['goodputGbps', 'messagesPerSecond', 'latencyNs.p50', 'pauseRatio'];
const WORKLOAD = 'opcode: SEND\nsizes: [4096]\nqps: 16\nmeasure: { minNs: 200000, maxNs: 600000 }\n';
const FABRIC = `# 16 hosts under one switch; all send to the first
topology: { kind: star, hosts: 16 }
control: dcqcn
workload: [{ kind: incast, bytes: 200000 }]
`;

/** A value and how the reader sees it. */
type Choice = readonly [value: string, title: string];

/** What a form has been filled in with, by field. */
type Values = Readonly<Record<string, string>>;

/** One field of a form. */
export interface FormField {
  readonly name: string;
  readonly label: string | ((catalogue: Catalogue) => string);
  readonly initial: string;
  /** The only values that it takes. */
  readonly choices?: (catalogue: Catalogue) => readonly Choice[];
  /** Values that it suggests, with the others as they are filled in. */
  readonly hints?: (catalogue: Catalogue, values: Values) => readonly string[];
  /** Lines of text; one unless set. */
  readonly rows?: number;
  /** Shares a line, below the others, with the form’s other half. */
  readonly half?: true;
}

/** A form that starts a job, or opens a workload in the laboratory. */
export interface JobFormSpec {
  readonly title: string;
  readonly about: string;
  readonly action: string;
  readonly fields: readonly FormField[];
  readonly submit: (values: Values, catalogue: Catalogue) => JobRequest | { readonly open: string };
}

const plain = (names: readonly string[]): Choice[] => names.map((name) => [name, name]);
const words = (text: string): string[] => text.split(/[\s,]+/).filter((each) => each !== '');

function subsystem(initial: string): FormField {
  return {
    ...{ name: 'subsystem', label: 'Subsystem', initial },
    choices: ({ subsystems }) => subsystems.map(({ name, title }) => [name, title]),
  };
}

/** Every job that has no page of its own. */
export const jobForms: readonly JobFormSpec[] = [
  {
    title: 'bw and lat',
    about: 'perftest’s measurements as workloads: rate with full queues, or latency of a ping-pong.',
    action: 'Open in the lab',
    fields: [
      subsystem('perf'),
      {
        ...{ name: 'kind', label: 'Measure', initial: 'bw', half: true },
        choices: () => [
          ['bw', 'bw: rate'],
          ['lat', 'lat: latency'],
        ],
      },
      {
        ...{ name: 'verb', label: 'Operation', initial: 'WRITE', half: true },
        choices: () => plain(['WRITE', 'SEND']),
      },
    ],
    submit: ({ subsystem: on, kind, verb }, { version }) => {
      const workload =
        kind === 'bw'
          ? `opcode: ${verb}\nsizes: [65536]\nqps: 1\nsendQueueDepth: 128\nthreads: 1\n`
          : `mode: pingPong\nopcode: ${verb}\nsizes: [2]\nqps: 1\nthreads: 1\n`;
      const request = { job: 'run', subsystem: on, seed: 1, workload } as const;
      return { open: `#/run?${linkText({ kind: 'workload', request }, version)}` };
    },
  },
  {
    title: 'isolate',
    about: 'Does one tenant hurt another? Attackers against victims under an isolation scheme.',
    action: 'Isolate',
    fields: [
      subsystem('husky'),
      {
        ...{ name: 'scheme', label: 'Scheme', initial: 'none' },
        choices: ({ schemes }) => plain(schemes),
      },
      {
        ...{ name: 'attackers', initial: 'PU-*', half: true },
        label: ({ attackers }) => `Attackers (of ${attackers.length})`,
      },
      {
        ...{ name: 'victims', initial: 'all', half: true },
        label: ({ victims }) => `Victims (of ${victims.length})`,
      },
    ],
    submit: ({ subsystem: on, scheme, attackers, victims }) => {
      return { job: 'isolate', subsystem: on, scheme, attackers, victims, seed: 1 };
    },
  },
  {
    title: 'sweep',
    about: 'One workload with every combination of values of its fields, of constants or of settings.',
    action: 'Sweep',
    fields: [
      subsystem('perf'),
      { name: 'vary', label: 'Vary: one or more, separated by spaces', initial: 'qps=1..64' },
      { name: 'workload', label: 'Workload', initial: WORKLOAD, rows: 5 },
    ],
    submit: ({ subsystem: on, workload, vary }) => ({
      ...{ job: 'sweep', subsystem: on, workload, metrics: METRICS, seed: 1 },
      // Values are separated by commas.
      vary: vary.split(/\s+/).filter((each) => each !== ''),
    }),
  },
  {
    title: 'compare',
    about: 'One workload on several subsystems, side by side.',
    action: 'Compare',
    fields: [
      { name: 'subsystems', label: 'Subsystems', initial: 'srnic, husky' },
      { name: 'sweep', label: 'Sweep (optional)', initial: 'qps=1,16,256' },
      { name: 'workload', label: 'Workload', initial: WORKLOAD, rows: 5 },
    ],
    submit: ({ subsystems, sweep, workload }) => ({
      ...{ job: 'compare', workload, sweep: sweep.trim(), metrics: METRICS, seed: 1 },
      subsystems: words(subsystems),
    }),
  },
  {
    title: 'fabric',
    about: 'A fabric of light NICs and switches, packet by packet. It cannot refer to other files.',
    action: 'Simulate',
    fields: [{ name: 'fabric', label: 'Description', initial: FABRIC, rows: 8 }],
    submit: ({ fabric }) => ({ job: 'fabric', fabric, seed: 1 }),
  },
  {
    title: 'ping',
    about: 'Find the slow link inside a simulated server, healthy or with a fault.',
    action: 'Ping',
    fields: [
      {
        ...{ name: 'host', label: 'Server', initial: 'hostping' },
        choices: ({ servers }) => servers.map(({ name, title }) => [name, title]),
      },
      {
        ...{ name: 'device', label: 'Its RNICs', initial: 'connectx-6-200g' },
        choices: ({ devices }) => plain(devices),
      },
      {
        ...{ name: 'fault', label: 'Fault (optional)', initial: 'pcie-width@rnic2-up:0.25' },
        hints: ({ servers }, { host }) => servers.find(({ name }) => name === host)?.faults ?? [],
      },
    ],
    submit: ({ host, device, fault }) => ({ job: 'ping', host, device, fault: fault.trim(), seed: 1 }),
  },
];
