import { SaxesParser, type SaxesTagPlain } from 'saxes';
import { KelpieError } from '../error.js';
import { linesOf } from './import-error.js';
import {
  type MachineFacts,
  type NumaFacts,
  type PciFacts,
  type PciRole,
  pciAddress,
  roleByClass,
} from './pci-facts.js';

type Draft = { -readonly [Key in keyof PciFacts]: PciFacts[Key] };

/** What the walk stands inside of. */
interface Inside {
  readonly type: string;
  readonly draft: Draft | null;
  readonly socket: number | undefined;
  readonly numaNode: number | undefined;
  /** The bridge whose secondary bus this is; null below a host bridge. */
  readonly bridge: string | null | undefined;
  readonly rootBus: string | undefined;
}

/**
 * hwloc's XML, versions 2 and 3 (`lstopo --of xml`, `hwloc-gather-topology`): packages, NUMA nodes, bridges and devices
 * with the rate of their current link. Width and generation cannot be told apart in it.
 */
export function parseHwlocXml(text: string, source = 'hwloc'): MachineFacts {
  linesOf(source, text);
  const parser = new SaxesParser();
  const functions: PciFacts[] = [];
  const numaNodes: NumaFacts[] = [];
  const stack: Inside[] = [];
  let version: string | null = null;
  const refuse = (problem: string, given: string, allowed: string) =>
    new KelpieError('IMPORT_BAD_LINE', `${source}, line ${parser.line}: ${problem}`, {
      field: `${source}:${parser.line}`,
      given,
      allowed,
    });
  parser.on('error', ({ message }) => {
    throw refuse('this is not XML', message, "hwloc's XML, whole");
  });
  parser.on('opentag', (tag: SaxesTagPlain) => {
    const given = tag.attributes as Record<string, string>;
    if (tag.name === 'topology') version = given['version'] ?? '1.0';
    if (tag.name === 'info') readInfo(stack[stack.length - 1]?.draft ?? null, given);
    if (tag.name !== 'object') return;
    if (version === null) throw refuse('an object outside a topology', tag.name, '<topology version="2.0">');
    stack.push(enter(given));
  });
  parser.on('closetag', ({ name }) => {
    if (name === 'object') stack.pop();
  });

  function enter(given: Readonly<Record<string, string>>): Inside {
    const above = stack[stack.length - 1];
    const type = given['type'] ?? '';
    const inside: Inside = {
      type,
      draft: null,
      socket: above?.socket,
      numaNode: above?.numaNode,
      bridge: above?.bridge,
      rootBus: above?.rootBus,
    };
    if (type === 'Package') return { ...inside, socket: whole(given, 'os_index') };
    if (type === 'NUMANode') {
      const node = whole(given, 'os_index');
      const memory = given['local_memory'];
      numaNodes.push({
        node,
        ...(inside.socket === undefined ? {} : { socket: inside.socket }),
        ...(memory === undefined ? {} : { memoryBytes: Number(memory) }),
      });
      return inside;
    }
    if (type === 'Bridge' && given['bridge_type']?.startsWith('0-')) {
      const bus = /^([0-9a-f]{4,8}):\[([0-9a-f]{2})-/i.exec(given['bridge_pci'] ?? '');
      if (bus === null)
        throw refuse(
          'a host bridge without its buses',
          given['bridge_pci'] ?? '',
          'bridge_pci="0000:[00-1f]"',
        );
      return {
        ...inside,
        bridge: null,
        rootBus: `${bus[1]}:${bus[2]}`.toLowerCase(),
        numaNode: inside.numaNode,
      };
    }
    if (type === 'Bridge' || type === 'PCIDev') return enterFunction(given, inside, type === 'Bridge');
    if (type === 'OSDev' && above?.draft && given['name'] !== undefined) {
      above.draft.names = [...(above.draft.names ?? []), given['name']];
      if (isOpenFabrics(given['osdev_type'])) above.draft.role = 'rnic';
    }
    return inside;
  }

  function enterFunction(given: Readonly<Record<string, string>>, inside: Inside, isBridge: boolean): Inside {
    const busId = given['pci_busid'];
    if (busId === undefined || !/^[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]$/i.test(busId))
      throw refuse('a PCI function without its address', busId ?? '', 'pci_busid="0000:3b:00.0"');
    const speed = Number(given['pci_link_speed'] ?? 0);
    const draft: Draft = {
      address: pciAddress(busId),
      role: isBridge ? 'bridge' : roleOf(given['pci_type'] ?? ''),
      ...(inside.bridge === undefined ? {} : { parent: inside.bridge }),
      ...(inside.rootBus === undefined ? {} : { rootBus: inside.rootBus }),
      ...(inside.socket === undefined ? {} : { socket: inside.socket }),
      // hwloc gives gigabytes per second of the link as it stands.
      ...(speed > 0 ? { linkGbps: speed * 8 } : {}),
    };
    functions.push(draft);
    return { ...inside, draft, ...(isBridge ? { bridge: draft.address } : {}) };
  }

  function whole(given: Readonly<Record<string, string>>, attribute: string): number {
    const value = given[attribute];
    if (value !== undefined && /^\d+$/.test(value)) return Number(value);
    throw refuse(`${given['type']} without ${attribute}`, value ?? '', 'a whole number');
  }

  /** The mask of 3.x has 32 for OpenFabrics, the enumeration of 2.x 3. */
  function isOpenFabrics(type: string | undefined): boolean {
    const value = Number(type);
    return version!.startsWith('3') ? (value & 32) !== 0 : value === 3;
  }

  parser.write(text).close();
  if (functions.length === 0 && numaNodes.length === 0)
    throw refuse(
      'no object of a machine in it',
      text.slice(0, 60),
      "hwloc's XML of a whole machine, with I/O devices",
    );
  return { source, functions, numaNodes, distances: [] };
}

function readInfo(draft: Draft | null, given: Readonly<Record<string, string>>): void {
  if (draft !== null && given['name'] === 'PCIDevice' && given['value'] !== undefined)
    draft.title = given['value'];
}

/** `0302 [10de:20b0] [10de:1463] a1`. */
function roleOf(pciType: string): PciRole {
  return roleByClass(pciType.slice(0, 4), /\[([0-9a-f]{4}):/i.exec(pciType)?.[1]);
}
