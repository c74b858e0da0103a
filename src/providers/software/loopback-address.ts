/**
 * Addresses of 127.0.0.0/8 that differ from process to process: RoCEv2 has one port, so that programs which talk to
 * themselves would otherwise get in each other's way. A process has 250 of them.
 */
export function loopbackAddress(index: number): string {
  const { pid } = process;
  return `127.${1 + ((pid >> 8) % 254)}.${pid & 0xff}.${1 + (index % 250)}`;
}
