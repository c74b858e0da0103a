/** The address of a node as HPCC's simulator gives it: 11.(id / 256).(id % 256).1. */
export function addressOf(node: number): number {
  return 0x0b000001 + ((node >> 8) << 16) + ((node & 255) << 8);
}

/** MurmurHash3 (32 bits) of three words: source address, target address, source port and target port above it. */
export function ecmpHash(source: number, target: number, ports: number, seed: number): number {
  let hash = mixed(mixed(mixed(seed | 0, source), target), ports);
  hash ^= 12;
  hash ^= hash >>> 16;
  hash = Math.imul(hash, 0x85ebca6b);
  hash ^= hash >>> 13;
  hash = Math.imul(hash, 0xc2b2ae35);
  hash ^= hash >>> 16;
  return hash >>> 0;
}

function mixed(hash: number, word: number): number {
  const scrambled = Math.imul(rotated(Math.imul(word | 0, 0xcc9e2d51), 15), 0x1b873593);
  return (Math.imul(rotated(hash ^ scrambled, 13), 5) + 0xe6546b64) | 0;
}

function rotated(word: number, bits: number): number {
  return (word << bits) | (word >>> (32 - bits));
}
