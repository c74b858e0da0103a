import type { CongestionControl } from './congestion-control.js';

/** No rate control: packets leave as fast as the device sends them. One object serves every endpoint. */
export const noCongestionControl: CongestionControl = {
  name: 'none',
  nextSendPs: 0,
  windowPackets: Number.POSITIVE_INFINITY,
  ackPackets: Number.POSITIVE_INFINITY,
  usesRoundTrips: false,
  onSend() {},
  onAck() {},
  onCnp() {},
  onLoss() {},
  close() {},
};
