import type { FlowSpec } from '../nic/flow-spec.js';
import type { FlowKind } from './patterns.js';

/** A collective operation of some hosts. */
export interface CollectiveOptions extends FlowKind {
  readonly hosts: readonly number[];
  /** Bytes that each host has. */
  readonly bytes: number;
  readonly startNs: number;
  /** What a host computes between what it receives and what it sends. */
  readonly computeNs: number;
}

/**
 * All-reduce on a ring: 2 (n - 1) steps, in each of which every host sends a n-th of its bytes to the next. A host takes
 * the next step when it has received what it needs for it.
 */
export function ringAllReduce({ hosts, bytes, ...common }: CollectiveOptions): FlowSpec[] {
  const count = hosts.length;
  const chunk = Math.max(1, Math.ceil(bytes / count));
  const flows: FlowSpec[] = [];
  for (let step = 0; step < 2 * (count - 1); step++)
    for (let place = 0; place < count; place++) {
      const before = flows[(step - 1) * count + ((place + count - 1) % count)];
      flows.push(made(hosts[place], hosts[(place + 1) % count], chunk, common, step === 0 ? [] : [before]));
    }
  return flows;
}

/**
 * All-to-all: every host sends an equal part to every other, in n - 1 rounds. In round r it sends to the r-th host after
 * it, once its last round was acknowledged.
 */
export function allToAll({ hosts, bytes, ...common }: CollectiveOptions): FlowSpec[] {
  const count = hosts.length;
  const part = Math.max(1, Math.ceil(bytes / count));
  const flows: FlowSpec[] = [];
  for (let round = 1; round < count; round++)
    for (let place = 0; place < count; place++) {
      const before = round === 1 ? [] : [flows[(round - 2) * count + place]];
      flows.push(made(hosts[place], hosts[(place + round) % count], part, common, before));
    }
  return flows;
}

/** A training step whose layers are spread over hosts. */
export interface PipelineOptions extends CollectiveOptions {
  /** Parts of a batch that follow each other through the stages. */
  readonly microbatches: number;
}

/**
 * A pipeline (GPipe, NeurIPS 2019): micro-batches go forward from stage to stage, then their gradients come back. A
 * stage sends a micro-batch when it has it and its last one was acknowledged. `bytes` are those of a micro-batch.
 */
export function pipeline({ hosts, bytes, microbatches, ...common }: PipelineOptions): FlowSpec[] {
  const last = hosts.length - 1;
  const forward: FlowSpec[][] = [];
  const backward: FlowSpec[][] = [];
  for (let batch = 0; batch < microbatches; batch++) {
    const sent: FlowSpec[] = [];
    for (let stage = 0; stage < last; stage++) {
      const before = [sent[stage - 1], forward[batch - 1]?.[stage]].filter((each) => each !== undefined);
      sent.push(made(hosts[stage], hosts[stage + 1], bytes, common, before));
    }
    forward.push(sent);
  }
  for (let batch = 0; batch < microbatches; batch++) {
    // By number of the stage that sends: the last begins when it has the last micro-batch.
    const sent: FlowSpec[] = [];
    for (let stage = last; stage > 0; stage--) {
      const arrived = stage === last ? forward[microbatches - 1][last - 1] : sent[stage + 1];
      const before = [arrived, backward[batch - 1]?.[stage]].filter((each) => each !== undefined);
      sent[stage] = made(hosts[stage], hosts[stage - 1], bytes, common, before);
    }
    backward.push(sent);
  }
  return [
    ...forward.flat(),
    ...backward.flatMap((sent) => sent.filter((each) => each !== undefined).reverse()),
  ];
}

function made(
  source: number,
  target: number,
  bytes: number,
  { startNs, computeNs, trafficClass, dport }: Omit<CollectiveOptions, 'hosts' | 'bytes'>,
  after: readonly FlowSpec[],
): FlowSpec {
  return {
    source,
    target,
    bytes,
    startNs,
    trafficClass,
    dport,
    ...(after.length === 0 ? {} : { after, computeNs }),
  };
}
