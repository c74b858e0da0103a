/** A file that `kelpie init` writes. */
export interface Template {
  /** What is asked for, as in `kelpie init workload`. */
  readonly kind: string;
  /** The name of the file. */
  readonly file: string;
  /** The published schema that it follows, without the ending. */
  readonly schema: string;
  /** What it is, in a few words. */
  readonly summary: string;
  /** Its text, after the line that names the schema. */
  readonly text: string;
  /** Files that it names and that are written with it. */
  readonly needs?: readonly string[];
}

const workload = `# What your servers do: a workload for kelpie run. Every field has a default; docs/workload.md lists them all.
name: my-workload
tenants:
  # Large writes that fill the port.
  - name: storage
    transport: RC # or UC, UD
    opcode: WRITE # or READ, SEND, FETCH_ADD, ...; a mix: [{ opcode: READ, share: 7 }, { opcode: WRITE, share: 3 }]
    qps: 16 # queue pairs
    sizes: [65536] # bytes per message, in turn
    sendQueueDepth: 16
  # Small requests next to them, whose latency matters.
  - name: rpc
    opcode: SEND
    qps: 64
    sizes: [128, 128, 4096]
    rateLimit: { messagesPerSecond: 1000000 } # of the whole tenant

# Settings that override those of the subsystem:
# settings: { ecn: enabled, congestionControl: dcqcn }

# How long to measure, in simulated time; the run ends earlier when its rates are known well enough:
# measure: { minNs: 500000, maxNs: 3000000 }
`;

const device = `# Your own NIC: what differs from a shipped one. kelpie show connectx-6-100g prints that one.
# docs/profiles.md lists every constant with its unit, its range and the value that switches the mechanism off.
profile: device
name: my-nic
extends: connectx-6-100g
title: Our NIC
constants:
  # Each constant says where it comes from. evidence: documented (a manual states it), measured, or calibrated (fitted or assumed).
  contextCacheEntries: { value: 1024, evidence: calibrated, source: "assumed, not measured yet" }
  receiveWqeCacheBytes: { value: 16384, evidence: calibrated, source: "assumed, not measured yet" }
`;

const subsystem = `# The NIC in a host on a fabric. --profile and --subsystem choose it.
profile: subsystem
name: my-subsystem
title: Our servers
device: my-nic # a shipped device, or one from a file in this folder
host: perf
fabric: sn2100
settings: { ordering: relaxed } # otherwise the host's own
placement: { rnic: rnic0, memory: memory0 } # nodes of the host's graph
`;

const campaign = `# Many runs of one job, on the threads of this machine or on many machines. docs/campaigns.md lists every field.
name: my-campaign # campaigns of one name are compared with each other
job: sweep # or run, hunt, isolate, reproduce, fabric, ping, rehearsal
on: [collie-f, collie-h] # subsystems; kelpie subsystems lists them
workload: # the workload itself, or a file with it
  opcode: WRITE
  sizes: [1024]
  measure: { maxNs: 1000000 }
vary: # every combination is a task, with each seed
  qps: [16, 256] # a list, or a range such as 1..1024
  # device.contextCacheEntries: [1024, 65536] # also constants of devices, hosts and fabrics, and settings
seeds: [1, 2] # or 1..100
assert: # what must hold for every run; if not, the exit code is 1
  - goodputGbps > 1
  - goodputGbps >= 0.95 * last # of the last campaign of this name
tries: 3 # a task that fails this often is given up
timeoutS: 600
# What a worker must have, with --nats:
# needs: { cores: 1, memoryGb: 4, devices: [mlx5], labels: [rack-7] }
`;

/** Every file that can be asked for. */
export const templates: readonly Template[] = [
  {
    kind: 'workload',
    file: 'workload.yaml',
    schema: 'workload',
    summary: 'what your servers do',
    text: workload,
  },
  {
    kind: 'device',
    file: 'my-nic.yaml',
    schema: 'device-profile',
    summary: 'your own NIC',
    text: device,
  },
  {
    kind: 'subsystem',
    file: 'my-subsystem.yaml',
    schema: 'subsystem-profile',
    summary: 'that NIC in a host, on a fabric',
    text: subsystem,
    needs: ['device'],
  },
  {
    kind: 'campaign',
    file: 'campaign.yaml',
    schema: 'campaign',
    summary: 'many runs of one job, on one machine or many',
    text: campaign,
  },
];

/** What is written where nothing in particular is asked for. */
export const WHOLE_LABORATORY: readonly string[] = ['workload', 'device', 'subsystem'];
