import type { ComponentChildren, JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { JobRequest, LaboratoryBackend } from '../../laboratory/desk/backend.js';
import type { Catalogue } from '../../laboratory/desk/catalogue.js';
import { linkText } from '../../laboratory/setup/link.js';
import { Fault, Field } from '../parts.js';

const METRICS = ['goodputGbps', 'messagesPerSecond', 'latencyNs.p50', 'pauseRatio'];
const WORKLOAD = 'opcode: SEND\nsizes: [4096]\nqps: 16\nmeasure: { minNs: 200000, maxNs: 600000 }\n';
const FABRIC = `# 16 hosts under one switch; all send to the first
topology: { kind: star, hosts: 16 }
control: dcqcn
workload: [{ kind: incast, bytes: 200000 }]
`;

interface JobsProps {
  readonly backend: LaboratoryBackend;
  readonly catalogue: Catalogue;
}

/** Every other job: what is started here goes on by itself and is kept. */
export function JobsPage({ backend, catalogue }: JobsProps): JSX.Element {
  const [fault, setFault] = useState<string | null>(null);
  const start = async (request: JobRequest) => {
    try {
      const id = await backend.start(request);
      setFault(null);
      location.hash = `#/results/${id}`;
    } catch (error) {
      setFault((error as Error).message);
      document.getElementById('main')?.scrollIntoView();
    }
  };
  const each = { catalogue, onStart: start };
  return (
    <>
      <h1>Other jobs</h1>
      <p class="small muted lead">
        Each does what the command of its name does, with the flags shown. A job goes on while you look
        elsewhere on the page, and what comes of it is kept under Results.
      </p>
      {fault !== null && <Fault text={fault} />}
      <div class="jobforms">
        <Perftest catalogue={catalogue} />
        <Isolate {...each} />
        <Sweep {...each} />
        <Compare {...each} />
        <Fabric {...each} />
        <Ping {...each} />
      </div>
    </>
  );
}

interface FormProps {
  readonly catalogue: Catalogue;
  readonly onStart: (request: JobRequest) => Promise<void>;
}

function JobForm({
  title,
  about,
  action,
  onSubmit,
  children,
}: {
  title: string;
  about: string;
  action: string;
  onSubmit: () => void;
  children: ComponentChildren;
}): JSX.Element {
  return (
    <form
      class="card pad"
      aria-label={title}
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
      }}
    >
      <h2>{title}</h2>
      <p class="small muted">{about}</p>
      {children}
      <button type="submit" class="btn main">
        {action}
      </button>
    </form>
  );
}

function Choose({
  id,
  label,
  value,
  values,
  onChoose,
}: {
  id: string;
  label: string;
  value: string;
  values: readonly (readonly [string, string])[];
  onChoose: (value: string) => void;
}): JSX.Element {
  return (
    <Field label={label} id={id}>
      <select id={id} value={value} onChange={(event) => onChoose(event.currentTarget.value)}>
        {values.map(([name, title]) => (
          <option key={name} value={name}>
            {title}
          </option>
        ))}
      </select>
    </Field>
  );
}

function Words({
  id,
  label,
  value,
  onWrite,
  rows,
}: {
  id: string;
  label: string;
  value: string;
  onWrite: (value: string) => void;
  rows?: number;
}): JSX.Element {
  return (
    <Field label={label} id={id}>
      {rows === undefined ? (
        <input id={id} type="text" value={value} onInput={(event) => onWrite(event.currentTarget.value)} />
      ) : (
        <textarea
          id={id}
          rows={rows}
          spellcheck={false}
          value={value}
          onInput={(event) => onWrite(event.currentTarget.value)}
        />
      )}
    </Field>
  );
}

function subsystemsOf({ subsystems }: Catalogue): [string, string][] {
  return subsystems.map(({ name, title }) => [name, title]);
}

const plain = (names: readonly string[]): [string, string][] => names.map((name) => [name, name]);

/** perftest's measurements are workloads: they open in the laboratory. */
function Perftest({ catalogue }: { catalogue: Catalogue }): JSX.Element {
  const [subsystem, setSubsystem] = useState('perf');
  const [verb, setVerb] = useState('WRITE');
  const [kind, setKind] = useState('bw');
  const open = () => {
    const workload =
      kind === 'bw'
        ? `opcode: ${verb}\nsizes: [65536]\nqps: 1\nsendQueueDepth: 128\nthreads: 1\n`
        : `mode: pingPong\nopcode: ${verb}\nsizes: [2]\nqps: 1\nthreads: 1\n`;
    const request = { job: 'run', subsystem, seed: 1, workload } as const;
    location.hash = `#/run?${linkText({ kind: 'workload', request }, catalogue.version)}`;
  };
  return (
    <JobForm
      title="bw and lat"
      about="perftest’s measurements, as workloads of their own: rate with full queues, or latency of a ping-pong."
      action="Open in the laboratory"
      onSubmit={open}
    >
      <Choose
        id="pt-on"
        label="Subsystem"
        value={subsystem}
        values={subsystemsOf(catalogue)}
        onChoose={setSubsystem}
      />
      <div class="two">
        <Choose
          id="pt-kind"
          label="Measure"
          value={kind}
          values={[
            ['bw', 'bw: rate'],
            ['lat', 'lat: latency'],
          ]}
          onChoose={setKind}
        />
        <Choose
          id="pt-verb"
          label="Operation"
          value={verb}
          values={plain(['WRITE', 'SEND'])}
          onChoose={setVerb}
        />
      </div>
    </JobForm>
  );
}

function Isolate({ catalogue, onStart }: FormProps): JSX.Element {
  const [subsystem, setSubsystem] = useState('husky');
  const [scheme, setScheme] = useState('none');
  const [attackers, setAttackers] = useState('PU-*');
  const [victims, setVictims] = useState('all');
  return (
    <JobForm
      title="isolate"
      about="Does one tenant hurt another? Attackers against victims under an isolation scheme."
      action="Isolate"
      onSubmit={() => void onStart({ job: 'isolate', subsystem, scheme, attackers, victims, seed: 1 })}
    >
      <Choose
        id="is-on"
        label="Subsystem"
        value={subsystem}
        values={subsystemsOf(catalogue)}
        onChoose={setSubsystem}
      />
      <Choose
        id="is-scheme"
        label="Scheme"
        value={scheme}
        values={plain(catalogue.schemes)}
        onChoose={setScheme}
      />
      <div class="two">
        <Words
          id="is-attackers"
          label={`Attackers, of ${catalogue.attackers.length}`}
          value={attackers}
          onWrite={setAttackers}
        />
        <Words
          id="is-victims"
          label={`Victims, of ${catalogue.victims.length}`}
          value={victims}
          onWrite={setVictims}
        />
      </div>
    </JobForm>
  );
}

function Sweep({ catalogue, onStart }: FormProps): JSX.Element {
  const [subsystem, setSubsystem] = useState('perf');
  const [vary, setVary] = useState('qps=1..64');
  const [workload, setWorkload] = useState(WORKLOAD);
  return (
    <JobForm
      title="sweep"
      about="A workload over every combination of values of its fields, of constants or of settings."
      action="Sweep"
      onSubmit={() =>
        void onStart({
          job: 'sweep',
          subsystem,
          workload,
          vary: vary.split(/\s+/).filter((each) => each !== ''),
          metrics: METRICS,
          seed: 1,
        })
      }
    >
      <Choose
        id="sw-on"
        label="Subsystem"
        value={subsystem}
        values={subsystemsOf(catalogue)}
        onChoose={setSubsystem}
      />
      <Words id="sw-vary" label="Vary, one or more, apart by spaces" value={vary} onWrite={setVary} />
      <Words id="sw-workload" label="Workload" value={workload} onWrite={setWorkload} rows={5} />
    </JobForm>
  );
}

function Compare({ onStart }: FormProps): JSX.Element {
  const [subsystems, setSubsystems] = useState('srnic, husky');
  const [sweep, setSweep] = useState('qps=1,16,256');
  const [workload, setWorkload] = useState(WORKLOAD);
  return (
    <JobForm
      title="compare"
      about="One workload on several subsystems side by side."
      action="Compare"
      onSubmit={() =>
        void onStart({
          ...{ job: 'compare', workload, sweep: sweep.trim(), metrics: METRICS, seed: 1 },
          subsystems: subsystems.split(/[\s,]+/).filter((each) => each !== ''),
        })
      }
    >
      <Words id="co-on" label="Subsystems" value={subsystems} onWrite={setSubsystems} />
      <Words id="co-sweep" label="Sweep, or nothing" value={sweep} onWrite={setSweep} />
      <Words id="co-workload" label="Workload" value={workload} onWrite={setWorkload} rows={5} />
    </JobForm>
  );
}

function Fabric({ onStart }: FormProps): JSX.Element {
  const [fabric, setFabric] = useState(FABRIC);
  return (
    <JobForm
      title="fabric"
      about="A fabric of light NICs and switches, packet by packet. It may name no other file."
      action="Simulate"
      onSubmit={() => void onStart({ job: 'fabric', fabric, seed: 1 })}
    >
      <Words id="fa-fabric" label="Description" value={fabric} onWrite={setFabric} rows={8} />
    </JobForm>
  );
}

function Ping({ catalogue, onStart }: FormProps): JSX.Element {
  const [host, setHost] = useState('hostping');
  const [device, setDevice] = useState('connectx-6-200g');
  const [fault, setFault] = useState('pcie-width@rnic2-up:0.25');
  const faults = catalogue.servers.find(({ name }) => name === host)?.faults ?? [];
  return (
    <JobForm
      title="ping"
      about="Find the slow link inside a simulated server, healthy or with a fault."
      action="Ping"
      onSubmit={() => void onStart({ job: 'ping', host, device, fault: fault.trim(), seed: 1 })}
    >
      <Choose
        id="pi-host"
        label="Server"
        value={host}
        values={catalogue.servers.map(({ name, title }) => [name, title])}
        onChoose={setHost}
      />
      <Choose
        id="pi-device"
        label="Its RNICs"
        value={device}
        values={plain(catalogue.devices)}
        onChoose={setDevice}
      />
      <Field label="Fault, or nothing" id="pi-fault">
        <input
          id="pi-fault"
          type="text"
          list="pi-faults"
          value={fault}
          onInput={(event) => setFault(event.currentTarget.value)}
        />
        <datalist id="pi-faults">
          {faults.map((each) => (
            <option key={each} value={each} />
          ))}
        </datalist>
      </Field>
    </JobForm>
  );
}
