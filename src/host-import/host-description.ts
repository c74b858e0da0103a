import { KelpieError } from '../error.js';
import type { ImportedMachine } from './merge.js';
import { generationOf, type PciFacts, type PciLinkState } from './pci-facts.js';

/** A node of the described host, with where it was found. */
export interface DescribedNode {
  readonly name: string;
  readonly kind: 'socket' | 'memory' | 'switch' | 'gpu' | 'rnic';
  readonly title?: string;
  /** PCI address, for what has one. */
  readonly address?: string;
}

/** A link of the described host. */
export interface DescribedLink {
  readonly between: readonly [string, string];
  readonly kind: 'memory' | 'inter-socket' | 'slot' | 'switch' | 'gpu';
  readonly generation?: number;
  readonly lanes?: number;
  readonly acs?: 'redirect';
}

/** Something that the machine itself admits to: a finding without any probe. */
export interface HostObservation {
  readonly part: string;
  readonly address: string;
  readonly observation:
    | 'link-downgraded'
    | 'acs-redirect'
    | 'ats-off'
    | 'ordering-strict'
    | 'payload-small'
    | 'read-request-small';
  readonly detail: string;
  /** A downgraded link as it runs and as it could. */
  readonly link?: { readonly now: PciLinkState; readonly able: PciLinkState };
  /** A size that is small. */
  readonly bytes?: number;
}

/** A host as its own programs describe it. */
export interface ImportedHost {
  readonly nodes: readonly DescribedNode[];
  /** With the rates that the links are capable of; what they run at less is an observation. */
  readonly links: readonly DescribedLink[];
  readonly observations: readonly HostObservation[];
  /** What had to be assumed, for the reader. */
  readonly assumptions: readonly string[];
}

/** Below these a setting is worth a word: PCIe Gen3 and later hosts negotiate at least this much. */
const USUAL_PAYLOAD_BYTES = 256;
const USUAL_READ_REQUEST_BYTES = 512;

/**
 * The graph of a host out of its PCI functions: an upstream bridge with its downstream bridges is one switch, virtual
 * functions belong to their physical one, the ports of one card are one RNIC.
 */
export function describeHost(machine: ImportedMachine): ImportedHost {
  return new Describer(machine).describe();
}

class Describer {
  private readonly machine: ImportedMachine;
  private readonly nodes: DescribedNode[] = [];
  private readonly links: DescribedLink[] = [];
  private readonly observations: HostObservation[] = [];
  private readonly assumptions = new Set<string>();
  private readonly children = new Map<string, PciFacts[]>();
  /** Switch node by the address of its upstream bridge. */
  private readonly switches = new Map<string, string>();
  private readonly socketOfNuma = new Map<number, number>();
  private readonly counts = { switch: 0, gpu: 0, rnic: 0 };

  constructor(machine: ImportedMachine) {
    this.machine = machine;
    for (const facts of machine.functions.values()) {
      if (!facts.parent) continue;
      const siblings = this.children.get(facts.parent);
      if (siblings === undefined) this.children.set(facts.parent, [facts]);
      else siblings.push(facts);
    }
  }

  describe(): ImportedHost {
    this.addSockets();
    const devices = [...this.machine.functions.values()]
      .filter((facts) => (facts.role === 'gpu' || facts.role === 'rnic') && !this.isSecondary(facts))
      .sort((a, b) => a.address.localeCompare(b.address));
    if (!devices.some(({ role }) => role === 'rnic')) {
      throw new KelpieError('IMPORT_NO_RNIC', 'no RDMA device was found in what the machine prints', {
        field: this.machine.sources.join(', '),
        given: `${this.machine.functions.size} PCI functions`,
        allowed: 'at least one InfiniBand or RoCE controller',
      });
    }
    for (const facts of devices) this.addDevice(facts);
    return {
      nodes: this.nodes,
      links: this.links,
      observations: this.observations,
      assumptions: [...this.assumptions],
    };
  }

  /** Virtual functions, and further ports of a card, are not devices of their own. */
  private isSecondary(facts: PciFacts): boolean {
    if (facts.physicalFunction !== undefined || /virtual function/i.test(facts.title ?? '')) return true;
    const first = facts.address.replace(/\.[1-7]$/, '.0');
    return first !== facts.address && this.machine.functions.get(first)?.role === facts.role;
  }

  private addSockets(): void {
    const { numaNodes, functions } = this.machine;
    const known = new Map(numaNodes.map(({ node, socket }) => [node, socket]));
    for (const { numaNode } of functions.values())
      if (numaNode !== undefined && !known.has(numaNode)) known.set(numaNode, undefined);
    if (known.size === 0) {
      known.set(0, 0);
      this.assumptions.add('no source names a NUMA node: one socket with one memory is assumed');
    }
    const numbers = [...known].sort(([a], [b]) => a - b);
    if (numbers.some(([, socket]) => socket === undefined))
      this.assumptions.add('no source joins NUMA nodes to sockets: a socket per NUMA node is assumed');
    const sockets = [...new Set(numbers.map(([node, socket]) => socket ?? node))].sort((a, b) => a - b);
    for (const socket of sockets) this.nodes.push({ name: `socket${socket}`, kind: 'socket' });
    for (const [node, socket] of numbers) {
      this.socketOfNuma.set(node, socket ?? node);
      this.nodes.push({ name: `memory${node}`, kind: 'memory' });
      this.links.push({ between: [`socket${socket ?? node}`, `memory${node}`], kind: 'memory' });
    }
    sockets.forEach((socket, place) => {
      for (const other of sockets.slice(place + 1))
        this.links.push({ between: [`socket${socket}`, `socket${other}`], kind: 'inter-socket' });
    });
  }

  private addDevice(facts: PciFacts): void {
    const kind = facts.role as 'gpu' | 'rnic';
    const name = `${kind}${this.counts[kind]++}`;
    const above = this.attachment(facts);
    const title = facts.names?.length ? facts.names.join(', ') : facts.title;
    this.nodes.push({
      name,
      kind,
      address: facts.address,
      ...(title === undefined ? {} : { title: title.slice(0, 120) }),
    });
    const onSocket = above.startsWith('socket');
    const port = facts.parent ? this.machine.functions.get(facts.parent) : undefined;
    this.links.push({
      between: [above, name],
      kind: kind === 'gpu' ? 'gpu' : onSocket ? 'slot' : 'switch',
      ...this.linkOf(facts, name),
      ...(port?.acsRedirect === true && !onSocket ? { acs: 'redirect' as const } : {}),
    });
    this.observe(facts, name, port);
  }

  /** The switch or socket that a function hangs from; makes the switches on the way. */
  private attachment(facts: PciFacts): string {
    const bridge = facts.parent ? this.machine.functions.get(facts.parent) : undefined;
    const upstream = bridge?.parent ? this.machine.functions.get(bridge.parent) : undefined;
    // A bridge below another bridge is the downstream port of a switch, whose upstream port that other bridge is,
    // unless the other is itself the root port.
    if (bridge !== undefined && upstream !== undefined && this.isUpstream(upstream))
      return this.switchOf(upstream);
    return this.socketOf(facts);
  }

  private isUpstream(facts: PciFacts): boolean {
    if (facts.role === 'upstream-port') return true;
    if (facts.role === 'root-port' || facts.role === 'downstream-port') return false;
    return (
      facts.parent !== null &&
      facts.parent !== undefined &&
      (this.children.get(facts.address) ?? []).some(isBridge)
    );
  }

  private switchOf(upstream: PciFacts): string {
    const known = this.switches.get(upstream.address);
    if (known !== undefined) return known;
    const above = this.attachment(upstream);
    const name = `switch${this.counts.switch++}`;
    this.switches.set(upstream.address, name);
    this.nodes.push({ name, kind: 'switch', address: upstream.address });
    this.links.push({ between: [above, name], kind: 'switch', ...this.linkOf(upstream, name) });
    return name;
  }

  private socketOf(facts: PciFacts): string {
    for (
      let each: PciFacts | undefined = facts;
      each !== undefined;
      each = each.parent ? this.machine.functions.get(each.parent) : undefined
    ) {
      if (each.numaNode !== undefined) return `socket${this.socketOfNuma.get(each.numaNode) ?? 0}`;
      if (each.socket !== undefined) return `socket${each.socket}`;
    }
    // A root bus belongs to one socket, so anything else on it tells.
    const rootBus = facts.rootBus;
    for (const each of this.machine.functions.values()) {
      if (rootBus === undefined || each.rootBus !== rootBus) continue;
      if (each.numaNode !== undefined) return `socket${this.socketOfNuma.get(each.numaNode) ?? 0}`;
    }
    const [first] = this.nodes;
    const sockets = this.nodes.filter(({ kind }) => kind === 'socket').length;
    if (sockets > 1)
      this.assumptions.add(`no source says where ${facts.address} hangs: ${first.name} is assumed`);
    return first.name;
  }

  private linkOf(facts: PciFacts, part: string): { generation?: number; lanes?: number } {
    const { link, linkMax } = facts;
    const port = facts.parent ? this.machine.functions.get(facts.parent) : undefined;
    // A link is capable of what both its ends are: a card of generation 5 in a slot of generation 4 is not degraded.
    const able = slower(linkMax, port?.linkMax) ?? link;
    if (able === undefined) {
      this.assumptions.add(`no source has the link of ${part} (${facts.address}): PCIe 4.0 x16 is assumed`);
      return { generation: 4, lanes: 16 };
    }
    if (link !== undefined && (link.gigatransfers < able.gigatransfers || link.lanes < able.lanes)) {
      this.observations.push({
        part,
        address: facts.address,
        observation: 'link-downgraded',
        link: { now: link, able },
        detail: `${link.gigatransfers} GT/s x${link.lanes} instead of ${able.gigatransfers} GT/s x${able.lanes}${
          // Drivers of GPUs do so to save power.
          facts.role === 'gpu' && link.lanes === able.lanes
            ? '; an idle GPU lowers its speed: look under load'
            : ''
        }`,
      });
    }
    const generation = generationOf(able.gigatransfers);
    if (generation === null) {
      throw new KelpieError(
        'IMPORT_BAD_LINK',
        `${facts.address} has a link rate that no PCIe generation has`,
        {
          field: facts.address,
          given: able.gigatransfers,
          allowed: '2.5, 5, 8, 16, 32 or 64 GT/s',
        },
      );
    }
    return { generation, lanes: able.lanes };
  }

  private observe(facts: PciFacts, part: string, port: PciFacts | undefined): void {
    const add = (
      observation: HostObservation['observation'],
      detail: string,
      { of = facts, bytes }: { of?: PciFacts; bytes?: number } = {},
    ) => {
      const size = bytes === undefined ? {} : { bytes };
      this.observations.push({ part, address: of.address, observation, detail, ...size });
    };
    if (port?.acsRedirect === true)
      add('acs-redirect', 'the port above redirects peer requests to the root complex', { of: port });
    if (facts.role !== 'rnic') return;
    if (facts.ats === false) add('ats-off', 'address translation service is off');
    if (facts.relaxedOrdering === false) add('ordering-strict', 'relaxed ordering is off');
    if (facts.maxPayloadBytes !== undefined && facts.maxPayloadBytes < USUAL_PAYLOAD_BYTES)
      add('payload-small', `MaxPayload ${facts.maxPayloadBytes} B`, { bytes: facts.maxPayloadBytes });
    if (facts.maxReadRequestBytes !== undefined && facts.maxReadRequestBytes < USUAL_READ_REQUEST_BYTES)
      add('read-request-small', `MaxReadReq ${facts.maxReadRequestBytes} B`, {
        bytes: facts.maxReadRequestBytes,
      });
  }
}

function isBridge({ role }: PciFacts): boolean {
  return role === 'bridge' || role === 'root-port' || role === 'upstream-port' || role === 'downstream-port';
}

function slower(a: PciLinkState | undefined, b: PciLinkState | undefined): PciLinkState | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return { gigatransfers: Math.min(a.gigatransfers, b.gigatransfers), lanes: Math.min(a.lanes, b.lanes) };
}
