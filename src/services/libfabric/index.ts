/**
 * The other side of libfabric's `fi_pingpong -p verbs -e msg`.
 *
 * @example
 * await serveFiPingPong(context, manager, channel, '192.0.2.2');
 *
 * @module
 */
export {
  askFiPingPong,
  type FiPingPongOptions,
  type FiServerOptions,
  serveFiPingPong,
} from './fi-ping-pong.js';
