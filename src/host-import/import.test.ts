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
import { HWLOC_2, NVIDIA_NEW, NVIDIA_OLD, TREE, VERBOSE } from './testing/samples.js';

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
