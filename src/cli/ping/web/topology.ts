import type { Plan } from '../../../jobs/ping/index.js';
import { type Html, html, NOTHING } from '../../../report/html.js';
import type { LinkView } from './link-view.js';

/** A part of a server as it is drawn. */
interface Box {
  readonly name: string;
  readonly kind: 'memory' | 'socket' | 'switch' | 'rnic' | 'gpu';
  x: number;
  y: number;
  readonly width: number;
}

interface Picture {
  readonly boxes: ReadonlyMap<string, Box>;
  readonly width: number;
  readonly height: number;
}

const BOX = { width: 76, height: 40, gap: 8 };
const SOCKET_WIDTH = 160;
const SWITCH_WIDTH = 106;
const ROW = 92;
const HALF_GAP = 60;
const MARGIN = 12;
/** Letters of a name that fit into a box; the whole name is its title. */
const FIT = { wide: 9, narrow: 7 };
/** At the right of sockets that stand below each other: room for the links between them. */
const SIDE = 30;

/** The topology of a server as SVG: side by side for wide screens, socket below socket for narrow ones. */
export function topology(plan: Plan, links: readonly LinkView[]): Html {
  return html`<div class="topo w">${drawing(plan, links, layout(plan, false), true)}</div>
<div class="topo n" aria-hidden="true">${drawing(plan, links, layout(plan, true), false)}</div>`;
}

function drawing(plan: Plan, links: readonly LinkView[], picture: Picture, named: boolean): Html {
  const { boxes, width, height } = picture;
  const bad = links.filter(({ state }) => state !== 'normal' && state !== 'unknown');
  const words =
    bad.length === 0
      ? 'All links that were judged are normal.'
      : bad.map(({ name, state }) => `${name} is ${state}.`).join(' ');
  return html`<svg viewBox="0 0 ${width} ${height}" ${named ? html`role="img" aria-label="Topology of ${plan.host}. ${words}"` : NOTHING}>
${plan.links.map(({ ends }, link) => wire(links[link], link, way(boxes.get(ends[0]), boxes.get(ends[1]), width)))}
${[...boxes.values()].map((box) => drawn(box, named ? FIT.wide : FIT.narrow))}</svg>`;
}

/** A line between two boxes, and where its mark goes. */
interface Way {
  readonly d: string;
  readonly x: number;
  readonly y: number;
}

/** A link with its state as colour, as line style and as a mark. */
function wire({ name, state, mark }: LinkView, link: number, way: Way | null): Html {
  if (way === null) return NOTHING;
  const { d, x, y } = way;
  return html`<g class="l ${state}" data-link="${link}" data-name="${name}" data-state="${state}"><title>${name}: ${state}</title><path class="halo" d="${d}"/><path d="${d}"/>${mark === '' ? NOTHING : html`<circle cx="${x}" cy="${y}" r="9"/><text x="${x}" y="${y + 4.5}">${mark}</text>`}</g>`;
}

/** Null for a part that hangs from no socket: it has no place. */
function way(a: Box | undefined, b: Box | undefined, pictureWidth: number): Way | null {
  if (a === undefined || b === undefined) return null;
  const [top, low] = a.y <= b.y ? [a, b] : [b, a];
  const middleOf = (box: Box) => box.y + BOX.height / 2;
  if (top.y === low.y) {
    const [left, right] = a.x <= b.x ? [a, b] : [b, a];
    const [from, to] = [left.x + left.width, right.x];
    return { d: `M${from} ${middleOf(left)}H${to}`, x: (from + to) / 2, y: middleOf(left) };
  }
  if (top.kind === 'socket' && low.kind === 'socket') {
    // Round what stands between them.
    const edge = pictureWidth - SIDE / 2;
    const d = `M${top.x + top.width} ${middleOf(top)}H${edge}V${middleOf(low)}H${low.x + low.width}`;
    return { d, x: edge, y: (middleOf(top) + middleOf(low)) / 2 };
  }
  const [fromY, toY] = [top.y + BOX.height, low.y];
  const toX = low.x + low.width / 2;
  // A parent is left at the place nearest to its child, so that lines of siblings do not meet.
  const fromX = Math.min(Math.max(toX, top.x + 12), top.x + top.width - 12);
  const middle = (fromY + toY) / 2;
  const d = `M${fromX} ${fromY}C${fromX} ${middle} ${toX} ${middle} ${toX} ${toY}`;
  return { d, x: (fromX + toX) / 2, y: middle };
}

function drawn({ name, kind, x, y, width }: Box, letters: number): Html {
  const fit = Math.floor((letters * width) / BOX.width);
  const label = name.length > fit ? `${name.slice(0, fit - 1)}…` : name;
  return html`<g class="bx ${kind}"><title>${name}</title><rect x="${x}" y="${y}" width="${width}" height="${BOX.height}" rx="7"/><text x="${x + width / 2}" y="${y + BOX.height / 2 + 4.5}">${label}</text></g>`;
}

/** Where everything goes: memories above their socket, switches and devices below it, row by row. */
function layout(plan: Plan, stacked: boolean): Picture {
  const kinds = kindsOf(plan);
  const boxes = new Map<string, Box>();
  const sockets = [...kinds].filter(([, kind]) => kind === 'socket').map(([name]) => name);
  const placed = new Set(sockets);
  let [x, y, width, height] = [MARGIN, MARGIN, 0, 0];
  for (const socket of sockets) {
    const half = placeHalf(plan, kinds, socket, placed, boxes, x, y);
    width = Math.max(width, x + half.width + (stacked && sockets.length > 1 ? SIDE : MARGIN));
    height = Math.max(height, y + half.height + MARGIN);
    if (stacked) y += half.height + HALF_GAP / 2;
    else x += half.width + HALF_GAP;
  }
  return { boxes, width, height };
}

function placeHalf(
  plan: Plan,
  kinds: ReadonlyMap<string, Box['kind']>,
  socket: string,
  placed: Set<string>,
  boxes: Map<string, Box>,
  x: number,
  y: number,
): { width: number; height: number } {
  const neighbours = (name: string) =>
    plan.links
      .flatMap(({ ends: [a, b] }) => (a === name ? [b] : b === name ? [a] : []))
      .filter((each) => !placed.has(each));
  const memories = neighbours(socket).filter((name) => kinds.get(name) === 'memory');
  for (const name of memories) placed.add(name);
  let deepest = 1;
  let next = x;
  /** Places what hangs below a part and returns the middle of it. */
  const place = (name: string, row: number): number => {
    deepest = Math.max(deepest, row);
    const children = neighbours(name);
    for (const child of children) placed.add(child);
    const left = next;
    let middle: number;
    if (children.length === 0) {
      middle = next + BOX.width / 2;
      next += BOX.width + BOX.gap;
    } else {
      const middles = children.map((child) => place(child, row + 1));
      middle = (middles[0] + middles[middles.length - 1]) / 2;
    }
    // A switch is no wider than what hangs below it, or it would reach over its neighbour.
    const span = Math.min(SWITCH_WIDTH, next - left - BOX.gap);
    const width = name === socket ? SOCKET_WIDTH : children.length > 0 ? span : BOX.width;
    boxes.set(name, { name, kind: kinds.get(name)!, x: middle - width / 2, y: y + row * ROW, width });
    return middle;
  };
  const above = memories.length * (BOX.width + BOX.gap) - BOX.gap;
  const least = Math.max(SOCKET_WIDTH, above);
  const leaves = leavesBelow(socket, neighbours);
  // Few leaves below a wide socket stand in the middle of it.
  next = x + Math.max(0, (least - (leaves * (BOX.width + BOX.gap) - BOX.gap)) / 2);
  const middle = place(socket, 1);
  memories.forEach((name, index) => {
    const left = middle - above / 2 + index * (BOX.width + BOX.gap);
    boxes.set(name, { name, kind: 'memory', x: left, y, width: BOX.width });
  });
  return { width: Math.max(least, next - BOX.gap - x), height: deepest * ROW + BOX.height };
}

/** Devices and empty switches below a part; a graph from outside may have cycles. */
function leavesBelow(name: string, neighbours: (name: string) => string[], seen = new Set([name])): number {
  const children = neighbours(name).filter((child) => !seen.has(child));
  for (const child of children) seen.add(child);
  if (children.length === 0) return 1;
  return children.reduce((sum, child) => sum + leavesBelow(child, neighbours, seen), 0);
}

/** What every part of a plan is: sockets are where memories and other sockets hang, what is left are switches. */
function kindsOf({ links, rnics, paths }: Plan): Map<string, Box['kind']> {
  const kinds = new Map<string, Box['kind']>();
  const devices = new Map<string, Box['kind']>([
    ...rnics.map((name): [string, Box['kind']] => [name, 'rnic']),
    ...paths.map(({ endpoint, endpointKind }): [string, Box['kind']] => [endpoint, endpointKind]),
  ]);
  for (const { place, ends } of links)
    for (const end of ends) {
      const isSocket = place === 'memory' || place === 'inter-socket';
      const kind = devices.get(end) ?? (isSocket || kinds.get(end) === 'socket' ? 'socket' : 'switch');
      kinds.set(end, kind);
    }
  if (![...kinds.values()].includes('socket')) {
    const [root] = [...kinds].filter(([, kind]) => kind === 'switch');
    if (root !== undefined) kinds.set(root[0], 'socket');
  }
  return kinds;
}
