/**
 * Host import: what a machine's own programs print about it, as the graph of a host. Text in, description out; nothing
 * here reads a file or runs a program.
 *
 * @example
 * import { describeHost, mergeFacts, parseLspciTree, parseLspciVerbose } from 'kelpie/host-import';
 * const host = describeHost(mergeFacts([parseLspciTree(tree), parseLspciVerbose(verbose)]));
 *
 * @module
 */
export * from './host-description.js';
export { parseHwlocXml } from './hwloc-xml.js';
export { parseLspciTree } from './lspci-tree.js';
export { parseLspciVerbose } from './lspci-verbose.js';
export { type Conflict, type ImportedMachine, mergeFacts } from './merge.js';
export { parseNvidiaTopology } from './nvidia-topology.js';
export type { Distance, MachineFacts, NumaFacts, PciFacts, PciLinkState, PciRole } from './pci-facts.js';
export { parseSysfs } from './sysfs.js';
