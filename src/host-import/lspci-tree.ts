import { badLine, linesOf } from './import-error.js';
import { type MachineFacts, type PciFacts, roleByTitle } from './pci-facts.js';

/** The bus on which the walk stands. */
interface Bus {
  readonly domain: string;
  readonly bus: string;
  readonly rootBus: string;
  /** The bridge that leads here; null at a root. */
  readonly bridge: string | null;
}

/** Where a column of `+` and `\` hangs: at a bus, or at the forest of all root buses. */
type Branch = Bus | 'forest';

/**
 * `lspci -tv`: the tree of buses as pciutils draws it. A branch opens at a column and later lines go on in that column;
 * an only child follows on the same line.
 *
 * @example
 * parseLspciTree('-[0000:00]---01.0-[01]----00.0  Mellanox Technologies MT28908 Family [ConnectX-6]');
 */
export function parseLspciTree(text: string, source = 'lspci -tv'): MachineFacts {
  const functions: PciFacts[] = [];
  const branches = new Map<number, Branch>();
  linesOf(source, text).forEach((line, index) => {
    if (line.trim() === '') return;
    const start = line.search(/[^ |]/);
    const mark = start < 0 ? '' : line[start];
    if (mark === '-') {
      branches.clear();
      walk(line, start, 'forest', index + 1);
    } else if ((mark === '+' || mark === '\\') && branches.has(start)) {
      for (const column of [...branches.keys()]) if (column > start) branches.delete(column);
      walk(line, start + 1, branches.get(start)!, index + 1);
    } else
      throw badLine(source, index + 1, line, "a root such as '-[0000:00]-' or a branch below an earlier '+'");
  });

  function walk(line: string, from: number, at: Branch, number: number): void {
    let branch = at;
    let position = from;
    for (;;) {
      while (line[position] === '-') position++;
      if (position >= line.length || line.slice(position).trim() === '') return;
      const mark = line[position];
      if (mark === '+' || mark === '\\') {
        branches.set(position, branch);
        position++;
        continue;
      }
      const rest = line.slice(position);
      if (branch === 'forest') {
        const root = /^\[([0-9a-f]{4,8}):([0-9a-f]{2})(?:-[0-9a-f]{2})?\]/i.exec(rest);
        if (root === null) throw badLine(source, number, rest, "a root bus such as '[0000:00]'");
        const [, domain, bus] = root.map((part) => part?.toLowerCase());
        branch = { domain, bus, rootBus: `${domain}:${bus}`, bridge: null };
        position += root[0].length;
        continue;
      }
      const device = /^([0-9a-f]{2}\.[0-7])(?:-\[(?:[0-9a-f]{4,8}:)?([0-9a-f]{2})(?:-[0-9a-f]{2})?\])?/i.exec(
        rest,
      );
      if (device === null)
        throw badLine(source, number, rest, "a device such as '00.0', or a bridge '01.0-[02-05]-'");
      const address = `${branch.domain}:${branch.bus}:${device[1].toLowerCase()}`;
      const { rootBus, bridge } = branch;
      const below = device[2]?.toLowerCase();
      if (below === undefined) {
        const title = rest.slice(device[0].length).trim();
        functions.push({
          address,
          parent: bridge,
          rootBus,
          ...(title === '' ? {} : { title, role: roleByTitle(title) }),
        });
        return;
      }
      functions.push({ address, parent: bridge, rootBus, role: 'bridge' });
      branch = { domain: branch.domain, bus: below, rootBus, bridge: address };
      position += device[0].length;
    }
  }

  if (functions.length === 0)
    throw badLine(source, 1, text.slice(0, 80), "a tree that begins with '-[0000:00]-'");
  return { source, functions, numaNodes: [], distances: [] };
}
