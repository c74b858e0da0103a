/**
 * What testbeds and jobs use of Node: the software provider for testbeds, a pool of threads, fabrics on several threads,
 * a store on disk, a user's files, and how much memory there is.
 *
 * @example
 * import { softwareProvider } from 'kelpie/node';
 * import { openTestbed, registerProvider } from 'kelpie/testbeds';
 *
 * registerProvider(softwareProvider);
 * const testbed = await openTestbed({ provider: 'software', hosts: 2 });
 * console.log(testbed.hosts.length); // 2
 * await testbed.close();
 *
 * @example
 * import { hunt } from 'kelpie/hunt';
 * import { openThreadPool } from 'kelpie/node';
 *
 * const pool = openThreadPool(2);
 * const { experiments } = await hunt({ budget: '5' }, { pool });
 * await pool.close();
 * console.log(experiments >= 5); // true
 *
 * @example
 * import { answerOf, parseFabric, runFabric } from 'kelpie/fabric';
 * import { openFabricThreads } from 'kelpie/node';
 *
 * const text = `
 * topology: { kind: leaf-spine, leaves: 4, spines: 2, hostsPerLeaf: 4 }
 * workload: [{ kind: permutation, bytes: 100000 }]`;
 * const { spec, stopNs } = parseFabric(text, 'permutation.yaml', () => '');
 * const fabric = await openFabricThreads(spec, 2);
 * const { recorder } = await runFabric(fabric, stopNs, async () => true);
 * console.log(answerOf(fabric, recorder, false).finished); // 16
 *
 * @module
 */
export { openFabricThreads } from './fabric-threads.js';
export { makeFolder } from './folder.js';
export { examineHost } from './host/examination.js';
export { checkHost, type HostCheck } from './host/host-check.js';
export { type EndPlace, HostEnd, type WayTimes } from './host/host-end.js';
export { type MeshResult, probeMesh } from './host/mesh.js';
export { type CollectedFacts, collectHostFacts, importHostFacts } from './host-facts.js';
export { LmdbStore, type LmdbStoreOptions } from './lmdb-store.js';
export { memoryLimits } from './memory-limits.js';
export { leaveStore, type OwnerNames, takeStore } from './owner.js';
export { type ProfileFiles, type ProfileName, readProfileFiles } from './profile-files.js';
export { rdmaDevices } from './rdma-devices.js';
export { softwareProvider } from './software-testbed.js';
export { SystemClock } from './system-clock.js';
export { readTextFile, type TextFileNames, writeTextFile } from './text-file.js';
export { openThreadPool } from './thread-pool.js';
