import type { Random } from '../../../engine/random.js';
import { TextReader } from '../ns3/text-reader.js';

const MOST_POINTS = 100_000;
const MOST_BYTES = 2 ** 40;

/** A distribution of flow sizes: points of bytes and cumulative per cent, linear in between. */
export class SizeDistribution {
  readonly meanBytes: number;
  private readonly bytes: Float64Array;
  private readonly percent: Float64Array;

  /** Points as published: from 0 % to 100 %, neither column falling. */
  constructor(points: readonly (readonly [bytes: number, percent: number])[]) {
    this.bytes = Float64Array.from(points, ([bytes]) => bytes);
    this.percent = Float64Array.from(points, ([, percent]) => percent);
    let mean = 0;
    for (let index = 1; index < points.length; index++)
      mean +=
        (((this.bytes[index - 1] + this.bytes[index]) / 2) *
          (this.percent[index] - this.percent[index - 1])) /
        100;
    this.meanBytes = mean;
  }

  /** The size at a share of the flows, 0 to 100: at least one byte. */
  at(percent: number): number {
    const { bytes } = this;
    let low = 1;
    let high = bytes.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.percent[middle] < percent) low = middle + 1;
      else high = middle;
    }
    const before = this.percent[low - 1];
    const width = this.percent[low] - before;
    const share = width === 0 ? 1 : (percent - before) / width;
    return Math.max(1, Math.floor(bytes[low - 1] + (bytes[low] - bytes[low - 1]) * share));
  }

  draw(random: Random): number {
    return this.at(random.nextFloat() * 100);
  }
}

/** Points between two published ones that are joined by a straight line over the logarithm of the size. */
const LOG_STEPS = 20;

/** Points that follow a straight line over the logarithm of the size, as published plots of sizes have it. */
export function logLinear(
  points: readonly (readonly [bytes: number, percent: number])[],
): [bytes: number, percent: number][] {
  const fine: [number, number][] = points.slice(0, 1).map(([bytes, percent]) => [bytes, percent]);
  for (let index = 1; index < points.length; index++) {
    const [fromBytes, fromPercent] = points[index - 1];
    const [toBytes, toPercent] = points[index];
    for (let step = 1; step <= LOG_STEPS; step++) {
      const share = step / LOG_STEPS;
      const bytes = step === LOG_STEPS ? toBytes : Math.round(fromBytes * (toBytes / fromBytes) ** share);
      fine.push([bytes, fromPercent + (toPercent - fromPercent) * share]);
    }
  }
  return fine;
}

/** Reads a distribution in the format of HPCC's traffic generator: `bytes percent` per line, from 0 to 100. */
export function readDistribution(file: string, text: string): SizeDistribution {
  const reader = new TextReader(file, text);
  const points: [number, number][] = [];
  while (!reader.atEnd) {
    const bytes = reader.number('number of bytes', 'a number of bytes');
    const least = points.at(-1) ?? [0, 0];
    if (bytes < least[0] || bytes > MOST_BYTES)
      reader.refuse('number of bytes', bytes, `${least[0]} to ${MOST_BYTES}: sizes do not fall`);
    const percent = reader.number('cumulative per cent', 'a number from 0 to 100');
    if (percent < least[1] || percent > 100)
      reader.refuse('cumulative per cent', percent, `${least[1]} to 100: shares do not fall`);
    if (points.length === 0 && percent !== 0)
      reader.refuse('cumulative per cent', percent, '0 on the first line');
    if (points.length === MOST_POINTS) reader.refuse('number of lines', MOST_POINTS, `up to ${MOST_POINTS}`);
    points.push([bytes, percent]);
  }
  if (points.length < 2 || points[points.length - 1][1] !== 100)
    reader.refuse('last line', points.at(-1)?.[1] ?? 'nothing', 'a cumulative 100 per cent');
  return new SizeDistribution(points);
}
