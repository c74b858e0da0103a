import type { CommandEntry } from '../command.js';

/** Every command of `kelpie`, in the order of the help page. A command's own module is loaded when it is typed. */
export const commands: readonly CommandEntry[] = [
  {
    name: 'init',
    group: 'Start here',
    arguments: '[kind] [folder]',
    summary:
      'Write commented files to start from into a folder: a workload, a device and a subsystem, or one of them.',
    load: async () => (await import('./tools/init.js')).init,
  },
  {
    name: 'subsystems',
    group: 'Start here',
    summary: 'List the subsystems that a workload can run on: device, host, fabric.',
    load: async () => (await import('./tools/catalogue.js')).subsystems,
  },
  {
    name: 'devices',
    group: 'Start here',
    summary: 'List the NICs that Kelpie models, and how well each is known.',
    load: async () => (await import('./tools/catalogue.js')).devices,
  },
  {
    name: 'show',
    group: 'Start here',
    arguments: '<name>',
    summary: 'Show a subsystem, device, host, fabric or world: every constant with its evidence and source.',
    load: async () => (await import('./tools/catalogue.js')).show,
  },
  {
    name: 'hunt',
    group: 'Find what goes wrong',
    arguments: '[action] [ids...]',
    summary:
      'Search a subsystem for anomalies: what triggers each, how to reproduce and how to avoid it. With show, list or compare: look at earlier hunts. Exit 1: anomalies were found.',
    load: async () => (await import('./jobs/hunt.js')).hunt,
  },
  {
    name: 'isolate',
    group: 'Find what goes wrong',
    summary:
      "Find out whether one tenant hurts another: Husky's attackers against its victims under an isolation scheme, what was exhausted, and Table 3. Exit 1: the guarantee was violated.",
    load: async () => (await import('./jobs/isolate.js')).isolate,
  },
  {
    name: 'ping',
    group: 'Find what goes wrong',
    summary:
      'Find the slow link inside a host and say what is wrong with it: loopback probes between every RNIC and every memory and GPU. Exit 1: something was found.',
    load: async () => (await import('./jobs/ping.js')).ping,
  },
  {
    name: 'advise',
    group: 'Find what goes wrong',
    arguments: '<workload>',
    summary:
      'Compare a workload with the anomalies that a subsystem is known to have, and say what to change. Exit 1: it meets one.',
    load: async () => (await import('./jobs/advise.js')).advise,
  },
  {
    name: 'run',
    group: 'Measure a workload',
    arguments: '<workload>',
    summary:
      'Run a workload file (YAML or JSON) and measure it. Exit 1: an anomaly, or an --assert that does not hold.',
    load: async () => (await import('./traffic/run.js')).run,
  },
  {
    name: 'bw',
    group: 'Measure a workload',
    arguments: '<verb> [server]',
    summary: "Measure the rate of write, read, send or atomic, with perftest's flags and columns.",
    load: async () => (await import('./traffic/perftest.js')).bw,
  },
  {
    name: 'lat',
    group: 'Measure a workload',
    arguments: '<verb> [server]',
    summary: "Measure the latency of write, read, send or atomic, with perftest's flags and columns.",
    load: async () => (await import('./traffic/perftest.js')).lat,
  },
  {
    name: 'pingpong',
    group: 'Talk to stock RDMA programs',
    arguments: '<transport> [server]',
    summary:
      'Be the other side of ibv_rc_pingpong, ibv_uc_pingpong, ibv_ud_pingpong, ibv_srq_pingpong or fi_pingpong -p verbs -e msg, as client or as server, with a software device.',
    load: async () => (await import('./peers/ping-pong.js')).pingPong,
  },
  {
    name: 'rdmacm',
    group: 'Talk to stock RDMA programs',
    arguments: '<program> [server]',
    summary:
      'Be the other side of librdmacm’s ucmatose, rdma_client, rdma_server, rdma_xclient, rdma_xserver, cmtime or udaddy, with a software device.',
    load: async () => (await import('./peers/rdmacm.js')).rdmacm,
  },
  {
    name: 'rping',
    group: 'Talk to stock RDMA programs',
    arguments: '[server]',
    summary:
      'Be the other side of rping: connect by RDMA-CM and ping, as client or as server; on any provider with both ends in this process.',
    load: async () => (await import('./peers/rping.js')).rping,
  },
  {
    name: 'qperf',
    group: 'Talk to stock RDMA programs',
    arguments: '[server] [tests...]',
    summary:
      'Be the other side of qperf -cm1: its tests of RC over RDMA-CM, as client or as server, with a software device.',
    load: async () => (await import('./peers/qperf.js')).qperf,
  },
  {
    name: 'capture',
    group: 'Measure a workload',
    arguments: '<workload>',
    summary: 'Run a workload file and write its packets as pcapng, for tshark and Wireshark.',
    load: async () => (await import('./traffic/capture.js')).capture,
  },
  {
    name: 'fabric',
    group: 'Size a network or a NIC',
    arguments: '[fabric]',
    summary:
      "Simulate an RDMA fabric packet by packet. Reads ns-3's HPCC configurations and gives their completion times to the nanosecond. Exit 1: flows did not end, or packets were dropped.",
    load: async () => (await import('./jobs/fabric.js')).fabric,
  },
  {
    name: 'compare',
    group: 'Measure a workload',
    summary:
      'Run one workload or sweep on several subsystems, devices or settings side by side: connections, loss, memory, fat trees. Exit 1: a point was refused.',
    load: async () => (await import('./traffic/compare.js')).compare,
  },
  {
    name: 'sweep',
    group: 'Measure a workload',
    arguments: '<workload>',
    summary:
      'Run a workload with every combination of values of its fields, of constants or of settings. Exit 1: an --assert does not hold, or a point was refused.',
    load: async () => (await import('./traffic/sweep.js')).sweep,
  },
  {
    name: 'diff',
    group: 'Measure a workload',
    arguments: '<before> <after>',
    summary:
      'Compare two results printed by --json: what was changed, and what that did to each figure. Exit 1: figures differ, or an --assert does not hold.',
    load: async () => (await import('./traffic/diff.js')).diff,
  },
  {
    name: 'ledger',
    group: 'Size a network or a NIC',
    arguments: '<device>',
    summary:
      'Show the memory that each structure of a NIC takes, on chip and in the host, for a number of queue pairs.',
    load: async () => (await import('./tools/ledger.js')).ledger,
  },
  {
    name: 'headroom',
    group: 'Size a network or a NIC',
    summary:
      'Show the buffer that a lossless switch queue needs for what arrives after a pause, by cable length, speed and MTU, as SONiC computes it.',
    load: async () => (await import('./jobs/headroom.js')).headroom,
  },
  {
    name: 'campaign',
    group: 'Run many jobs',
    arguments: '<action> [file]',
    summary:
      'Run many tasks of a job, on threads or on many machines behind NATS: run FILE, then status, watch, report, cancel or resume. Exit 1: an assertion is broken, or a task was given up.',
    load: async () => (await import('./jobs/campaign.js')).campaign,
  },
  {
    name: 'worker',
    group: 'Run many jobs',
    summary: 'Take campaign tasks from NATS and run them on this machine, until SIGTERM or Ctrl-C.',
    load: async () => (await import('./jobs/worker.js')).worker,
  },
  {
    name: 'serve',
    group: 'Start here',
    summary:
      'Serve the laboratory as a local web page, until Ctrl-C: run any job, watch it live, keep and compare results.',
    load: async () => (await import('./tools/serve.js')).serve,
  },
  {
    name: 'reproduce',
    group: 'Check the simulator',
    arguments: '[ids...]',
    summary:
      "Run the papers' experiments on the simulator and show both results side by side. Exit 1: a row that is green on the committed board has turned red.",
    load: async () => (await import('./jobs/reproduce.js')).reproduce,
  },
  {
    name: 'conform',
    group: 'Check the simulator',
    summary: "Run the verbs' contract suite against a provider. Exit 1: a case fails.",
    load: async () => (await import('./tools/conform.js')).conform,
  },
  {
    name: 'completion',
    group: 'This machine',
    arguments: '<shell>',
    summary: 'Print a completion script for bash, zsh or fish: commands, flags and names.',
    load: async () => (await import('./tools/completion.js')).completion,
  },
  {
    name: 'doctor',
    group: 'This machine',
    summary:
      'Check what the software provider can use on this machine: sockets, offloads, ECN, how strictly ICRCs are checked, port 4791. Exit 1: something is missing. With --host: describe the machine as a profile for `kelpie ping`.',
    load: async () => (await import('./tools/doctor.js')).doctor,
  },
];
