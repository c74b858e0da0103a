import type { HostCheck } from '../../node/index.js';

/** What `kelpie doctor --host` found, for people. `file` is where the profile was written. */
export function formatHostCheck(check: HostCheck, file: string | undefined): string {
  const { name, sources, description, conflicts, faults } = check;
  const { nodes, links, observations, assumptions } = description;
  const count = (kind: string) => nodes.filter((node) => node.kind === kind).length;
  const above = (part: string) => links.find(({ between }) => between[1] === part);
  const devices = nodes.filter(({ kind }) => kind === 'rnic' || kind === 'gpu');
  const profile = file ?? `${name}.yaml`;
  const lines = [
    `${name}: ${count('socket')} sockets, ${count('memory')} memories, ${count('switch')} PCIe switches, ${count('rnic')} RNICs, ${count('gpu')} GPUs`,
    `read: ${sources.join(', ')}`,
    '',
    ...devices.map(({ name: part, address = '', title = '' }) => {
      const link = above(part);
      const rate = link?.generation === undefined ? '' : `PCIe ${link.generation}.0 x${link.lanes}`;
      return `${part.padEnd(7)} ${address.padEnd(13)} below ${(link?.between[0] ?? '').padEnd(9)} ${rate.padEnd(13)} ${title}`.trimEnd();
    }),
    '',
    ...observations.map(
      ({ part, address, observation, detail }) => `found: ${part} (${address}): ${observation}, ${detail}`,
    ),
    ...conflicts.map(
      ({ part, fact, said }) =>
        `contradiction: ${fact} of ${part}: ${said.map(({ source, value }) => `${value} (${source})`).join(', ')}`,
    ),
    ...assumptions.map((each) => `assumed: ${each}`),
    ...(observations.length + conflicts.length === 0 ? ['these programs show nothing wrong'] : []),
    '',
    file === undefined
      ? 'the profile of the host: --out FILE, or --json'
      : `the profile of the host is in ${file}`,
    `as it should be:  kelpie ping --profile ${profile}`,
    ...(faults.length === 0
      ? []
      : [
          `as it stands:     kelpie ping --profile ${profile} ${faults.map((each) => `--fault ${each}`).join(' ')}`,
        ]),
  ];
  return `${lines.join('\n')}\n`;
}
