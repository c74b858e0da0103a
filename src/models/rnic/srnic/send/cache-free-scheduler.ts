import type { Simulation } from '../../../../engine/index.js';
import type { CacheFreeSendConstants } from '../../../../profiles/index.js';
import { Op } from '../../../../verbs/base/index.js';
import { FluidServer } from '../../../resource/fluid-server.js';
import { IndexQueue } from '../../../resource/index-queue.js';
import { NO_PACKET, PacketEmitter } from '../../connectx/send/packet-emitter.js';
import { Side } from '../../parts/context-store.js';
import type { SendPathParts } from '../../parts/nic-parts.js';
import { Member, type RequestWqes, type SendScheduling } from '../../parts/send-path.js';
import type { NicQueuePair } from '../../queue-pair/nic-queue-pair.js';
import { EventMultiplexer } from './event-multiplexer.js';
import { LaneQueue } from './lane-queue.js';
import { SendQueueState } from './send-queue-state.js';

/** What such a scheduler is made of. */
export interface CacheFreeSchedulerParts extends SendPathParts {
  readonly constants: CacheFreeSendConstants;
  readonly requests: Pick<RequestWqes, 'hasPayload'>;
}

const NOBODY = -1;

/**
 * A send side without a cache of WQEs (SRNIC, NSDI'23, §4.3.1). A queue pair that has its turn gets a few WQEs by one DMA
 * read, sends a burst of them at most, and what is left of them is dropped and fetched again in its next turn; a message
 * longer than the burst goes on there. Fetches of different queue pairs are under way together; a data mover serves what
 * they bring in the order in which it comes. Traffic classes, or tenants, have lanes: both queues then take from the lane
 * that is furthest behind its share of the bytes sent.
 */
export class CacheFreeScheduler implements SendScheduling {
  readonly multiplexer: EventMultiplexer;
  private readonly schedule: LaneQueue;
  private readonly parts: CacheFreeSchedulerParts;
  private readonly simulation: Simulation;
  private readonly emitter: PacketEmitter;
  private readonly states: SendQueueState[] = [];
  /** Who was told of by a doorbell or by its endpoint since the last look; each stands there once. */
  private readonly woken = new IndexQueue();
  private readonly isWoken: boolean[] = [];
  /** Turns that have what they need, for the data mover. */
  private readonly fetched: LaneQueue;
  private readonly turns = new FluidServer();
  private readonly kickHandler: number;
  private readonly fetchedHandler: number;
  private readonly translatedHandler: number;
  private readonly moveHandler: number;
  private readonly turnPs: number;
  private readonly packetPs: number;
  private readonly readPs: number;
  private kickPending = false;
  private movePending = false;
  private fetching = 0;
  /** Whom the data mover serves, and when it is free for another packet. */
  private moving = NOBODY;
  private moverFreePs = 0;
  private isMoving = false;
  private transmittingBytes = 0;
  private awaitsRoom = false;
  private heldUntilPs = 0;

  constructor(parts: CacheFreeSchedulerParts) {
    const { simulation, name, constants } = parts;
    this.parts = parts;
    this.simulation = simulation;
    const lanes = parts.shares.kept ? { weights: parts.shares.weights, strict: [] } : parts.classes;
    this.schedule = new LaneQueue(lanes);
    this.multiplexer = new EventMultiplexer(this.schedule);
    this.fetched = new LaneQueue(lanes);
    this.emitter = new PacketEmitter({
      ...parts,
      // Packets leave as fast as the data mover takes them; no queue pair has a pace of its own.
      constants: {
        qpMessageGapNs: 0,
        qpPacketGapNs: 0,
        elementNs: 0,
        transmitPipelineNs: constants.transmitPipelineNs,
      },
      cache: parts.requests,
      fetch: this,
      // What software puts into a RetryQ (§4.4.2) does not wait behind packets that are on chip already.
      retriesFirst: true,
    });
    this.turnPs = Math.round(constants.scheduleTurnNs * 1000);
    this.packetPs = Math.round(constants.deviceMessageGapNs * 1000);
    this.readPs = Math.round(constants.deviceReadGapNs * 1000);
    this.kickHandler = simulation.register(`${name}/kick`, () => this.look());
    this.fetchedHandler = simulation.register(`${name}/wqe`, (index, count, era) =>
      this.onFetched(this.states[index], count, era),
    );
    this.translatedHandler = simulation.register(`${name}/translated`, (index) => this.give(index));
    this.moveHandler = simulation.register(`${name}/move`, () => {
      this.movePending = false;
      this.move();
    });
  }

  add(pair: NicQueuePair): void {
    this.states.push(new SendQueueState(pair));
    this.isWoken.push(false);
    this.multiplexer.add();
  }

  forget(pair: NicQueuePair): void {
    this.states[pair.index].forget();
    pair.send.abandon();
    pair.account.abandon(this.simulation.now);
  }

  /** A doorbell: the write pointer of a send queue has moved. */
  doorbell(pair: NicQueuePair, count: number): void {
    const now = this.simulation.now;
    if (!pair.account.hasPosted) pair.account.begin(now);
    pair.account.announce(count, now);
    this.states[pair.index].pending += count;
    this.wake(pair.index);
  }

  ready(pair: NicQueuePair, member: number): void {
    if (member === Member.REQUESTS) this.states[pair.index].blocked = false;
    this.wake(pair.index);
  }

  sent(_pair: NicQueuePair, wireBytes: number): void {
    this.transmittingBytes -= wireBytes;
    if (!this.awaitsRoom) return;
    this.awaitsRoom = false;
    this.move();
  }

  hold(untilPs: number): void {
    if (untilPs <= this.heldUntilPs) return;
    this.parts.counters.scheduler_held_ps += untilPs - Math.max(this.heldUntilPs, this.simulation.now);
    this.heldUntilPs = untilPs;
    this.simulation.at(untilPs, this.kickHandler);
  }

  release(entry: number): void {
    this.states[entry].parked = false;
    this.wake(entry);
  }

  /** The first packet of a WQE is out, or the device has executed it alone. */
  issued(pair: NicQueuePair): void {
    pair.account.served(this.simulation.now);
  }

  repeated(pair: NicQueuePair): void {
    pair.account.repeated(this.simulation.now);
  }

  /** May be called from inside an endpoint: it is looked at in an event of its own. */
  private wake(index: number): void {
    if (!this.isWoken[index]) {
      this.isWoken[index] = true;
      this.woken.push(index);
    }
    if (this.kickPending) return;
    this.kickPending = true;
    this.simulation.after(0, this.kickHandler);
  }

  private look(): void {
    this.kickPending = false;
    while (this.woken.length > 0) {
      const index = this.woken.shift();
      this.isWoken[index] = false;
      const state = this.states[index];
      // The end of a turn looks by itself, and who waits for its rate limit is not asked before that lets it go.
      if (state.parked || this.multiplexer.isReady(index)) continue;
      this.update(state, false);
      // Whom a limit lets go and who has nothing to send has had its turn.
      if (!this.multiplexer.isReady(index)) state.pair.limiter?.visited();
    }
    this.dispatch();
  }

  /** Tells the multiplexer what a queue pair has, and what its window allows. */
  private update(state: SendQueueState, endsTurn: boolean): void {
    const { endpoint, send, index } = state.pair;
    const now = this.simulation.now;
    const responds = endpoint.canRespond(this.simulation.now) && endpoint.nextResponseIsRead();
    // What was begun, or must be sent again, is the endpoint's already; it answers with its window considered.
    const resumes = endpoint.canRequest(now);
    const waits = state.pending > 0 && !state.blocked && !send.localBlocked;
    const active = responds || resumes || waits;
    const credit = responds || resumes || (waits && endpoint.hasRoom(now));
    const lane = this.laneOf(state.pair);
    if (endsTurn) this.multiplexer.endTurn(index, active, credit, lane);
    else this.multiplexer.update(index, active, credit, lane);
  }

  private laneOf(pair: NicQueuePair): number {
    return this.parts.shares.kept ? pair.tenant : pair.priority;
  }

  /** A turn has what it needs. */
  private supply(pair: NicQueuePair): void {
    this.fetched.push(pair.index, this.laneOf(pair));
  }

  /** Begins turns while fetches may be under way. */
  private dispatch(): void {
    const now = this.simulation.now;
    if (now < this.heldUntilPs) return;
    while (this.fetching < this.parts.constants.scheduleFetches) {
      const index = this.multiplexer.dequeue();
      if (index < 0) break;
      this.begin(this.states[index], now);
    }
    this.move();
  }

  private begin(state: SendQueueState, now: number): void {
    const { pcie, counters, constants, contexts } = this.parts;
    const { pair } = state;
    const { endpoint, send, index } = pair;
    this.parts.shares.heard(pair.tenant);
    const resumes = endpoint.canRequest(now);
    const begun = resumes ? 1 : 0;
    state.sentBytes = 0;
    state.translatedWqe = -1;
    // Requests that are sent again lie in the queue of retries, which is fetched from in the same way.
    const waiting = resumes && endpoint.nextRequestRepeats() ? constants.scheduleWqes : state.pending + begun;
    const count = Math.min(constants.scheduleWqes, waiting);
    state.wqesLeft = count;
    state.visible = Math.min(state.pending, count - begun);
    if (count <= 0) {
      this.supply(pair);
      return;
    }
    const bytes = count * send.wqeBytes;
    counters.send_wqes_fetched += count;
    counters.send_wqe_read_bytes += bytes;
    this.fetching++;
    const startPs = Math.round(this.turns.book(now, now, this.turnPs)) - now;
    // The context has the pointers of the queue.
    const foundPs = contexts.lookUp(now, pair.context.next(), Side.REQUESTER, pair.tenant) - now;
    const readyPs = pcie.read(now, bytes, send.queuePath) + startPs + foundPs;
    this.simulation.at(readyPs, this.fetchedHandler, index, state.visible, send.era);
  }

  private onFetched(state: SendQueueState, visible: number, era: number): void {
    const { send } = state.pair;
    this.fetching--;
    // What was fetched for a queue that has failed since is of no use, and the turn finds nothing to send.
    if (era === send.era) {
      send.untaken = visible;
      this.parts.queues.wqesVisible(state.pair);
    } else state.visible = 0;
    this.supply(state.pair);
    this.dispatch();
  }

  /** A queue pair that waited for a translation goes on. */
  private give(index: number): void {
    this.supply(this.states[index].pair);
    this.move();
  }

  /** The data mover: one packet after the other, of one turn after the other. */
  private move(): void {
    // The end of a turn begins others, which this loop then serves.
    if (this.isMoving) return;
    this.isMoving = true;
    while (!this.movePending && !this.awaitsRoom) {
      if (this.moving === NOBODY) this.moving = this.fetched.shift();
      if (this.moving === NOBODY) break;
      const { now } = this.simulation;
      if (now < this.moverFreePs) {
        this.movePending = true;
        this.simulation.at(this.moverFreePs, this.moveHandler);
      } else this.step(this.states[this.moving], now);
    }
    this.isMoving = false;
  }

  /** Sends the next packet of a turn, or ends the turn. */
  private step(state: SendQueueState, now: number): void {
    const { pair } = state;
    const { endpoint, send } = pair;
    if (pair.limiter?.holds) {
      state.parked = true;
      pair.limiter.park(pair.index);
      return this.end(state, true);
    }
    // Asked first, so that the endpoint takes no WQE that is then dropped.
    if (state.sentBytes >= this.parts.constants.scheduleBurstBytes) return this.end(state, false);
    if (endpoint.canRespond(this.simulation.now) && endpoint.nextResponseIsRead()) {
      if (this.fits(state, endpoint.nextResponseBytes()))
        this.launched(state, this.emitter.emitResponse(state), now, this.packetPs);
      return;
    }
    if (!endpoint.canRequest(now)) {
      if (send.localDue) return this.executeLocal(state);
      state.blocked = send.untaken > 0;
      return this.end(state, false);
    }
    const wqe = endpoint.nextRequestWqe();
    const starts = endpoint.nextRequestStartsMessage();
    const isNext = starts || state.translatedWqe < 0;
    if (isNext && state.wqesLeft === 0) return this.end(state, false);
    if (isNext && state.translatedWqe !== wqe) {
      const readyPs = this.translate(pair, wqe, now);
      state.translatedWqe = wqe;
      if (readyPs > now) {
        this.moving = NOBODY;
        this.simulation.at(readyPs, this.translatedHandler, pair.index);
        return;
      }
    }
    if (!this.fits(state, endpoint.nextRequestBytes())) return;
    if (isNext) state.wqesLeft--;
    const isRead = this.parts.wqes.opcode[wqe] === Op.RDMA_READ;
    this.launched(state, this.emitter.emitRequest(pair), now, isRead ? this.readPs : this.packetPs);
  }

  /** When the pages of what a turn can send of a message are translated. */
  private translate(pair: NicQueuePair, wqe: number, now: number): number {
    const { regions, constants } = this.parts;
    const offset = pair.endpoint.nextRequestOffset();
    return regions.translatePart(pair, wqe, offset, constants.scheduleBurstBytes, now, Side.REQUESTER);
  }

  /** Whether a packet may go now: else the turn has ended with its burst, or the mover waits for room. */
  private fits(state: SendQueueState, bytes: number): boolean {
    const { scheduleBurstBytes, transmitBufferBytes } = this.parts.constants;
    if (state.sentBytes > 0 && state.sentBytes + bytes > scheduleBurstBytes) {
      this.end(state, false);
      return false;
    }
    this.awaitsRoom = this.transmittingBytes > 0 && this.transmittingBytes + bytes > transmitBufferBytes;
    return !this.awaitsRoom;
  }

  private launched(state: SendQueueState, packet: number, now: number, gapPs: number): void {
    // The request failed instead.
    if (packet === NO_PACKET) return;
    const { packets } = this.parts;
    const wireBytes = packets.wireBytes[packet];
    // One lane, plus one: 0 stands for a packet that has no room.
    packets.deviceSecond[packet] = 1;
    this.transmittingBytes += wireBytes;
    state.sentBytes += packets.payloadBytes[packet];
    state.pair.limiter?.spend(wireBytes);
    this.moverFreePs = now + gapPs;
  }

  private executeLocal(state: SendQueueState): void {
    const { queues, counters } = this.parts;
    const { pair } = state;
    pair.send.localDue = false;
    if (!queues.executeLocal(pair)) return this.end(state, false);
    this.issued(pair);
    counters.local_wqes++;
    this.moverFreePs = this.simulation.now + this.packetPs;
  }

  /** The turn is over; WQEs that it did not need are dropped. */
  private end(state: SendQueueState, isParked: boolean): void {
    const { pair } = state;
    const { send } = pair;
    this.moving = NOBODY;
    const lane = this.laneOf(pair);
    this.schedule.charge(lane, state.sentBytes);
    this.fetched.charge(lane, state.sentBytes);
    state.sentBytes = 0;
    state.pending -= state.visible - send.untaken;
    this.parts.counters.send_wqes_dropped += send.untaken;
    state.visible = 0;
    send.untaken = 0;
    if (isParked) this.multiplexer.endTurn(pair.index, false, false);
    else {
      pair.limiter?.visited();
      this.update(state, true);
      this.parts.acks.answer(pair);
    }
    this.dispatch();
  }
}
