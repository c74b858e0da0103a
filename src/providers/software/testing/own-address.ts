/**
 * Addresses of 127.0.0.0/8 that no other process of this machine uses: every test process has its own two hundred, so
 * that tests run side by side although RoCEv2 has one port.
 */
export function ownAddress(index: number): string {
  const { pid } = process;
  return `127.${1 + ((pid >> 8) % 254)}.${pid & 0xff}.${1 + (index % 250)}`;
}
