/**
 * A link that is a station on an Ethernet, over anything that carries frames.
 *
 * @example
 * const link = new EthernetLink(port, { name: 'qemu', mac, gids, mtuBytes: 4500 }, schedule);
 *
 * @module
 */
export * from './ethernet-link.js';
