import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { KelpieError } from '../error.js';
import {
  describeHost,
  mergeFacts,
  parseHwlocXml,
  parseLspciTree,
  parseLspciVerbose,
  parseNvidiaTopology,
  parseSysfs,
} from './index.js';

const TREE = String.raw`-+-[0000:80]-+-00.0  Intel Corporation Ice Lake Memory Map/VT-d
 |           \-02.0-[81-85]----00.0-[82-85]--+-00.0-[83]----00.0  NVIDIA Corporation GA100 [A100 SXM4 40GB]
 |                                           \-04.0-[84]--+-00.0  Mellanox Technologies MT28908 Family [ConnectX-6]
 |                                                        \-00.1  Mellanox Technologies MT28908 Family [ConnectX-6]
 \-[0000:00]-+-00.0  Intel Corporation Ice Lake Memory Map/VT-d
             +-01.0-[01]----00.0  Mellanox Technologies MT28908 Family [ConnectX-6]
             +-03.0-[02]--
             \-1f.0  Intel Corporation C621A Series Chipset LPC/eSPI Controller
`;

const VERBOSE = `0000:01:00.0 Infiniband controller: Mellanox Technologies MT28908 Family [ConnectX-6]
	Subsystem: Mellanox Technologies Device 0007
	NUMA node: 0
	IOMMU group: 12
	Capabilities: [60] Express (v2) Endpoint, MSI 00
		DevCtl:	CorrErr+ NonFatalErr+ FatalErr+ UnsupReq-
			RlxdOrd- ExtTag+ PhantFunc- AuxPwr- NoSnoop+ FLReset-
			MaxPayload 128 bytes, MaxReadReq 4096 bytes
		LnkCap:	Port #0, Speed 16GT/s, Width x16, ASPM not supported
		LnkSta:	Speed 8GT/s (downgraded), Width x8 (downgraded)
	Capabilities: [1c0 v1] Address Translation Service (ATS)
		ATSCap:	Invalidate Queue Depth: 00
		ATSCtl:	Enable-, Smallest Translation Unit: 00

0000:00:01.0 PCI bridge: Intel Corporation Device 347a (prog-if 00 [Normal decode])
	NUMA node: 0
	Bus: primary=00, secondary=01, subordinate=01, sec-latency=0
	Capabilities: [40] Express (v2) Root Port (Slot+), MSI 00
		LnkCap:	Port #1, Speed 16GT/s, Width x16, ASPM L1
		LnkSta:	Speed 8GT/s (downgraded), Width x8 (downgraded)

0000:82:00.0 PCI bridge: PLX Technology, Inc. PEX 88096 (prog-if 00 [Normal decode])
	NUMA node: 1
	Bus: primary=82, secondary=83, subordinate=83, sec-latency=0
	Capabilities: [68] Express (v2) Downstream Port (Slot+), MSI 00
		ACSCtl:	SrcValid+ TransBlk- ReqRedir+ CmpltRedir+ UpstreamFwd+ EgressCtrl- DirectTrans-

0000:83:00.0 3D controller: NVIDIA Corporation GA100 [A100 SXM4 40GB] (rev a1)
	NUMA node: 1
	Capabilities: <access denied>

0000:84:00.0 Infiniband controller: Mellanox Technologies MT28908 Family [ConnectX-6]
	NUMA node: 1
	Capabilities: [60] Express (v2) Endpoint, MSI 00
		LnkCap:	Port #0, Speed 16GT/s, Width x16, ASPM not supported
		LnkSta:	Speed 16GT/s, Width x16
`;

const HWLOC_2 = `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE topology SYSTEM "hwloc2.dtd">
<topology version="2.0">
  <object type="Machine" os_index="0">
    <object type="Package" os_index="0">
      <object type="NUMANode" os_index="0" local_memory="540000000000"/>
      <object type="Bridge" bridge_type="0-1" depth="0" bridge_pci="0000:[00-0a]">
        <object type="Bridge" bridge_type="1-1" depth="1" bridge_pci="0000:[01-01]" pci_busid="0000:00:01.0" pci_type="0604 [8086:347a] [0000:0000] 04" pci_link_speed="15.753846">
          <object type="PCIDev" pci_busid="0000:01:00.0" pci_type="0207 [15b3:101b] [15b3:0007] 00" pci_link_speed="15.753846">
            <info name="PCIDevice" value="MT28908 Family [ConnectX-6]"/>
            <object type="OSDev" name="ib0" osdev_type="2"/>
            <object type="OSDev" name="mlx5_0" osdev_type="3"/>
          </object>
        </object>
      </object>
    </object>
    <object type="Package" os_index="1">
      <object type="NUMANode" os_index="1" local_memory="540000000000"/>
    </object>
  </object>
</topology>
`;

const NVIDIA_NEW = `\t\u001b[4mGPU0\tGPU1\tNIC0\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID\u001b[0m
GPU0\t X \tNV12\tPXB\t0-31\t0\t\tN/A
GPU1\tNV12\t X \tSYS\t32-63\t1\t\tN/A
NIC0\tPXB\tSYS\t X \t\t\t\t

Legend:

  X    = Self
  SYS  = Connection traversing PCIe as well as the SMP interconnect between NUMA nodes (e.g., QPI/UPI)

NIC Legend:

  NIC0: mlx5_0
`;

const NVIDIA_OLD = `\tGPU0\tGPU1\tmlx5_0\tCPU Affinity
GPU0\t X \tSOC\tPIX\t0-15
GPU1\tSOC\t X \tSOC\t16-31
mlx5_0\tPIX\tSOC\t X \t

Legend:
`;

describe('lspci -tv', () => {
  const { functions } = parseLspciTree(TREE);
  const at = new Map(functions.map((facts) => [facts.address, facts]));

  it('follows branches, only children and several roots', () => {
    expect([...at.keys()]).toEqual([
      '0000:80:00.0',
      '0000:80:02.0',
      '0000:81:00.0',
      '0000:82:00.0',
      '0000:83:00.0',
      '0000:82:04.0',
      '0000:84:00.0',
      '0000:84:00.1',
      '0000:00:00.0',
      '0000:00:01.0',
      '0000:01:00.0',
      '0000:00:03.0',
      '0000:00:1f.0',
    ]);
    expect(at.get('0000:83:00.0')).toMatchObject({ parent: '0000:82:00.0', role: 'gpu', rootBus: '0000:80' });
    expect(at.get('0000:84:00.1')).toMatchObject({ parent: '0000:82:04.0', role: 'rnic' });
    expect(at.get('0000:00:01.0')).toMatchObject({ parent: null, rootBus: '0000:00' });
  });

  it.each([
    ['', 1],
    ['hello', 1],
    ['-[0000:00]-+-zz.0  x', 1],
    ['-[0000:00]-+-00.0  x\n     \\-01.0  y', 2],
  ])('says which line of %j makes no sense', (text, line) => {
    expect(() => parseLspciTree(text)).toThrow(new RegExp(`line ${line}`));
  });
});

describe('lspci -vvv', () => {
  const at = new Map(parseLspciVerbose(VERBOSE).functions.map((facts) => [facts.address, facts]));

  it('reads links, settings and roles, and leaves what is hidden unknown', () => {
    expect(at.get('0000:01:00.0')).toMatchObject({
      role: 'rnic',
      parent: '0000:00:01.0',
      link: { gigatransfers: 8, lanes: 8 },
      linkMax: { gigatransfers: 16, lanes: 16 },
      relaxedOrdering: false,
      maxPayloadBytes: 128,
      maxReadRequestBytes: 4096,
      ats: false,
      numaNode: 0,
      iommuGroup: 12,
    });
    expect(at.get('0000:82:00.0')).toMatchObject({ role: 'downstream-port', acsRedirect: true });
    expect(at.get('0000:83:00.0')).toMatchObject({ role: 'gpu' });
    expect(at.get('0000:83:00.0')).not.toHaveProperty('link');
    expect(at.get('0000:83:00.0')).not.toHaveProperty('ats');
  });

  it('refuses what is not its output at the first line', () => {
    expect(() => parseLspciVerbose('total 0\n')).toThrow(/line 1/);
    expect(() => parseLspciVerbose('\tLnkSta: Speed 8GT/s, Width x8\n')).toThrow(/line 1/);
  });
});

describe('nvidia-smi topo -m', () => {
  it('reads the new format with its legend and the old one with names', () => {
    expect(parseNvidiaTopology(NVIDIA_NEW).distances).toEqual([
      { from: 'GPU0', to: 'GPU1', distance: 'NVLINK' },
      { from: 'GPU0', to: 'mlx5_0', distance: 'PXB' },
      { from: 'GPU1', to: 'mlx5_0', distance: 'SYS' },
    ]);
    expect(parseNvidiaTopology(NVIDIA_OLD).distances).toEqual([
      { from: 'GPU0', to: 'GPU1', distance: 'SYS' },
      { from: 'GPU0', to: 'mlx5_0', distance: 'PIX' },
      { from: 'GPU1', to: 'mlx5_0', distance: 'SYS' },
    ]);
  });

  it('refuses a cell that it does not know, by its line', () => {
    expect(() => parseNvidiaTopology(NVIDIA_OLD.replace('PIX', 'PIG'))).toThrow(/line 2/);
    expect(() => parseNvidiaTopology('no devices were found')).toThrow(/line 1/);
  });
});

describe('hwloc XML', () => {
  it.each([
    ['2.0', HWLOC_2],
    ['3.0', HWLOC_2.replace('version="2.0"', 'version="3.0"').replace('osdev_type="3"', 'osdev_type="32"')],
  ])('reads version %s', (_, text) => {
    const { functions, numaNodes } = parseHwlocXml(text);
    expect(numaNodes).toEqual([
      { node: 0, socket: 0, memoryBytes: 540000000000 },
      { node: 1, socket: 1, memoryBytes: 540000000000 },
    ]);
    expect(functions.find(({ address }) => address === '0000:01:00.0')).toMatchObject({
      role: 'rnic',
      parent: '0000:00:01.0',
      names: ['ib0', 'mlx5_0'],
      socket: 0,
    });
    expect(functions[0].linkGbps).toBeCloseTo(126.03, 1);
  });

  it('names the line where the XML ends or lacks an address', () => {
    expect(() => parseHwlocXml(HWLOC_2.slice(0, 900))).toThrow(/line \d+/);
    expect(() => parseHwlocXml(HWLOC_2.replace('pci_busid="0000:01:00.0"', ''))).toThrow(/line 9/);
    expect(() => parseHwlocXml('<html></html>')).toThrow(KelpieError);
  });
});

describe('sysfs', () => {
  const files = new Map([
    ['devices/pci0000:00/0000:00:01.0/class', '0x060400\n'],
    ['devices/pci0000:00/0000:00:01.0/0000:01:00.0/class', '0x020700\n'],
    ['devices/pci0000:00/0000:00:01.0/0000:01:00.0/current_link_speed', '8.0 GT/s PCIe\n'],
    ['devices/pci0000:00/0000:00:01.0/0000:01:00.0/current_link_width', '8\n'],
    ['devices/pci0000:00/0000:00:01.0/0000:01:00.0/max_link_speed', '16.0 GT/s PCIe\n'],
    ['devices/pci0000:00/0000:00:01.0/0000:01:00.0/max_link_width', '16\n'],
    ['devices/pci0000:00/0000:00:01.0/0000:01:00.0/numa_node', '0\n'],
    ['devices/pci0000:00/0000:00:01.0/0000:01:00.0/infiniband/mlx5_0/node_guid', '0c42:a103:0065:5b2e\n'],
    ['devices/pci0000:00/0000:00:01.0/0000:01:00.2/class', '0x020700\n'],
    ['devices/pci0000:00/0000:00:01.0/0000:01:00.2/physfn', '../0000:01:00.0'],
    ['devices/system/node/node0/meminfo', 'Node 0 MemTotal:       131072 kB\n'],
  ]);

  it('reads the tree out of the paths, and links out of two files each', () => {
    const { functions, numaNodes } = parseSysfs(files);
    expect(functions.find(({ address }) => address === '0000:01:00.0')).toMatchObject({
      parent: '0000:00:01.0',
      rootBus: '0000:00',
      role: 'rnic',
      link: { gigatransfers: 8, lanes: 8 },
      linkMax: { gigatransfers: 16, lanes: 16 },
      names: ['mlx5_0'],
    });
    expect(numaNodes).toEqual([{ node: 0, memoryBytes: 134217728 }]);
    const host = describeHost(mergeFacts([parseSysfs(files)]));
    expect(host.nodes.filter(({ kind }) => kind === 'rnic')).toHaveLength(1);
    expect(host.observations[0]).toMatchObject({ observation: 'link-downgraded', part: 'rnic0' });
  });

  it('names the file that does not hold what the kernel writes', () => {
    expect(() => parseSysfs(new Map([['devices/pci0000:00/0000:00:01.0/class', 'bridge']]))).toThrow(/class/);
    expect(() => parseSysfs(new Map())).toThrow(KelpieError);
  });
});

describe('all sources together', () => {
  it('give the graph of the host, what it admits to, and what was assumed', () => {
    const host = describeHost(
      mergeFacts([parseLspciTree(TREE), parseLspciVerbose(VERBOSE), parseHwlocXml(HWLOC_2)]),
    );
    const between = host.links.map((link) => `${link.between.join('-')} ${link.kind}`);
    expect(between).toEqual([
      'socket0-memory0 memory',
      'socket1-memory1 memory',
      'socket0-socket1 inter-socket',
      'socket0-rnic0 slot',
      'socket1-switch0 switch',
      'switch0-gpu0 gpu',
      'switch0-rnic1 switch',
    ]);
    expect(host.links[3]).toMatchObject({ generation: 4, lanes: 16 });
    expect(host.links[5]).toMatchObject({ acs: 'redirect' });
    expect(host.observations.map(({ part, observation }) => `${part} ${observation}`)).toEqual([
      'rnic0 link-downgraded',
      'rnic0 ats-off',
      'rnic0 ordering-strict',
      'rnic0 payload-small',
      'gpu0 acs-redirect',
    ]);
    expect(host.assumptions.join()).toContain('gpu0');
  });

  it('reports sources that contradict each other, with both', () => {
    const other = parseLspciVerbose(VERBOSE.replace('NUMA node: 0', 'NUMA node: 1'));
    const [conflict] = mergeFacts([parseLspciVerbose(VERBOSE), { ...other, source: 'another' }]).conflicts;
    expect(conflict).toEqual({
      part: '0000:01:00.0',
      fact: 'numaNode',
      said: [
        { source: 'lspci -vvv', value: '0' },
        { source: 'another', value: '1' },
      ],
    });
  });
});

describe('hostile text', () => {
  it('is read or refused, never anything else', () => {
    const parsers = [parseLspciTree, parseLspciVerbose, parseNvidiaTopology, parseHwlocXml];
    const samples = [TREE, VERBOSE, NVIDIA_NEW, HWLOC_2];
    fc.assert(
      fc.property(
        fc.nat(3),
        fc.nat(),
        fc.nat(),
        fc.string({ unit: 'binary', maxLength: 8 }),
        (which, from, length, patch) => {
          const text = samples[which];
          const start = from % text.length;
          const mutated = text.slice(0, start) + patch + text.slice(start + (length % 40));
          try {
            parsers[which](mutated);
          } catch (error) {
            expect(error).toBeInstanceOf(KelpieError);
          }
        },
      ),
      { seed: 11, numRuns: 400 },
    );
  });
});
