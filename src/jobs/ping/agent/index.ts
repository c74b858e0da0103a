export { type AgentHost, type AgentOptions, PingAgent } from './agent.js';
export { type AgentClock, VirtualClock } from './agent-clock.js';
export { LinkMemory } from './flapping.js';
export { HistoryKeeper } from './history-keeper.js';
export { type LinkState, linkStatesOf } from './link-health.js';
export * from './monitor.js';
export { RETENTION, type Retention, RunHistory } from './run-history.js';
export { type PathRecord, type RunRecord, recordOf, settingsHash } from './run-record.js';
export { SimulatedAgentHost, type SimulatedHostOptions } from './simulated-agent-host.js';
