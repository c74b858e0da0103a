import type { LinkUse } from '../../jobs/fabric/index.js';
import { nameOf, PortPlan, type Topology } from '../../models/fabric/index.js';
import { escapeHtml } from '../../report/html.js';

const WIDTH = 1100;
const ROW = 150;
const MARGIN = 40;
const NODE = 5;
/** More links than this are drawn as cells, a row per switch. */
const MOST_DRAWN = 3000;
const CELL = 9;

/** The links of a topology, coloured by their use: a drawing of the tiers, or cells if there are too many. */
export function heatMap(topology: Topology, links: readonly LinkUse[]): string {
  const plan = new PortPlan(topology);
  const drawn =
    topology.links.length <= MOST_DRAWN ? tiersDrawn(topology, plan, links) : cells(topology, plan, links);
  return `${legend()}\n${drawn}`;
}

/** White for nothing, over yellow and red to dark for a link that was always busy. */
export function heatColour(share: number): string {
  const at = Math.max(0, Math.min(1, share));
  return `hsl(${Math.round(60 - 60 * at)} 90% ${Math.round(88 - 58 * at)}%)`;
}

function legend(): string {
  const steps = [0, 0.2, 0.4, 0.6, 0.8, 1].map(
    (share) =>
      `<span style="background:${heatColour(share)};color:${share > 0.5 ? '#fff' : '#1a1a1a'};padding:.1rem .6rem">${share * 100} %</span>`,
  );
  return `<p>Busier direction of each link: ${steps.join(' ')}</p>`;
}

/** Hosts below, switches above by their distance from hosts. */
function tiersDrawn(topology: Topology, plan: PortPlan, links: readonly LinkUse[]): string {
  const tier = tiersOf(topology);
  const tiers = tier.reduce((most, each) => Math.max(most, each), 0) + 1;
  const height = tiers * ROW + MARGIN;
  const counts = new Int32Array(tiers);
  for (const each of tier) counts[each]++;
  const placed = new Int32Array(tiers);
  const place = Array.from(tier, (each) => {
    const x = MARGIN + ((placed[each]++ + 0.5) / counts[each]) * (WIDTH - 2 * MARGIN);
    return { x, y: height - MARGIN - each * ROW };
  });
  const lines: string[] = [];
  for (let port = 0; port < plan.peer.length; port++) {
    const peer = plan.peer[port];
    if (peer < port) continue;
    const [one, other] = [place[plan.node[port]], place[plan.node[peer]]];
    const busier = Math.max(links[port].utilisation, links[peer].utilisation);
    lines.push(
      `<line x1="${one.x.toFixed(1)}" y1="${one.y}" x2="${other.x.toFixed(1)}" y2="${other.y}" stroke="${heatColour(busier)}" stroke-width="${busier > 0.5 ? 2.5 : 1.5}"><title>${described(links[port])}\n${described(links[peer])}</title></line>`,
    );
  }
  const nodes = place.map(
    ({ x, y }, node) =>
      `<circle cx="${x.toFixed(1)}" cy="${y}" r="${topology.isSwitch[node] === 0 ? 2 : NODE}" fill="#333"><title>${escapeHtml(nameOf(topology, node))}</title></circle>`,
  );
  return `<svg class="heat" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="use of links">\n${lines.join('\n')}\n${nodes.join('\n')}\n</svg>`;
}

/** How many links a node is away from the nearest host. */
function tiersOf({ nodes, isSwitch, links }: Topology): Int32Array {
  const tier = new Int32Array(nodes).fill(-1);
  const neighbours: number[][] = Array.from({ length: nodes }, () => []);
  for (const { from, to } of links) {
    neighbours[from].push(to);
    neighbours[to].push(from);
  }
  const queue: number[] = [];
  for (let node = 0; node < nodes; node++)
    if (isSwitch[node] === 0) {
      tier[node] = 0;
      queue.push(node);
    }
  for (let head = 0; head < queue.length; head++)
    for (const next of neighbours[queue[head]])
      if (tier[next] < 0) {
        tier[next] = tier[queue[head]] + 1;
        queue.push(next);
      }
  return tier.map((each) => Math.max(0, each));
}

/** A row per switch, a cell per port. */
function cells({ nodes, isSwitch, ...rest }: Topology, plan: PortPlan, links: readonly LinkUse[]): string {
  const switches = Array.from({ length: nodes }, (_, node) => node).filter((node) => isSwitch[node] !== 0);
  const columns = switches.reduce(
    (most, node) => Math.max(most, plan.portEnd[node] - plan.portBegin[node]),
    1,
  );
  const boxes = switches.flatMap((node, row) =>
    Array.from({ length: plan.portEnd[node] - plan.portBegin[node] }, (_, column) => {
      const port = plan.portBegin[node] + column;
      const busier = Math.max(links[port].utilisation, links[plan.peer[port]].utilisation);
      return `<rect x="${column * CELL}" y="${row * CELL}" width="${CELL}" height="${CELL}" fill="${heatColour(busier)}"/>`;
    }),
  );
  const first = nameOf({ nodes, isSwitch, ...rest }, switches[0] ?? 0);
  const last = nameOf({ nodes, isSwitch, ...rest }, switches.at(-1) ?? 0);
  return `<p>A row per switch, from ${escapeHtml(first)} to ${escapeHtml(last)}; a cell per port.</p><svg class="heat" viewBox="0 0 ${columns * CELL} ${switches.length * CELL}" role="img" aria-label="use of links">${boxes.join('')}</svg>`;
}

function described({ from, to, utilisation, pausedNs, peakQueueBytes }: LinkUse): string {
  return escapeHtml(
    `${from} to ${to}: ${(utilisation * 100).toFixed(1)} %, paused ${(pausedNs / 1000).toFixed(1)} us, largest queue ${peakQueueBytes} bytes`,
  );
}
