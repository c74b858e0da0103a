export { NatsCarrier } from './carrier.js';
export { type Nats, openNats } from './client.js';
export { Meetings, withWays } from './meetings.js';
export { type NatsPlace, showPlace } from './place.js';
export { Presences } from './presence.js';
export { makeQueue } from './queue.js';
export { CampaignRegister } from './register.js';
export { NatsWorker } from './worker.js';
