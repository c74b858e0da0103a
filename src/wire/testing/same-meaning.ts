/** Whether two meanings are equal: the same primitives, bytes, arrays and plain objects, absent counting as undefined. */
export function sameMeaning(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false;
  if (one instanceof Uint8Array || other instanceof Uint8Array) {
    return one instanceof Uint8Array && other instanceof Uint8Array && sameBytes(one, other);
  }
  if (Array.isArray(one) || Array.isArray(other)) {
    return Array.isArray(one) && Array.isArray(other) && sameItems(one, other);
  }
  return agrees(one, other) && agrees(other, one);
}

function sameBytes(one: Uint8Array, other: Uint8Array): boolean {
  if (one.length !== other.length) return false;
  for (let at = 0; at < one.length; at += 1) if (one[at] !== other[at]) return false;
  return true;
}

function sameItems(one: ArrayLike<unknown>, other: ArrayLike<unknown>): boolean {
  if (one.length !== other.length) return false;
  for (let at = 0; at < one.length; at += 1) if (!sameMeaning(one[at], other[at])) return false;
  return true;
}

function agrees(one: object, other: object): boolean {
  const values = other as Record<string, unknown>;
  for (const key in one) if (!sameMeaning((one as Record<string, unknown>)[key], values[key])) return false;
  return true;
}
