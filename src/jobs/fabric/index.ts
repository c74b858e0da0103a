/**
 * Fabrics as people describe them, run packet by packet with a look at their queues, and its outcome.
 *
 * @example
 * import { answerOf, Fabric, parseFabric, runFabric } from 'kelpie/fabric';
 *
 * const text = `
 * topology: { kind: leaf-spine, leaves: 2, spines: 2, hostsPerLeaf: 4 }
 * workload: [{ kind: incast, fanIn: 6, bytes: 100000 }]
 * control: dctcp`;
 * const { spec, stopNs } = parseFabric(text, 'incast.yaml', () => '');
 * const fabric = new Fabric(spec);
 * const { recorder, whole } = await runFabric(fabric, stopNs, async () => true);
 * const answer = answerOf(fabric, recorder, !whole);
 * console.log(answer.finished, answer.drops); // 6 0
 *
 * @example
 * import { Random } from 'kelpie/engine';
 * import * as fabrics from 'kelpie/fabric';
 *
 * const topology = fabrics.fatTree({ ports: 4, host: { gbps: 100, delayNs: 1000 } });
 * const hosts = [...topology.isSwitch].flatMap((isSwitch, node) => (isSwitch === 0 ? [node] : []));
 * const terms = { nicBps: 100e9, payloadBytes: 1000 };
 * const fabric = new fabrics.Fabric({
 *   topology,
 *   flows: fabrics.permutation(
 *     { hosts, bytes: 100_000, startNs: 0, trafficClass: 3, dport: 100 },
 *     new Random(1),
 *   ),
 *   nic: fabrics.presetNic('hpcc', terms),
 *   control: fabrics.presetControl('hpcc', terms),
 *   buffer: fabrics.presetBuffer(terms),
 *   marking: fabrics.presetMarking('hpcc', topology),
 *   globalRtt: true,
 *   visits: 'descending',
 *   order: 'canonical',
 *   rng: 'own',
 *   rounding: 'ns3',
 *   seed: 1,
 *   commonLossRate: 0,
 * });
 * fabric.run(1e9);
 * console.log(fabric.finished.length); // 16
 *
 * @module
 */
export * from '../../models/fabric/index.js';
export { answerOf, type FabricAnswer } from './answer.js';
export type { FullHosts } from './full-hosts.js';
export { type CableUse, cableUse } from './cable-use.js';
export { type MixedRun, runMixed } from './mixed.js';
export type { Sample } from './recorder.js';
export { type FabricJob, fabricJsonSchema, parseFabric } from './resolve.js';
export { type FabricProgressState, type FabricRun, runFabric } from './run.js';
export { readSonicBuffers } from './sonic-file.js';
