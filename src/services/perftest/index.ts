/**
 * The other side of stock programs: perftest 4.5 and rdma-core's ping-pongs, over any channel of bytes and any provider
 * whose packets reach the peer.
 *
 * @example
 * await runPerftestPeer(context, channel, { kind: 'bw', verb: 'write', role: 'server', ...rest }, signal);
 *
 * @module
 */
export type { ByteChannel, ExchangeRole } from './byte-channel.js';
export type { Destination } from './destination.js';
export { PerftestExchange, type RateReport } from './exchange.js';
export { MessageChannel } from './message-channel.js';
export { runPerftestPeer } from './peer.js';
export type { PeerOptions, PeerResult, PeerVerb } from './peer-options.js';
export { type PingPongOptions, type PingPongResult, runPingPong } from './ping-pong.js';
export { exchangePingPong, type PingPongEnd } from './ping-pong-exchange.js';
export { runSrqPingPong, type SrqPingPongOptions } from './srq-ping-pong.js';
