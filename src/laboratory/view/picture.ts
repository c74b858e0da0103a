import type { LevelSeries, LinkSeries, Measurement, QueueSeries } from '../../workload/index.js';
import type { NodeEntry, SubsystemEntry } from '../desk/catalogue.js';
import { bytesText } from '../setup/setup.js';
import { type HostLayout, layOutHost, type Placed } from './host-layout.js';

/** How full something is, slice by slice. */
export interface Gauge {
  readonly id: string;
  readonly title: string;
  /** `receive buffer of b`, for a list. */
  readonly longTitle: string;
  readonly levels: readonly number[];
  /** What a full gauge is: what fits, or the most that there was. */
  readonly top: number;
  /** Whether `top` is what fits. */
  readonly isBounded: boolean;
  readonly unit: 'B' | 'requests';
}

/** A box of the picture. */
export interface Station {
  readonly id: string;
  readonly kind: 'nic' | 'fabric' | NodeEntry['kind'];
  readonly title: string;
  readonly below: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly gauges: readonly Gauge[];
  /** Shares that a NIC's counters say, slice by slice. */
  readonly shares: readonly { readonly title: string; readonly share: readonly number[] }[];
  /** What the run was limited by is here. */
  readonly isLimit: boolean;
}

/** One direction of a pipe. */
export interface Lane {
  readonly id: string;
  readonly path: string;
  readonly gbps: readonly number[];
  readonly busy: readonly number[];
  readonly isLimit: boolean;
  /** `a, PCIe to rnic0`, for a list. */
  readonly longTitle: string;
}

/** What joins two boxes. */
export interface Pipe {
  readonly id: string;
  readonly path: string;
  readonly title: string;
  /** What it can carry each way. */
  readonly gbps: number;
  readonly lanes: readonly Lane[];
  /** Where its text stands. */
  readonly at: { readonly x: number; readonly y: number; readonly anchor: 'start' | 'middle' | 'end' };
}

/** A NIC, or a switch, that tells its peer to pause. */
export interface PauseArrow {
  readonly id: string;
  readonly path: string;
  readonly share: readonly number[];
  readonly at: { readonly x: number; readonly y: number };
  readonly longTitle: string;
}

/** A run as a picture: boxes, pipes, and what was in them in each slice. Nothing in it was not measured. */
export interface Picture {
  readonly width: number;
  readonly height: number;
  readonly zones: readonly { readonly title: string; readonly x: number; readonly width: number }[];
  readonly stations: readonly Station[];
  readonly pipes: readonly Pipe[];
  readonly pauses: readonly PauseArrow[];
  /** Ends of the slices. */
  readonly timeNs: readonly number[];
}

const ROW = 84;
const BOX = { width: 110, height: 48 };
const GAP = 84;
const CABLE = 78;
const GAUGE = 42;
const TOP = 46;
const SWITCH_WIDTH = 92;
const ZONE_PAD = 14;
/** Directions that carry less than this are not drawn: acknowledgements and requests. */
const LEAST_SHARE = 0.004;

/** The picture of a run between two hosts, or within one; null where there are more, or no levels were kept. */
export function pictureOf(measurement: Measurement, subsystem: SubsystemEntry): Picture | null {
  const { series, hosts } = measurement;
  const { levels } = series;
  if (levels === undefined || hosts.length > 2) return null;
  return new Painter(measurement, levels, subsystem).picture();
}

class Painter {
  private readonly measurement: Measurement;
  private readonly levels: LevelSeries;
  private readonly subsystem: SubsystemEntry;
  private readonly names: readonly string[];
  private readonly layouts: readonly HostLayout[];
  private readonly height: number;
  private readonly stations: Station[] = [];
  private readonly pipes: Pipe[] = [];
  private readonly zones: { title: string; x: number; width: number }[] = [];

  constructor(measurement: Measurement, levels: LevelSeries, subsystem: SubsystemEntry) {
    this.measurement = measurement;
    this.levels = levels;
    this.subsystem = subsystem;
    const names = measurement.hosts.map(({ name }) => name);
    const isLoop = measurement.workload.tenants.every(({ direction }) => direction === 'loopback');
    this.names = isLoop ? names.slice(0, 1) : names;
    this.layouts = this.names.map((name) =>
      layOutHost(subsystem, this.memoryOf(name), (link) => this.isUsed(name, link)),
    );
    this.height = TOP + Math.max(3, ...this.layouts.map(({ rows }) => rows)) * ROW + 34;
  }

  picture(): Picture {
    const [left, right] = this.names;
    let x = 4;
    x = this.host(left, 0, x, true);
    let switchAt: { x: number; width: number } | null = null;
    if (right !== undefined) {
      if (this.subsystem.hasSwitch) {
        switchAt = { x: x + CABLE, width: SWITCH_WIDTH };
        x = switchAt.x + switchAt.width;
      }
      x = this.host(right, 1, x + CABLE, false);
      this.cables(left, right, switchAt);
    }
    return {
      width: x + 4,
      height: this.height,
      ...{ zones: this.zones, stations: this.stations, pipes: this.pipes, pauses: this.pauses() },
      timeNs: this.measurement.series.timeNs,
    };
  }

  /** Draws a host from `x` on and gives where it ends. The NIC stands where the network is. */
  private host(name: string, place: number, x: number, isLeft: boolean): number {
    const layout = this.layouts[place];
    const gauges = this.nicGauges(name);
    const nicWidth = Math.max(104, 20 + gauges.length * (GAUGE + 8));
    const inner = layout.columns * BOX.width + layout.columns * GAP + nicWidth;
    const width = inner + 2 * ZONE_PAD;
    const across = (column: number, boxWidth: number) => {
      const offset = column === 0 ? 0 : nicWidth + GAP + (column - 1) * (BOX.width + GAP);
      return isLeft ? x + width - ZONE_PAD - offset - boxWidth : x + ZONE_PAD + offset;
    };
    this.zones.push({ title: `Host ${name}`, x, width });
    const nic: Station = {
      ...{ id: `${name}/nic`, kind: 'nic', title: `NIC ${name}`, below: '', x: across(0, nicWidth), y: TOP },
      ...{ width: nicWidth, height: this.height - TOP - 34, gauges, shares: this.nicShares(name) },
      isLimit: this.isNicLimit(name),
    };
    this.stations.push(nic);
    const boxes = new Map<string, Station>([[this.subsystem.rnic, nic]]);
    for (const { node, column, row } of layout.placed) {
      const station = this.nodeStation(name, { node, column, row }, across(column, BOX.width));
      boxes.set(node.name, station);
      this.stations.push(station);
    }
    for (const { name: link, between, pcie, kind, gbps } of layout.links) {
      const [one, other] = between.map((each) => boxes.get(each)!);
      this.pipe(
        `${name}/${link}`,
        pcie === '' ? (LINK_TITLES[kind] ?? kind) : pcie,
        gbps,
        one,
        other,
        between,
        isLeft,
      );
    }
    return x + width;
  }

  private nodeStation(host: string, { node, row }: Placed, x: number): Station {
    const { kind, name, title } = node;
    const number = /\d+$/.exec(name)?.[0] ?? '';
    const turns = this.levels.links.filter((link) => link.name === `${host}/${name}-turn`);
    const below = title ?? (kind === 'socket' ? 'root complex' : '');
    return {
      ...{ id: `${host}/${name}`, kind, title: `${NODE_TITLES[kind]} ${number}`.trim(), below },
      ...{ x, y: TOP + row * ROW + (ROW - BOX.height) / 2, ...BOX },
      gauges: [],
      shares: turns.map(({ busy }) => ({ title: 'turning', share: busy.map((each) => Math.min(1, each)) })),
      isLimit: turns.some((link) => this.isLinkLimit(link)),
    };
  }

  private pipe(
    id: string,
    title: string,
    gbps: number,
    one: Station,
    other: Station,
    ends: readonly [string, string],
    isLeft = true,
  ): void {
    const isUpright = one.kind !== 'nic' && other.kind !== 'nic' && one.x === other.x;
    const [first, second] = (isUpright ? one.y <= other.y : one.x <= other.x) ? [one, other] : [other, one];
    const secondEnd = first === one ? ends[1] : ends[0];
    // A pipe meets a NIC or a switch where its other end is, and a cable meets both in the middle.
    const middleOf = (station: Station, peer: Station) =>
      isTall(station)
        ? isTall(peer)
          ? this.cableY()
          : peer.y + peer.height / 2
        : station.y + station.height / 2;
    const middle = isUpright ? first.x + first.width / 2 : middleOf(first, second);
    const bend = isUpright ? middle : middleOf(second, first);
    const from = isUpright ? first.y + first.height : first.x + first.width;
    const to = isUpright ? second.y : second.x;
    const half = (from + to) / 2;
    const line = (by: number) =>
      isUpright
        ? `M${middle + by} ${from}V${to}`
        : bend === middle
          ? `M${from} ${middle + by}H${to}`
          : `M${from} ${middle + by}H${half}V${bend + by}H${to}`;
    const own = this.levels.links.filter((link) => link.name === id);
    const lanes = own.filter((link) => mean(link.busy) > LEAST_SHARE);
    const isTwo = lanes.length > 1;
    this.pipes.push({
      ...{ id, title, gbps, path: line(0) },
      lanes: lanes.map((link): Lane => {
        const isForth = link.towards === 'both' || link.towards === secondEnd;
        const by = isTwo ? (isForth ? -5 : 5) : 0;
        return {
          ...{ id: `${id} ${link.towards}`, path: isForth ? line(by) : reversed(line(by)) },
          ...{ gbps: this.rates(link), busy: link.busy, isLimit: this.isLinkLimit(link) },
          longTitle: longTitle(id, title, link.towards),
        };
      }),
      // Text stands on the side of the NIC, where there is room.
      at: isUpright
        ? { x: middle + (isLeft ? 14 : -14), y: (from + to) / 2 - 2, anchor: isLeft ? 'start' : 'end' }
        : { x: (from + to) / 2, y: Math.min(middle, bend) - 14, anchor: 'middle' },
    });
  }

  private cableY(): number {
    return TOP + (this.height - TOP - 34) / 2;
  }

  private cables(left: string, right: string, switchAt: { x: number; width: number } | null): void {
    const [nicA, nicB] = [left, right].map((name) => this.stations.find(({ id }) => id === `${name}/nic`)!);
    const gbps = this.subsystem.portGbps;
    const cable = (one: Station, other: Station, host: string) => {
      const found = this.levels.links.find(
        ({ name, kind }) => kind === 'cable' && name.startsWith(`${host}/`),
      );
      this.pipe(found?.name ?? `${host}/cable`, `${gbps} Gb/s`, gbps, one, other, cableEnds(one, other));
    };
    const cableEnds = (one: Station, other: Station): [string, string] => [
      this.endOf(one),
      this.endOf(other),
    ];
    if (switchAt === null) {
      cable(nicA, nicB, left);
      return;
    }
    const box: Station = {
      ...{ id: 'switch0', kind: 'fabric', title: 'Switch', below: '', shares: [], isLimit: false },
      ...{ ...switchAt, y: TOP, height: this.height - TOP - 34 },
      gauges: [left, right].flatMap((name, port) => {
        const queue = this.levels.queues.find((each) => each.name === `switch0/port${port}`);
        if (queue === undefined || Math.max(...queue.levels) < 1) return [];
        return [this.gauge(queue, `to ${name}`, `switch, queue to ${name}`)];
      }),
    };
    this.stations.push(box);
    cable(nicA, box, left);
    cable(nicB, box, right);
  }

  /** What the levels call an end of a cable. */
  private endOf(station: Station): string {
    const [host] = station.id.split('/');
    return station.kind === 'nic' ? `${host}/${this.subsystem.rnic}` : 'switch0';
  }

  private nicGauges(host: string): Gauge[] {
    const wanted: readonly [QueueSeries['kind'], string, string][] = [
      ['send queues', 'send queues', `send queues of ${host}`],
      ['egress queue', 'port', `port of ${host}`],
      ['receive buffer', 'receive buffer', `receive buffer of ${host}`],
    ];
    const { tenants } = this.measurement.workload;
    const receives = tenants.some(({ direction, to }) => direction === 'bi' || host === to);
    return wanted.flatMap(([kind, title, long]) => {
      const queue = this.levels.queues.find((each) => each.kind === kind && each.name.startsWith(`${host}/`));
      if (queue === undefined) return [];
      const isIdle = Math.max(...queue.levels) < 1;
      if (isIdle && !(kind === 'receive buffer' && receives)) return [];
      return [this.gauge(queue, title, long)];
    });
  }

  private gauge({ name, levels, room, unit }: QueueSeries, title: string, long: string): Gauge {
    return {
      ...{ id: name, title, longTitle: long, levels, unit, isBounded: room !== null },
      top: room ?? Math.max(1, ...levels),
    };
  }

  /** What the counters of a NIC say: how often its caches did not have what was wanted. */
  private nicShares(host: string): Station['shares'] {
    const counters = this.measurement.series.hosts[host]?.counters ?? {};
    return (
      [
        ['context misses', 'icm_cache'],
        ['translation misses', 'mtt_cache'],
      ] as const
    ).flatMap(([title, cache]) => {
      const misses = counters[`${cache}_miss`];
      if (misses === undefined) return [];
      const hits = counters[`${cache}_hit`];
      return [{ title, share: misses.map((miss, slice) => miss / Math.max(1, miss + (hits?.[slice] ?? 0))) }];
    });
  }

  /** Who pauses whom: a NIC by its own counter, a switch by what the NIC counted of it. */
  private pauses(): PauseArrow[] {
    const { series, hosts } = this.measurement;
    const boxes = (id: string) => this.stations.find((station) => station.id === id);
    const [left, right] = this.names;
    if (right === undefined) return [];
    const lengths = series.timeNs.map((end, slice) => end - (series.timeNs[slice - 1] ?? 0));
    return this.names.flatMap((name): PauseArrow[] => {
      const nic = boxes(`${name}/nic`)!;
      const peer = boxes('switch0') ?? boxes(`${name === left ? right : left}/nic`)!;
      const sent = series.hosts[name]?.pauseRatio ?? [];
      const counter = Object.keys(series.hosts[name]?.counters ?? {}).find((each) => PAUSED.test(each));
      const heard = counter === undefined ? [] : series.hosts[name].counters[counter];
      const arrows: PauseArrow[] = [];
      if (Math.max(0, ...sent) > 0) arrows.push(this.arrow(nic, peer, sent, `NIC ${name} pauses its peer`));
      // Microseconds of each slice.
      const share = heard.map((us, slice) => (1000 * us) / lengths[slice]);
      const isFromSwitch =
        peer.kind === 'fabric' && (hosts.find((host) => host.name === name)?.pausedRatio ?? 0) > 0;
      if (isFromSwitch && Math.max(0, ...share) > 0)
        arrows.push(this.arrow(peer, nic, share, `the switch pauses NIC ${name}`));
      return arrows;
    });
  }

  private arrow(from: Station, to: Station, share: readonly number[], longTitle: string): PauseArrow {
    const y = this.height - 30;
    const isLeftwards = to.x < from.x;
    const start = isLeftwards ? from.x + 8 : from.x + from.width - 8;
    const end = isLeftwards ? to.x + to.width - 8 : to.x + 8;
    const bend = (end - start) / 4;
    return {
      ...{ id: `${from.id} ${to.id}`, share, longTitle, at: { x: (start + end) / 2, y: y + 26 } },
      path: `M${start} ${y}C${start + bend} ${y + 18} ${end - bend} ${y + 18} ${end} ${y}`,
    };
  }

  private rates({ bytes }: LinkSeries): number[] {
    const { timeNs } = this.measurement.series;
    return bytes.map((each, slice) => (8 * each) / (timeNs[slice] - (timeNs[slice - 1] ?? 0)));
  }

  private isUsed(host: string, link: string): boolean {
    return this.levels.links.some(({ name, busy }) => name === `${host}/${link}` && mean(busy) > LEAST_SHARE);
  }

  private isLinkLimit({ name, kind, towards }: LinkSeries): boolean {
    const part = this.measurement.limits.part;
    if (part === null) return false;
    if (part.kind === 'line') {
      const isSending = part.name.endsWith('sending');
      return (
        kind === 'cable' && name.includes(`${part.at}/`) && towards.startsWith(`${part.at}/`) !== isSending
      );
    }
    return part.name.includes(` ${name} `) && (towards === 'both' || part.name.endsWith(towards));
  }

  private isNicLimit(host: string): boolean {
    const part = this.measurement.limits.part;
    return part !== null && part.at === host && NIC_PARTS.includes(part.kind);
  }

  private memoryOf(host: string): string {
    const [{ memory }] = this.measurement.workload.tenants;
    const usual = this.subsystem.memory;
    if (memory === null) return usual;
    return typeof memory === 'string' ? memory : (memory[host] ?? usual);
  }
}

const NODE_TITLES: Readonly<Record<NodeEntry['kind'], string>> = {
  ...{ socket: 'CPU', memory: 'Memory', switch: 'PCIe switch', gpu: 'GPU', rnic: 'RNIC' },
};
const LINK_TITLES: Readonly<Record<string, string>> = {
  ...{ memory: 'channels', 'inter-socket': 'inter-socket', 'root-complex': 'root complex' },
};
const NIC_PARTS: readonly string[] = [
  ...['processing units', 'receive engine', 'context cache', 'translation cache', 'receive WQE cache'],
  ...['send WQE cache', 'control verbs', 'PCIe ordering'],
];
const PAUSED = /^rx_(prio\d|global)_pause_duration$/;

/** What spans the height of the picture. */
function isTall({ kind }: Station): boolean {
  return kind === 'nic' || kind === 'fabric';
}

/** A straight or bent line from its end to its start: what flows on it goes the other way. */
function reversed(path: string): string {
  const numbers = path.match(/-?[\d.]+/g)!.map(Number);
  const upright = /^M(\S+) (\S+)V(\S+)$/.exec(path);
  if (upright !== null) return `M${numbers[0]} ${numbers[2]}V${numbers[1]}`;
  if (numbers.length === 3) return `M${numbers[2]} ${numbers[1]}H${numbers[0]}`;
  const [x, y, half, bend, end] = numbers;
  return `M${end} ${bend}H${half}V${y}H${x}`;
}

function longTitle(id: string, title: string, towards: string): string {
  const [host] = id.split('/');
  return towards === 'both' ? `${host}, ${title}` : `${host}, ${title}, to ${towards}`;
}

/** The mean of some numbers. */
export function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** A level as people read it. */
export function levelText({ unit, levels, top, isBounded }: Gauge, slice: number): string {
  const level = levels[slice] ?? 0;
  if (unit === 'B') return bytesText(level);
  return isBounded ? `${level} of ${top}` : String(level);
}
