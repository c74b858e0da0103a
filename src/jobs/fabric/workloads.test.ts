import { describe, expect, it } from 'vitest';
import { parseFabric } from './resolve.js';

// Goal: patterns take the hosts that they are given, and what cannot be sent is refused where it is written.

const STAR = 'topology: { kind: star, hosts: 8 }\n';
const FULL = 'full: { hosts: [3, 4], workload: { opcode: WRITE } }\n';

/** The hosts that send or receive, in order. */
function hostsOf(text: string): number[] {
  const { spec } = parseFabric(text, 'f.yaml', () => '');
  return [...new Set(spec.flows.flatMap(({ source, target }) => [source, target]))].sort((a, b) => a - b);
}

describe('firstHost and hosts', () => {
  it.each([
    ['', [0, 1, 2, 3, 4, 5, 6, 7]],
    ['firstHost: 0', [0, 1, 2, 3, 4, 5, 6, 7]],
    ['firstHost: 5', [5, 6, 7]],
    ['firstHost: 2, hosts: 3', [2, 3, 4]],
    ['firstHost: 6, hosts: 2', [6, 7]],
    ['hosts: 2', [0, 1]],
  ])('{ %s } takes the hosts %j', (fields, hosts) => {
    expect(hostsOf(`${STAR}workload: [{ kind: all-to-all, bytes: 9, ${fields} }]\n`)).toEqual(hosts);
  });

  it('two patterns share a fabric without meeting', () => {
    const text = `${STAR}workload:
  - { kind: permutation, bytes: 9, hosts: 4 }
  - { kind: permutation, bytes: 9, firstHost: 4 }
`;
    const { spec } = parseFabric(text, 'f.yaml', () => '');
    expect(spec.flows.length).toBe(8);
    expect(spec.flows.every(({ source, target }) => source < 4 === target < 4)).toBe(true);
  });

  it('full hosts count, but do not take part', () => {
    const pattern = (fields: string) =>
      `${STAR}${FULL}workload: [{ kind: all-to-all, bytes: 9, ${fields} }]\n`;
    expect(hostsOf(pattern('firstHost: 2'))).toEqual([2, 5, 6, 7]);
    expect(hostsOf(pattern('firstHost: 2, hosts: 2'))).toEqual([2, 5]);
    expect(hostsOf(pattern('firstHost: 3, hosts: 2'))).toEqual([5, 6]);
    expect(() => hostsOf(pattern('firstHost: 7'))).toThrow(/firstHost: fewer than 2 .*allowed: 0 to 6/);
    expect(() => hostsOf(pattern('firstHost: 4, hosts: 4'))).toThrow(
      /there are 3 hosts beside the full ones from host 4 on, given 4, allowed: 2 to 3/,
    );
  });

  it.each([
    ['firstHost: 7', /f.yaml:2:\d+: workload\[0\].firstHost: fewer than 2 hosts are left.*allowed: 0 to 6/],
    ['firstHost: 8', /f.yaml:2:\d+: workload\[0\].firstHost: fewer than 2 hosts are left.*allowed: 0 to 6/],
    ['firstHost: -1', /f.yaml:2:\d+: workload\[0\].firstHost: .*given -1/],
    ['firstHost: 6, hosts: 3', /f.yaml:2:\d+: workload\[0\].hosts: there are 2 hosts from host 6 on.*: 2$/],
  ])('{ %s } is refused', (fields, message) => {
    expect(() => hostsOf(`${STAR}workload: [{ kind: permutation, bytes: 9, ${fields} }]\n`)).toThrow(message);
  });
});

describe('flows that have no way', () => {
  const files: Record<string, string> = {
    'split.txt': '6 2 4\n4 5\n0 4 1Gbps 1us 0\n1 4 1Gbps 1us 0\n2 5 1Gbps 1us 0\n3 5 1Gbps 1us 0\n',
    'flows.txt': '2\n0 1 3 100 50 2\n0 2 3 100 50 2\n',
  };
  const parse = (workload: string) =>
    parseFabric(
      `topology: { kind: file, file: split.txt }\nworkload: [${workload}]\n`,
      'f.yaml',
      (file) => files[file],
    );

  it('are refused where the pattern stands, or in the line of their file', () => {
    expect(() => parse('{ kind: all-to-all, bytes: 9 }')).toThrow(
      /f.yaml:2:12: workload\[0\]: there is no path .*host [01] to host [23]/,
    );
    expect(() => parse('{ kind: flows, file: flows.txt }')).toThrow(/flows.txt:3: .*target is 2/);
    const { spec } = parse('{ kind: all-to-all, bytes: 9, hosts: 2 }');
    expect(spec.flows.length).toBe(2);
  });
});
