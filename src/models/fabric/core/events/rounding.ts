const TWO_64 = 2 ** 64;
const NS_PER_SECOND = 1e9;
const PS_PER_SECOND = 1e12;

/**
 * How times come to be whole nanoseconds. `ns3` cuts each one, which makes a 100 Gb/s link 1 % too fast for packets of
 * 1 KB and 20 % for acknowledgements at 400 Gb/s. `exact` carries what is left over to the next one.
 */
export type Rounding = 'ns3' | 'exact';

/**
 * A length of time as ns-3 makes it of a number: a fixed-point number of 64 fractional bits times the unit, cut. In
 * doubles that is a plain product unless it lies next to a whole number.
 */
export function cutNs(value: number, unitNs: number): number {
  const product = value * unitNs;
  const tolerance = Math.max(1e-6, product * 1e-15);
  if (Math.abs(product - Math.round(product)) > tolerance) return Math.floor(product);
  const whole = Math.floor(value);
  const fraction = BigInt(Math.floor((value - whole) * TWO_64));
  return whole * unitNs + Number((fraction * BigInt(unitNs)) >> 64n);
}

/** How long this many bytes take at a rate, cut. */
export function cutTransmissionNs(bytes: number, bps: number): number {
  return cutNs((bytes * 8) / bps, NS_PER_SECOND);
}

/**
 * How long a frame occupies a wire, as a table per rate: nanoseconds under `ns3`, picoseconds under `exact`, where a
 * port adds up what remains.
 */
export class WireTimes {
  readonly table: Int32Array;
  private readonly bases = new Map<number, number>();

  constructor(ratesBps: Iterable<number>, maxBytes: number, rounding: Rounding) {
    const distinct = [...new Set(ratesBps)];
    const stride = maxBytes + 1;
    this.table = new Int32Array(distinct.length * stride);
    for (const [index, bps] of distinct.entries()) {
      const base = index * stride;
      this.bases.set(bps, base);
      for (let bytes = 0; bytes <= maxBytes; bytes++)
        this.table[base + bytes] =
          rounding === 'ns3' ? cutTransmissionNs(bytes, bps) : Math.round((bytes * 8 * PS_PER_SECOND) / bps);
    }
  }

  /** Where the times of a rate begin: the time of a frame is `table[base + bytes]`. */
  base(bps: number): number {
    return this.bases.get(bps)!;
  }
}
