import { Random } from '../../../engine/index.js';

/** What can end while a campaign runs. */
export type Mishap =
  | { readonly kind: 'worker'; readonly which: number }
  | { readonly kind: 'controller' }
  | { readonly kind: 'server'; readonly awayMs: number }
  | { readonly kind: 'connection'; readonly awayMs: number };

/** Something that ends when there are this many results. */
export interface PlannedMishap {
  readonly atResults: number;
  readonly mishap: Mishap;
}

/** How bad it gets. */
export interface ChaosOptions {
  readonly tasks: number;
  /** How many workers, controllers and servers are killed; one connection is cut. */
  readonly workers: number;
  readonly controllers: number;
  readonly servers: number;
  readonly longestServerMs: number;
  readonly cutMs: number;
}

/** Mishaps at drawn moments and in a drawn order: every one of them happens while there is work. */
export function drawChaos(seed: number, options: ChaosOptions): readonly PlannedMishap[] {
  const random = new Random(seed).split('chaos');
  const mishaps: Mishap[] = [
    ...Array.from(
      { length: options.workers },
      () => ({ kind: 'worker', which: random.nextInt(2 ** 16) }) as const,
    ),
    ...Array.from({ length: options.controllers }, () => ({ kind: 'controller' }) as const),
    ...Array.from(
      { length: options.servers },
      () => ({ kind: 'server', awayMs: random.nextInt(options.longestServerMs) }) as const,
    ),
    { kind: 'connection', awayMs: options.cutMs },
  ];
  for (let last = mishaps.length - 1; last > 0; last--) {
    const other = random.nextInt(last + 1);
    [mishaps[last], mishaps[other]] = [mishaps[other], mishaps[last]];
  }
  // Not after the last tenth: nothing would be left to lose.
  const moments = mishaps.map(() => random.nextInt(Math.floor(0.9 * options.tasks)));
  moments.sort((one, other) => one - other);
  return moments.map((atResults, index) => ({ atResults, mishap: mishaps[index] }));
}
