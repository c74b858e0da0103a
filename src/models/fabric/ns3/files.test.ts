import { describe, expect, it } from 'vitest';
import { referenceRun, runFile } from '../testing/runs.js';
import { Checker } from '../../../engine/checker.js';
import { Fabric } from '../core/fabric.js';
import { checkSettled } from '../core/settle.js';
import { readConfig } from './config.js';
import { readFlows } from './flow-file.js';
import { notesOf } from './notes.js';
import { ns3Run } from './ns3-spec.js';
import { readTopology } from './topology-file.js';
import { readTrace } from './trace-file.js';

// Goal: a file that is wrong is refused with its name, its line, the field, what stood there and what is allowed.

const star = readTopology('star.txt', runFile('star.txt'));
const config = runFile('f2-dcqcn.config.txt');
/** Two hosts at one switch, one at another, and nothing between the switches. */
const apart = readTopology('t', '5 2 3\n0 4\n1 0 1Gbps 1us 0\n2 0 1Gbps 1us 0\n3 4 1Gbps 1us 0\n');

const refusals: [what: string, read: () => unknown, message: RegExp][] = [
  ['a topology that is empty', () => readTopology('t', ''), /t:1: .*number of nodes/],
  [
    'a node that is none',
    () => readTopology('t', '2 1 1\n0\n0 2 1Gbps 1us 0'),
    /t:3: .*end of a link.*2.*0 to 1/,
  ],
  ['a loop', () => readTopology('t', '2 1 1\n0\n1 1 1Gbps 1us 0'), /t:3: .*two different nodes/],
  ['a rate without sense', () => readTopology('t', '2 1 1\n0\n0 1 fast 1us 0'), /t:3: .*rate.*fast.*100Gbps/],
  ['a rate of an unknown unit', () => readTopology('t', '2 1 1\n0\n0 1 1Xbps 1us 0'), /t:3: .*rate.*1Xbps/],
  ['a delay of nothing', () => readTopology('t', '2 1 1\n0\n0 1 1Gbps 0us 0'), /t:3: .*delay.*1ns to 1s/],
  ['an error rate above 1', () => readTopology('t', '2 1 1\n0\n0 1 1Gbps 1us 7'), /t:3: .*error rate.*7/],
  [
    'a link too few',
    () => readTopology('t', '2 1 2\n0\n0 1 1Gbps 1us 0\n'),
    /t:3: .*ends before end of a link/,
  ],
  ['more switches than nodes', () => readTopology('t', '2 3 0'), /t:1: .*number of switches.*0 to 2/],
  ['a flow from a switch', () => readFlows('f', '1\n0 1 3 100 5 2', star), /f:2: .*source.*0.*a host/],
  ['a flow to itself', () => readFlows('f', '1\n2 2 3 100 5 2', star), /f:2: .*another host/],
  ['a class that is none', () => readFlows('f', '1\n2 1 8 100 5 2', star), /f:2: .*class.*8.*0 to 7/],
  ['a flow of no bytes', () => readFlows('f', '1\n2 1 3 100 0 2', star), /f:2: .*bytes.*1 to/],
  ['bytes that are a word', () => readFlows('f', '1\n2 1 3 100 many 2', star), /f:2: .*bytes.*many/],
  [
    'flows out of order',
    () => readFlows('f', '2\n2 1 3 100 5 2\n3 1 3 100 5 1', star),
    /f:3: .*start.*no earlier/,
  ],
  ['a flow that breaks off', () => readFlows('f', '1\n2 1 3', star), /f:2: .*ends before destination port/],
  ['a trace without nodes', () => readTrace('r', '2\n1', star), /r:2: .*ends before node/],
  [
    'a control that is none',
    () => readConfig('c', config.replace('CC_MODE 1', 'CC_MODE 99')),
    /c:11: .*CC_MODE.*99.*DCTCP/,
  ],
  [
    'a timer that is none',
    () => readConfig('c', config.replace('RP_TIMER 300', 'RP_TIMER x')),
    /c:\d+: .*RP_TIMER.*x/,
  ],
  [
    'no flow file',
    () => readConfig('c', config.replace('FLOW_FILE', 'FLOW_PILE')),
    /c:\d+: the file has no FLOW_FILE/,
  ],
  [
    'a least rate of nothing',
    () => readConfig('c', config.replace(/^MIN_RATE .*/m, 'MIN_RATE 0')),
    /c:\d+: .*MIN_RATE.*0.*1bps or more/,
  ],
  [
    'acknowledgements off',
    () => readConfig('c', config.replace('ACK_INTERVAL 1', 'ACK_INTERVAL 0')),
    /c:\d+: .*L2_ACK_INTERVAL/,
  ],
  ['a map that breaks off', () => readConfig('c', 'KMAX_MAP 2 100 4'), /c:1: .*ends before rate of KMAX_MAP/],
  ['a probability above 1', () => readConfig('c', 'PMAX_MAP 1 100 4'), /c:1: .*PMAX_MAP.*4.*0 to 1/],
  [
    'no thresholds for a rate',
    () => ns3Run(readConfig('c', config.replace(/KMIN_MAP .*/, 'KMIN_MAP 1 5 5')), star, []),
    /c:\d+: KMIN_MAP.*star.*100000000000/,
  ],
  [
    'a link that is none',
    () => ns3Run(readConfig('c', config.replace(/^LINK_DOWN .*/m, 'LINK_DOWN 5 1 2')), star, []),
    /c:\d+: no link connects these nodes; LINK_DOWN is '1 and 2'/,
  ],
  ['a topology of switches alone', () => readTopology('t', '1 1 0\n0'), /t:2: .*number of switches.*0 to 0/],
  ['a first host without a link', () => readTopology('t', '3 1 1\n0\n0 2 1Gbps 1us 0'), /t:3: .*node 1/],
  ['a flow without a way', () => readFlows('f', '1\n1 3 3 100 5 2', apart), /f:2: .*target.*3.*source, 1/],
];

describe('files that are wrong', () => {
  it.each(refusals)('%s', (_, read, message) => {
    expect(read).toThrow(
      expect.objectContaining({ code: 'FABRIC_FILE', message: expect.stringMatching(message) }),
    );
  });
});

describe('files that are right', () => {
  it('are read as ns-3 does: word by word, no more than was declared', () => {
    const topology = readTopology('t', '3 1 2 0 0 1 100Gbps\n0.001ms 0 0 2 50Mb/s 2us 0.5\n0 1 junk');
    expect(topology.links).toEqual([
      { from: 0, to: 1, rateBps: 100e9, delayNs: 1000, lossRate: 0 },
      { from: 0, to: 2, rateBps: 50e6, delayNs: 2000, lossRate: 0.5 },
    ]);
    expect(readFlows('f', '1\n2 1 3 100 20 2.000001833\n9 9 9', star)).toEqual([
      { source: 2, target: 1, trafficClass: 3, dport: 100, bytes: 20, startNs: 2_000_001_832 },
    ]);
  });

  it('may say things behind values, and ask for what is not there', () => {
    const remarks = config.replace('CC_MODE 1', 'CC_MODE 3 {1: DCQCN, 3: HPCC , 7: TIMELY }\nDATA_RAT 5');
    const asks = remarks
      .replace('ENABLE_TRACE 0', 'ENABLE_TRACE 1')
      .replace('QLEN_MON_START 5000000000', 'QLEN_MON_START 2000000000');
    const read = readConfig('c', asks);
    const slow = readTopology('slow', '3 1 2\n0\n0 1 100Gbps 1us 0\n0 2 40Gbps 1us 0\n');
    expect(notesOf(read, slow, [1, 2])).toEqual([
      "c:12: DATA_RAT is not a key of HPCC's and is ignored",
      expect.stringMatching(/^c:\d+: TRACE_FILE: packets of 2 nodes are not dumped/),
      expect.stringMatching(/^c:\d+: QLEN_MON_FILE is not written/),
      expect.stringMatching(/no code for 40 Gb\/s; such ports count as 25 Gb\/s/),
    ]);
    expect(notesOf(readConfig('c', config), star, [])).toEqual([]);
  });

  it('need timers only for DCQCN', () => {
    const still = config.replace(/^ALPHA_RESUME_INTERVAL .*/m, 'ALPHA_RESUME_INTERVAL 0.5');
    expect(() => readConfig('c', still)).toThrow(
      /ALPHA_RESUME_INTERVAL is 0, allowed: 1 microsecond or more/,
    );
    expect(readConfig('c', still.replace('CC_MODE 1', 'CC_MODE 7')).alphaIntervalUs).toBe(0);
  });

  it('have ns-3 defaults for keys that are absent, and keys that nobody knows are named', () => {
    const read = readConfig(
      'c',
      'TOPOLOGY_FILE t FLOW_FILE f L2_ACK_INTERVAL 1 RATE_AI 5Mb/s RATE_HAI 50Mb/s RP_TIMER 300\nNEW_THING 7\n',
    );
    expect(read).toMatchObject({
      controlMode: 1,
      minRateBps: 100e6,
      bufferMegabytes: 16,
      ratePerHop: true,
      fastReact: true,
      hasWindow: true,
      variableWindow: false,
      fastRecoverySteps: 5,
      ignored: [{ key: 'NEW_THING', line: 2 }],
    });
  });
});

describe('LINK_DOWN', () => {
  it('fails a link for good, and flows take other ways', () => {
    const plain = referenceRun('g92-dctcp');
    const failing = referenceRun('g92-dctcp', { linkDown: { afterUs: 20, from: 320, to: 340 } });
    const [change] = failing.spec.linkChanges ?? [];
    const { from, to } = failing.spec.topology.links[change.link];
    expect([from, to, change.up, change.atNs + failing.epochNs]).toEqual([320, 340, false, 2_000_020_000]);
    const hops = (run: typeof plain) => {
      const checker = new Checker();
      const fabric = new Fabric({ ...run.spec, checker });
      fabric.run(run.stopNs);
      checkSettled(fabric, checker);
      const { ports, plan } = fabric.state;
      return [...plan.link.keys()]
        .filter((port) => plan.link[port] === change.link)
        .reduce((sum, port) => sum + ports.sentBytes[port], 0);
    };
    expect(hops(failing)).toBeLessThan(hops(plain));
    expect(() => referenceRun('g92-dctcp', { linkDown: { afterUs: 1, from: 0, to: 1 } })).toThrow(
      expect.objectContaining({ code: 'FABRIC_FILE', field: 'LINK_DOWN' }),
    );
  });
});
