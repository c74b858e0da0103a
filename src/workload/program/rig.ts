import type { Random } from '../../engine/index.js';
import { KelpieError } from '../../error.js';
import type { Context, QueuePair, Thread, WcStatus } from '../../verbs/index.js';
import {
  operationMix,
  placementOf,
  type Route,
  routesOf,
  type Tenant,
  takesReceive,
  type Workload,
} from '../description/description.js';
import { type Delivered, MessagePlan, nothingDelivered } from '../description/message-plan.js';
import { LatencyLog } from '../measure/latency-log.js';
import { addressOf, connect } from './connection.js';
import { ControlVerbs } from './control-verbs.js';
import { HostSide, type Seat } from './host-side.js';
import type { Place, Places } from './places.js';
import type { PolledThreads } from './polled-thread.js';
import { RequestWriter } from './request-writer.js';
import { GRH_BYTES, ReceiveRequests, Receiver } from './receiver.js';
import { RegionCursor } from './regions.js';
import { QKEY } from './requests.js';
import { FollowedTable, followedPlaces, Sender } from './sender.js';
import { completionSlots, type Worker, type WorkerScratch } from './worker.js';

/** Data that goes one way for one tenant, and who counts it. */
export interface Lane {
  tenant: string;
  from: Place;
  to: Place;
  delivered: Delivered;
  /** What goes with a byte of its payload, for devices that count placed bytes alone. */
  perByte: Omit<Delivered, 'bytes'> | null;
  /** The queue pairs into whose host's memory the data goes. */
  sinks: { place: Place; qpNum: number }[];
}

/** Everything that was set up for one tenant. */
export interface TenantRig {
  tenant: Tenant;
  plan: MessagePlan;
  lanes: Lane[];
  senders: { sender: Sender; worker: Worker }[];
  receivers: { receiver: Receiver; worker: Worker }[];
  workers: Worker[];
  control: ControlVerbs[];
  latency: LatencyLog;
  failures: Map<WcStatus, number>;
  notes: string[];
}

/** What all tenants of a run share. */
export interface RigOptions {
  places: Places;
  workload: Workload;
  random: Random;
  polled: PolledThreads;
  /** How long the run can last. */
  maxNs: number;
  /** Called after each connection that is made. */
  onConnection: () => void;
}

/**
 * Makes one tenant's objects: protection domains, regions, completion queues, queue pairs, threads. Nothing is posted
 * yet.
 */
export function buildTenant(given: Tenant, options: RigOptions): TenantRig {
  const notes: string[] = [];
  const tenant = effectiveTenant(given, options.places, notes);
  const random = options.random.split(`tenant/${tenant.name}`);
  const plan = new MessagePlan(tenant, random.split('mix'));
  const rig: TenantRig = {
    tenant,
    plan,
    lanes: [],
    senders: [],
    receivers: [],
    workers: [],
    control: [],
    latency: new LatencyLog(isAnswered(tenant) ? 0.5 : 1),
    failures: new Map(),
    notes,
  };
  const builder = new TenantBuilder(rig, options, random);
  builder.addRoutes();
  builder.finish();
  for (const [index, control] of tenant.control.entries()) {
    const context = options.places.contextFor(options.places.find(control.host), tenant.name);
    const thread = makeThread(
      context,
      options.polled,
      `${tenant.name} control ${index}`,
      tenant.threadSocket,
    );
    rig.control.push(
      new ControlVerbs(context, thread, control, options.maxNs, random.split(`control/${index}`)),
    );
  }
  return rig;
}

/** A thread of the provider's, or one that polls. */
export function makeThread(
  context: Context,
  polled: PolledThreads,
  name: string,
  socket: number | null,
): Thread {
  return context.createThread?.({ name, socket: socket ?? undefined }) ?? polled.create();
}

/** The tenant as it can be run here; what differs from what was asked for is noted. */
function effectiveTenant(given: Tenant, places: Places, notes: string[]): Tenant {
  const tenant = { ...given };
  if (tenant.mode === 'pingPong' && tenant.opcode === 'WRITE') {
    notes.push(
      `${tenant.name}: the ping-pong of WRITEs uses WRITE with immediate; verbs have no event for the arrival of a plain one`,
    );
    tenant.opcode = 'WRITE_WITH_IMM';
  }
  const maxInline = Math.min(...places.all.map(({ device }) => device.context.queryDevice().maxInlineData));
  if (tenant.inlineBytes > maxInline) {
    notes.push(`${tenant.name}: the device takes ${maxInline} bytes inline, not ${tenant.inlineBytes}`);
    tenant.inlineBytes = maxInline;
  }
  return tenant;
}

/** An end of a route: what the workload calls it, and what that is on this testbed. */
interface End {
  endpoint: string;
  place: Place;
}

/** A route on a testbed. */
interface PlacedRoute {
  from: End;
  to: End;
  qps: number;
}

function placeRoute({ from, to, qps }: Route, places: Places): PlacedRoute {
  const near = { endpoint: from, place: places.find(from) };
  const far = { endpoint: to, place: places.find(to) };
  if (from !== to && near.place === far.place)
    throw new KelpieError('WORKLOAD_INVALID', 'both ends are the same device of this testbed', {
      field: 'to',
      given: to,
      allowed: `a device other than ${near.place.name}, or direction: loopback`,
    });
  return { from: near, to: far, qps };
}

/** Whether each message is answered by one: the latency is then half a round trip. */
function isAnswered(tenant: Tenant): boolean {
  return tenant.mode === 'pingPong' && operationMix(tenant).some(({ opcode }) => takesReceive(opcode));
}

/** Bytes that a receive buffer needs. */
function messageRoom({ tenant, plan }: TenantRig): number {
  return plan.longestBytes + (tenant.transport === 'UD' ? GRH_BYTES : 0);
}

class TenantBuilder {
  private readonly rig: TenantRig;
  private readonly options: RigOptions;
  private readonly regionRandom: Random;
  private readonly sides = new Map<Place, HostSide>();
  private readonly answered: boolean;
  private readonly receives: boolean;
  private readonly routes: readonly PlacedRoute[];
  private readonly scratch: WorkerScratch;
  private flows = 0;
  /** Where the senders of the present route note what they follow, and from which row on the next one does. */
  private followed = new FollowedTable(0);
  private followedFrom = 0;

  constructor(rig: TenantRig, options: RigOptions, random: Random) {
    this.rig = rig;
    this.options = options;
    this.regionRandom = random.split('regions');
    const { tenant, plan } = rig;
    this.scratch = {
      poster: new RequestWriter(tenant, plan),
      receives: new ReceiveRequests(tenant.receiveBatch, tenant.receiveSge, messageRoom(rig)),
      completions: completionSlots(),
    };
    this.receives = operationMix(tenant).some(({ opcode }) => takesReceive(opcode));
    this.answered = isAnswered(tenant);
    this.routes = routesOf(tenant).map((route) => placeRoute(route, options.places));
  }

  addRoutes(): void {
    for (const route of this.routes) this.addRoute(route);
  }

  private addRoute(route: PlacedRoute): void {
    const { tenant } = this.rig;
    const { places } = this.options;
    const from = this.side(route.from);
    const to = this.side(route.to);
    const forward = this.lane(route.from.place, route.to.place);
    const reverse = this.lane(route.to.place, route.from.place);
    const toAddress = addressOf(places.contextFor(route.to.place, tenant.name), tenant);
    const fromAddress = addressOf(places.contextFor(route.from.place, tenant.name), tenant);
    const ah = tenant.transport === 'UD' ? from.pd.createAh(toAddress) : null;
    const backAh = tenant.transport === 'UD' ? to.pd.createAh(fromAddress) : null;
    const each = followedPlaces(tenant.outstanding, tenant.signalEvery);
    this.followed = new FollowedTable(this.answered ? 0 : each * route.qps);
    this.followedFrom = 0;
    for (let index = 0; index < route.qps; index++) {
      const near = from.createQp(index, route.qps, true, this.answered);
      const far = to.createQp(index, route.qps, this.answered, this.receives);
      connect(tenant, near.qp, toAddress, far.qp, fromAddress);
      const target = ah === null ? null : { ah, remoteQpn: far.qp.qpNum, remoteQkey: QKEY };
      const sender = this.addSender(
        near,
        far,
        forward,
        reverse,
        target,
        this.answered ? 1 : Number.POSITIVE_INFINITY,
        !this.answered,
      );
      if (this.receives && tenant.receives === 'posted') {
        const backTarget =
          backAh === null ? null : { ah: backAh, remoteQpn: near.qp.qpNum, remoteQkey: QKEY };
        const answer = this.answered
          ? this.addSender(far, near, reverse, forward, backTarget, 0, false)
          : null;
        this.addReceiver(far, forward, answer, false);
        if (this.answered) this.addReceiver(near, reverse, sender, true);
      }
      this.noteSinks(near.qp, far.qp, forward, reverse);
      this.options.onConnection();
    }
  }

  /** Gives rate limits out and says what was changed. */
  finish(): void {
    const { tenant, workers, plan, notes } = this.rig;
    const limit = tenant.rateLimit;
    if (limit !== null) {
      for (const worker of workers) {
        if (worker.senders.length === 0) continue;
        const beside = workers.filter((other) => other.place === worker.place);
        const share = worker.senders.length / beside.reduce((sum, other) => sum + other.senders.length, 0);
        worker.pace(
          limit.messagesPerSecond === undefined ? 0 : 1e9 / (limit.messagesPerSecond * share),
          limit.gbps === undefined ? 0 : 8 / (limit.gbps * share),
        );
      }
    }
    const needed = this.regionBytes();
    if (needed > tenant.mrBytes)
      notes.push(
        `${tenant.name}: mrBytes ${tenant.mrBytes} does not hold the longest message; regions have ${needed} bytes`,
      );
    if (
      tenant.transport === 'UC' &&
      plan.operations.includes('WRITE') &&
      this.options.places.all.some(({ device }) => device.probe.placedBytes === null)
    )
      notes.push(`${tenant.name}: UC WRITEs are counted when sent; nothing tells that they arrived`);
  }

  private addSender(
    own: Seat,
    peer: Seat,
    forward: Lane,
    reverse: Lane,
    target: Sender['target'],
    due: number,
    timesCompletions: boolean,
  ): Sender {
    const { rig } = this;
    const worker = own.worker!;
    const sender = new Sender({
      qp: own.qp,
      index: worker.senders.length,
      plan: rig.plan,
      local: own.regions,
      remote: peer.regions,
      cursor: new RegionCursor(rig.tenant, this.regionRandom, this.flows % own.regions.count),
      forward: forward.delivered,
      reverse: reverse.delivered,
      latency: rig.latency,
      failures: rig.failures,
      outstanding: rig.tenant.outstanding,
      signalEvery: rig.tenant.signalEvery,
      iterations: rig.tenant.iterations ?? Number.POSITIVE_INFINITY,
      due,
      timesCompletions,
      target,
      followed: this.followed,
      followedFrom: this.followedFrom,
    });
    if (timesCompletions) this.followedFrom += followedPlaces(rig.tenant.outstanding, rig.tenant.signalEvery);
    this.flows++;
    worker.senders.push(sender);
    rig.senders.push({ sender, worker });
    return sender;
  }

  private addReceiver(own: Seat, lane: Lane, answer: Sender | null, endsRoundTrip: boolean): void {
    const { rig } = this;
    const worker = own.worker!;
    const receiver = new Receiver({
      qp: own.qp,
      index: worker.receivers.length,
      plan: rig.plan,
      local: own.regions,
      cursor: new RegionCursor(rig.tenant, this.regionRandom, this.flows % own.regions.count),
      delivered: lane.delivered,
      answer,
      endsRoundTrip,
    });
    this.flows++;
    worker.receivers.push(receiver);
    rig.receivers.push({ receiver, worker });
  }

  private noteSinks(near: QueuePair, far: QueuePair, forward: Lane, reverse: Lane): void {
    const reads = this.rig.plan.operations.includes('READ');
    if (this.answered || reads) reverse.sinks.push({ place: forward.from, qpNum: near.qpNum });
    if (!reads || this.rig.plan.operations.some((operation) => operation !== 'READ'))
      forward.sinks.push({ place: forward.to, qpNum: far.qpNum });
  }

  private lane(from: Place, to: Place): Lane {
    const { lanes, tenant } = this.rig;
    const found = lanes.find((lane) => lane.from === from && lane.to === to);
    if (found !== undefined) return found;
    const lane: Lane = {
      tenant: tenant.name,
      from,
      to,
      delivered: nothingDelivered(),
      perByte: this.rig.plan.perByte,
      sinks: [],
    };
    lanes.push(lane);
    return lane;
  }

  private side({ place, endpoint }: End): HostSide {
    let side = this.sides.get(place);
    if (side === undefined) {
      const { tenant } = this.rig;
      const { places, workload, polled } = this.options;
      side = new HostSide({
        place,
        context: places.contextFor(place, tenant.name),
        tenant,
        placement: placementOf(tenant, endpoint),
        relaxed: workload.settings['ordering'] === 'relaxed',
        regionBytes: this.regionBytes(),
        qpsPerThread: this.qpsPerThread(place),
        polled,
        scratch: this.scratch,
        workers: this.rig.workers,
      });
      this.sides.set(place, side);
    }
    return side;
  }

  private qpsPerThread(place: Place): number {
    const { tenant } = this.rig;
    const ends = this.routes.flatMap(({ from, to, qps }) => [from, to].map((end) => ({ end, qps })));
    return ends
      .filter(({ end }) => end.place === place)
      .reduce((sum, { qps }) => sum + Math.ceil(qps / tenant.threads), 0);
  }

  private regionBytes(): number {
    return Math.max(this.rig.tenant.mrBytes, messageRoom(this.rig));
  }
}
