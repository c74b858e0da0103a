/**
 * Host import: what a machine's own programs print about it, as the graph of a host. Text in, description out; nothing
 * here reads a file or runs a program.
 *
 * @example
 * import { describeHost, mergeFacts, parseLspciTree, parseLspciVerbose } from 'kelpie/host-import';
 *
 * // As `lspci -tv` and `lspci -vvv` print them.
 * const tree = `-[0000:00]-+-00.0  Intel Corporation Ice Lake Memory Map/VT-d
 *            \\-01.0-[01]----00.0  Mellanox Technologies MT28908 Family [ConnectX-6]
 * `;
 * const verbose = `0000:01:00.0 Infiniband controller: Mellanox Technologies MT28908 Family [ConnectX-6]
 * \tNUMA node: 0
 * \tCapabilities: [60] Express (v2) Endpoint, MSI 00
 * \t\tLnkCap:\tPort #0, Speed 16GT/s, Width x16, ASPM not supported
 * \t\tLnkSta:\tSpeed 8GT/s (downgraded), Width x8 (downgraded)
 * `;
 * const host = describeHost(mergeFacts([parseLspciTree(tree), parseLspciVerbose(verbose)]));
 * console.log(host.observations.map(({ part, observation }) => `${part}: ${observation}`)); // [ 'rnic0: link-downgraded' ]
 *
 * @module
 */
export { distanceConflicts } from './distances.js';
export * from './host-description.js';
export { hostProfileText } from './host-profile.js';
export { parseHwlocXml } from './hwloc-xml.js';
export { parseLspciTree } from './lspci-tree.js';
export { parseLspciVerbose } from './lspci-verbose.js';
export { parseMachineOutput } from './machine-output.js';
export { type Conflict, type ImportedMachine, mergeFacts } from './merge.js';
export { parseNvidiaTopology } from './nvidia-topology.js';
export type { Distance, MachineFacts, NumaFacts, PciFacts, PciLinkState, PciRole } from './pci-facts.js';
export { parseSysfs } from './sysfs.js';
