import { KelpieError } from '../error.js';
import { type MachineFacts, type NumaFacts, type PciFacts, pciAddress, roleByClass } from './pci-facts.js';

type Draft = { -readonly [Key in keyof PciFacts]: PciFacts[Key] };

const FUNCTION = /^[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]$/i;

/**
 * A copy of `/sys/devices`: file contents by path below `/sys`. Unprivileged, and the only source that always has the
 * current link.
 *
 * @example
 * parseSysfs(new Map([['devices/pci0000:3a/0000:3a:00.0/0000:3b:00.0/current_link_width', '16\n'], …]));
 */
export function parseSysfs(files: ReadonlyMap<string, string>, source = 'sysfs'): MachineFacts {
  const drafts = new Map<string, Draft>();
  const numa = new Map<number, NumaFacts>();
  for (const [path, raw] of files) {
    const parts = path.split('/').filter((part) => part !== '');
    const value = raw.trim();
    const node = /^node(\d+)$/.exec(parts[parts.length - 2] ?? '');
    if (node !== null && parts[parts.length - 1] === 'meminfo') {
      numa.set(Number(node[1]), { node: Number(node[1]), ...memoryOf(source, path, value) });
      continue;
    }
    const place = parts.findLastIndex((part) => FUNCTION.test(part));
    if (place < 0) continue;
    const draft = draftOf(drafts, parts, place);
    const vendor = files
      .get(path.replace(/[^/]+$/, 'vendor'))
      ?.trim()
      .slice(2);
    readFile(draft, parts.slice(place + 1), value, { source, path, vendor });
  }
  if (drafts.size === 0) {
    throw new KelpieError('IMPORT_NOTHING', `${source} holds no PCI function`, {
      field: source,
      given: `${files.size} files`,
      allowed: 'paths such as devices/pci0000:00/0000:00:01.0/class',
    });
  }
  return { source, functions: [...drafts.values()], numaNodes: [...numa.values()], distances: [] };
}

function draftOf(drafts: Map<string, Draft>, parts: readonly string[], place: number): Draft {
  const address = pciAddress(parts[place]);
  let draft = drafts.get(address);
  if (draft === undefined) {
    const above = parts[place - 1] ?? '';
    const root = parts.find((part) => /^pci[0-9a-f]{4,8}:[0-9a-f]{2}$/i.test(part));
    draft = {
      address,
      ...(FUNCTION.test(above) ? { parent: pciAddress(above) } : root === undefined ? {} : { parent: null }),
      ...(root === undefined ? {} : { rootBus: root.slice(3).toLowerCase() }),
    };
    drafts.set(address, draft);
  }
  return draft;
}

function readFile(
  draft: Draft,
  below: readonly string[],
  value: string,
  { source, path, vendor }: { source: string; path: string; vendor: string | undefined },
): void {
  const bad = (allowed: string) =>
    new KelpieError('IMPORT_BAD_FILE', `${source}: ${path} does not hold what the kernel writes`, {
      field: path,
      given: value.slice(0, 80),
      allowed,
    });
  if (below.length > 1 && (below[0] === 'infiniband' || below[0] === 'drm')) {
    if (!draft.names?.includes(below[1])) draft.names = [...(draft.names ?? []), below[1]];
    if (below[0] === 'infiniband') draft.role = 'rnic';
    return;
  }
  const [file] = below;
  if (below.length !== 1) return;
  if (file === 'class') {
    if (!/^0x[0-9a-f]{6}$/i.test(value)) throw bad('a class code such as 0x060400');
    draft.role ??= roleByClass(value.slice(2, 6), vendor);
  } else if (file === 'numa_node') {
    if (!/^-?\d+$/.test(value)) throw bad('a number; -1 for unknown');
    if (Number(value) >= 0) draft.numaNode = Number(value);
  } else if (file === 'physfn') {
    const target = value.split('/').pop() ?? '';
    if (!FUNCTION.test(target)) throw bad('a link to the physical function');
    draft.physicalFunction = pciAddress(target);
  } else if (file === 'current_link_speed' || file === 'max_link_speed') {
    const speed = /^([\d.]+) GT\/s/.exec(value);
    if (speed === null) {
      if (value.startsWith('Unknown') || value === '') return;
      throw bad("a rate such as '16.0 GT/s PCIe'");
    }
    setLink(draft, file === 'max_link_speed', { gigatransfers: Number(speed[1]) });
  } else if (file === 'current_link_width' || file === 'max_link_width') {
    if (!/^\d+$/.test(value)) throw bad('a number of lanes');
    if (Number(value) > 0 && Number(value) < 255)
      setLink(draft, file === 'max_link_width', { lanes: Number(value) });
  }
}

/** Rate and width come from two files; a link is known when both were read. */
function setLink(draft: Draft, max: boolean, part: { gigatransfers?: number; lanes?: number }): void {
  const before = (max ? draft.linkMax : draft.link) ?? { gigatransfers: 0, lanes: 0 };
  const state = { ...before, ...part };
  if (max) draft.linkMax = state;
  else draft.link = state;
}

function memoryOf(source: string, path: string, value: string): { memoryBytes?: number } {
  const total = /MemTotal:\s*(\d+) kB/.exec(value);
  if (total === null) {
    throw new KelpieError('IMPORT_BAD_FILE', `${source}: ${path} names no MemTotal`, {
      field: path,
      given: value.slice(0, 80),
      allowed: 'the meminfo of a NUMA node',
    });
  }
  return { memoryBytes: Number(total[1]) * 1024 };
}
