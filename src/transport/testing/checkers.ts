import { KelpieError } from '../../error.js';
import { OPCODE } from '../../wire/index.js';
import type { Endpoint } from '../index.js';
import { PacketFlag, type PacketPool, psnAdd, psnDistance, RcEndpoint } from '../index.js';

/** What must hold of every packet and every request, whatever the channel does. Each throws where it does not. */
export class Checkers {
  private readonly packets: PacketPool;
  /** Requests taken and not ended, by device and request. */
  private readonly open = new Map<string, number>();
  /** Per endpoint: the PSN behind the last request packet. */
  private readonly nextPsn = new Map<Endpoint, number>();
  requests = 0;
  /** What was sent again, in order: queue pair number and PSN. */
  readonly resent: string[] = [];
  /** Packets of READ data that were in flight at most, where they have a window. */
  mostReadData = 0;

  constructor(packets: PacketPool) {
    this.packets = packets;
  }

  /** The endpoint filled a packet after promising its length. */
  emitted(endpoint: Endpoint, packet: number, promisedBytes: number): void {
    const { packets } = this;
    const bytes = packets.payloadBytes[packet];
    const abandoned = packets.opcode[packet] === OPCODE.RC_ACKNOWLEDGE && bytes === 0;
    if (bytes !== promisedBytes && !abandoned) fail('payload', bytes, `${promisedBytes} as promised`);
    if (bytes > endpoint.attributes.pathMtu && endpoint.type !== 'UD') fail('payload', bytes, 'one path MTU');
    if (!(endpoint instanceof RcEndpoint)) return;
    if (packets.wqe[packet] >= 0) this.checkOrder(endpoint, packet);
    this.checkReadData(endpoint);
  }

  private checkReadData({ responder, context }: RcEndpoint): void {
    const { lossRecovery, maxOutstandingPackets } = context.options;
    if (!lossRecovery.selective || !responder.active) return;
    const most = Math.min(lossRecovery.windowPackets, maxOutstandingPackets);
    const { inFlight } = responder.reads!;
    if (inFlight > most) fail('READ data in flight', inFlight, `up to ${most}`);
    this.mostReadData = Math.max(this.mostReadData, inFlight);
  }

  /** New PSNs come one after another; only what is marked as sent again goes back. */
  private checkOrder(endpoint: RcEndpoint, packet: number): void {
    const { packets } = this;
    const psn = packets.psn[packet];
    const expected = this.nextPsn.get(endpoint) ?? endpoint.attributes.sqPsn;
    const again = (packets.flags[packet] & PacketFlag.RETRANSMISSION) !== 0;
    if (again) this.resent.push(`${endpoint.qpn} ${psn}`);
    if (!again && psn !== expected) fail('psn', psn, `${expected}, or a retransmission`);
    if (!again) this.nextPsn.set(endpoint, endpoint.requester.nextPsn);
    const { unackedPsn, sentPsn } = endpoint.requester;
    const inFlight = psnDistance(sentPsn, unackedPsn);
    if (psnDistance(psn, unackedPsn) >= inFlight) fail('psn', psn, `${unackedPsn} to ${psnAdd(sentPsn, -1)}`);
  }

  taken(device: number, qpn: number, wqe: number): void {
    this.requests++;
    const key = `${device}/${wqe}`;
    if (this.open.has(key)) fail('wqe', wqe, 'a request that is not open');
    this.open.set(key, qpn);
  }

  ended(device: number, wqe: number): void {
    if (!this.open.delete(`${device}/${wqe}`)) fail('wqe', wqe, 'a request that is open');
  }

  /** The verbs flushed or dropped the requests of a queue pair. */
  flushed(device: number, qpn: number, endpoint?: Endpoint): void {
    for (const [key, owner] of this.open)
      if (owner === qpn && key.startsWith(`${device}/`)) this.open.delete(key);
    if (endpoint !== undefined) this.nextPsn.delete(endpoint);
  }

  /** Nothing is under way any more. */
  finish(): void {
    if (this.packets.inUse !== 0) fail('packets in use', this.packets.inUse, '0');
    if (this.open.size !== 0) fail('requests without an end', this.open.size, '0');
  }
}

function fail(field: string, given: number, allowed: string): never {
  throw new KelpieError('TRANSPORT_CHECK', 'the transport broke an invariant', { field, given, allowed });
}
