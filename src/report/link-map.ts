import type { CableUse } from '../jobs/fabric/index.js';
import { nameOf, PortPlan, type Topology } from '../models/fabric/index.js';
import { type Html, html } from './html.js';

const WIDTH = 1100;
const TIER_HEIGHT = 130;
const MARGIN = 20;
/** Each link has a title up to this many; more are drawn without, more still as cells. */
const MOST_TITLED = 400;
const MOST_DRAWN = 3000;
/** More ports than this would make a page that is too long: a cell per switch then. */
const MOST_CELLS = 15_000;
const CELL = 9;
/** From here on a link counts to the next step. */
const STEPS = [0.2, 0.4, 0.6, 0.8];
const NAMES = ['less than 20 %', '20 to 40 %', '40 to 60 %', '60 to 80 %', '80 % or more'];

/** The links of a topology by the use of their busier direction: a drawing of the tiers, or cells where they are many. */
export function linkMap(topology: Topology, links: readonly CableUse[]): Html {
  const plan = new PortPlan(topology);
  const drawn =
    topology.links.length <= MOST_DRAWN ? tiersDrawn(topology, plan, links) : cells(topology, plan, links);
  const steps = NAMES.map((name, step) => html`<span class="u${step}"><i></i>${name}</span>`);
  return html`<div class="steps">${steps}</div>${drawn}`;
}

function stepOf(share: number): number {
  return STEPS.filter((least) => share >= least).length;
}

function busier(links: readonly CableUse[], plan: PortPlan, port: number): number {
  return Math.max(links[port].utilisation, links[plan.peer[port]].utilisation);
}

/** Hosts below, switches above by their distance from hosts. */
function tiersDrawn(topology: Topology, plan: PortPlan, links: readonly CableUse[]): Html {
  const tier = tiersOf(topology);
  const tiers = tier.reduce((most, each) => Math.max(most, each), 0) + 1;
  const height = (tiers - 1) * TIER_HEIGHT + 2 * MARGIN;
  const counts = new Int32Array(tiers);
  for (const each of tier) counts[each]++;
  const placed = new Int32Array(tiers);
  const place = Array.from(tier, (each) => {
    const x = MARGIN + ((placed[each]++ + 0.5) / counts[each]) * (WIDTH - 2 * MARGIN);
    return { x: x.toFixed(0), y: height - MARGIN - each * TIER_HEIGHT };
  });
  const ports = Array.from(plan.peer, (peer, port) => ({ peer, port })).filter(
    ({ peer, port }) => port <= peer,
  );
  const end = (port: number) => place[plan.node[port]];
  const line = (port: number, peer: number) => `M${end(port).x} ${end(port).y}L${end(peer).x} ${end(peer).y}`;
  const titled = ports.length <= MOST_TITLED;
  const lines = titled
    ? ports.map(
        ({ port, peer }) =>
          html`<path class="u${stepOf(busier(links, plan, port))}" d="${line(port, peer)}"><title>${`${described(links[port])}; ${described(links[peer])}`}</title></path>`,
      )
    : NAMES.map((_, step) => {
        const some = ports.filter(({ port }) => stepOf(busier(links, plan, port)) === step);
        return html`<path class="u${step}" d="${some.map(({ port, peer }) => line(port, peer)).join('')}"/>`;
      });
  const nodes = place.map(
    ({ x, y }, node) =>
      html`<circle cx="${x}" cy="${y}" r="${topology.isSwitch[node] === 0 ? 3 : 6}">${titled ? html`<title>${nameOf(topology, node)}</title>` : html``}</circle>`,
  );
  return picture(
    `0 0 ${WIDTH} ${height}`,
    'Hosts are the small circles below, switches above',
    html`${lines}${nodes}`,
  );
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

/** A row per switch with a cell per port, or a cell per switch (its busiest link) where ports are too many. */
function cells(topology: Topology, plan: PortPlan, links: readonly CableUse[]): Html {
  const { nodes, isSwitch } = topology;
  const switches = Array.from({ length: nodes }, (_, node) => node).filter((node) => isSwitch[node] !== 0);
  const portsOf = (node: number) =>
    Array.from({ length: plan.portEnd[node] - plan.portBegin[node] }, (_, at) => plan.portBegin[node] + at);
  const perPort = plan.peer.length <= MOST_CELLS;
  const uses = switches.map((node) => portsOf(node).map((port) => busier(links, plan, port)));
  const rows = perPort
    ? uses
    : inRows(
        uses.map((each) => Math.max(0, ...each)),
        100,
      );
  const columns = rows.reduce((most, row) => Math.max(most, row.length), 1);
  const boxes = NAMES.map((_, step) => {
    const some = rows.flatMap((row, y) =>
      row.flatMap((use, x) => (stepOf(use) === step ? [`M${x * CELL} ${y * CELL + CELL / 2}h${CELL}`] : [])),
    );
    return html`<path class="cell u${step}" d="${some.join('')}"/>`;
  });
  const [first, last] = [switches[0] ?? 0, switches[switches.length - 1] ?? 0].map((node) =>
    nameOf(topology, node),
  );
  const what = perPort
    ? `A row per switch, from ${first} to ${last}; a cell per port`
    : `A cell per switch, from ${first} to ${last}, row by row: the use of its busiest link`;
  return html`<p class="small muted">${what}.</p>${picture(`0 0 ${columns * CELL} ${rows.length * CELL}`, what, html`${boxes}`)}`;
}

function inRows(values: readonly number[], length: number): number[][] {
  return Array.from({ length: Math.ceil(values.length / length) }, (_, row) =>
    values.slice(row * length, (row + 1) * length),
  );
}

function picture(viewBox: string, description: string, content: Html): Html {
  return html`<svg class="links" viewBox="${viewBox}" role="img" aria-label="Use of links"><desc>${description}</desc>${content}</svg>`;
}

function described({ from, to, utilisation, pausedNs, peakQueueBytes }: CableUse): string {
  return `${from} to ${to}: ${(utilisation * 100).toFixed(1)} %, paused ${(pausedNs / 1000).toFixed(1)} µs, largest queue ${peakQueueBytes} B`;
}
