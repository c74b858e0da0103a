import { describe, expect, it } from 'vitest';
import { ProfileLibrary, resolveHost } from '../profiles/index.js';
import {
  describeHost,
  distanceConflicts,
  hostProfileText,
  mergeFacts,
  parseHwlocXml,
  parseLspciTree,
  parseLspciVerbose,
  parseMachineOutput,
  parseNvidiaTopology,
} from './index.js';
import { HWLOC_2, NVIDIA_NEW, NVIDIA_OLD, TREE, VERBOSE } from './testing/samples.js';

const machine = mergeFacts([parseLspciTree(TREE), parseLspciVerbose(VERBOSE), parseHwlocXml(HWLOC_2)]);

describe('the profile of an imported machine', () => {
  it('is read back with the same nodes and links, as able as they are', () => {
    const description = describeHost(machine);
    const library = new ProfileLibrary();
    library.add(hostProfileText('gpu-17', machine, description), 'gpu-17.yaml');
    const host = resolveHost(library.find('host', 'gpu-17'));
    expect(host.nodes.map(({ name, kind }) => `${name} ${kind}`)).toEqual(
      description.nodes.map(({ name, kind }) => `${name} ${kind}`),
    );
    expect(host.links.map(({ kind, pcie }) => [kind, pcie?.lanes])).toEqual(
      description.links.map(({ kind, lanes }) => [kind, lanes]),
    );
    // The card runs at 8 GT/s x8; the profile is what it is held against.
    expect(host.links.find(({ name }) => name === 'rnic0-up')?.pcie).toEqual({ generation: 4, lanes: 16 });
    expect(host.constants.memoryGigabytes).toBe(1080);
  });

  it('is refused for sockets with unlike numbers of NUMA nodes', () => {
    const uneven = mergeFacts([
      parseHwlocXml(
        HWLOC_2.replace('<object type="NUMANode" os_index="1"', '<object type="NUMANode" os_index="2"/>$&'),
      ),
    ]);
    expect(() => hostProfileText('odd', uneven, describeHost(uneven))).toThrow(/different numbers/);
  });
});

describe('the output of a program', () => {
  it.each([
    [TREE, parseLspciTree],
    [VERBOSE, parseLspciVerbose],
    [NVIDIA_NEW, parseNvidiaTopology],
    [NVIDIA_OLD, parseNvidiaTopology],
    [HWLOC_2, parseHwlocXml],
  ])('is known by its first line', (text, parse) => {
    expect(parseMachineOutput(text, 'a file')).toEqual(parse(text, 'a file'));
  });

  it('of another program is refused at its first line', () => {
    expect(() => parseMachineOutput('\n\ntotal 48\n', 'ls.txt')).toThrow(/ls\.txt, line 3/);
    expect(() => parseMachineOutput('', 'empty.txt')).toThrow(/empty\.txt, line 1/);
  });
});

describe('distances that nvidia-smi prints', () => {
  /** Where the tree and the old sample contradict each other if mlx5_0 is the card at an address. */
  const conflicts = (address: string) => {
    const named = { ...parseNvidiaTopology(NVIDIA_OLD), functions: [{ address, names: ['mlx5_0'] }] };
    const whole = mergeFacts([parseLspciTree(TREE), parseLspciVerbose(VERBOSE), named]);
    return distanceConflicts(whole, describeHost(whole));
  };

  it('agree with the tree, or are shown with it', () => {
    // PIX: both hang from one switch.
    expect(conflicts('0000:84:00.0')).toEqual([]);
    const said = [
      { source: 'the tree', value: 'SYS' },
      { source: 'nvidia-smi topo -m', value: 'PIX' },
    ];
    expect(conflicts('0000:01:00.0')).toEqual([{ part: 'GPU0 and mlx5_0', fact: 'distance', said }]);
  });
});
