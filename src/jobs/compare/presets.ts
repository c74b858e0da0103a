import type { WorkloadInput } from '../../workload/index.js';
import type { CompareRequest, Variant } from './compare.js';
import { fabricNics } from './fat-tree.js';

/** SRNIC §6.1: 512 B SENDs of 16 threads, or of one per connection where there are fewer; two NICs back to back. */
const MANY: WorkloadInput = {
  ...{ opcode: 'SEND', sizes: [512], mtu: 1024, sendQueueDepth: 128, receiveQueueDepth: 128 },
  ...{ cqSharing: 'thread', mrScope: 'thread' },
};
/** SRNIC §6.3: messages of 4 KB without congestion control; long enough for dozens of losses. */
const LOSS: WorkloadInput = {
  ...{ opcode: 'WRITE', sizes: [4096], mtu: 1024, measure: { minNs: 10_000_000, maxNs: 30_000_000 } },
};
/** The subsystems of SRNIC's comparison. */
const SIDE_BY_SIDE: readonly Variant[] = [
  { name: 'ConnectX-6', on: 'srnic' },
  { name: 'IRN', on: 'srnic', changes: { device: 'irn-100g' } },
  { name: 'SRNIC', on: 'srnic', changes: { device: 'srnic-fpga-100g' } },
];

/** SRNIC has contexts for 10,000 connections; this one puts what does not fit into host memory. */
const SPILLED: Variant = {
  name: 'SRNIC, contexts spilled',
  on: 'srnic',
  changes: { device: 'srnic-fpga-100g-spill' },
};

/** A ConnectX-6 with one structure, or both, kept on chip whatever its size: which of them makes the knee? */
const ABLATED: readonly Variant[] = [
  { name: 'as it is', on: 'srnic' },
  { name: 'contexts on chip', on: 'srnic', changes: { ablate: 'context-cache' } },
  { name: 'receive WQEs on chip', on: 'srnic', changes: { ablate: 'receive-wqe-cache' } },
  { name: 'both on chip', on: 'srnic', changes: { ablate: 'context-cache+receive-wqe-cache' } },
];

/** The name of a preset. */
export type ComparePreset = 'connections' | 'knee' | 'loss' | 'memory' | 'fat-tree';

/** Comparisons of SRNIC (NSDI 2023) by name: its Figures 9, 11 and 12, and Table 1 over connections. */
export const comparePresets: Readonly<Record<ComparePreset, CompareRequest>> = {
  connections: {
    variants: [...SIDE_BY_SIDE, SPILLED],
    workload: MANY,
    sweep: {
      parameter: 'qps',
      values: [1, 2, 4, 8, 16, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 10_000, 16_384, 32_768],
    },
    metrics: ['wireGbps', 'goodputGbps', 'messagesPerSecond', 'counters.icm_cache_miss'],
  },
  knee: {
    variants: ABLATED,
    workload: MANY,
    sweep: { parameter: 'qps', values: [128, 256, 512, 1024] },
    metrics: ['wireGbps', 'counters.icm_cache_miss'],
  },
  loss: {
    variants: SIDE_BY_SIDE,
    workload: LOSS,
    sweep: { parameter: 'loss', values: [0.00001, 0.0001, 0.0003, 0.001, 0.003, 0.01] },
  },
  memory: {
    kind: 'memory',
    variants: [...SIDE_BY_SIDE, SPILLED],
    sweep: { parameter: 'connections', values: [1, 16, 256, 1024, 4096, 10_000, 16_384, 32_768] },
  },
  'fat-tree': {
    kind: 'fat-tree',
    variants: fabricNics.map((name) => ({ name, on: name })),
    sweep: { parameter: 'servers', values: [16, 64, 256] },
  },
};
