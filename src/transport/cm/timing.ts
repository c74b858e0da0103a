/** The unit of every time that communication management writes as an exponent (IBTA vol. 1, 12.7.20). */
const UNIT_NS = 4096;

/** The time that a 5-bit code stands for: 4.096 us times two to its power. */
export function cmTimeoutNs(code: number): number {
  return UNIT_NS * 2 ** code;
}
