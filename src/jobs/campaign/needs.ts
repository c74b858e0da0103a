/** What a task needs of its worker. */
export interface Needs {
  readonly provider: string;
  readonly cores: number;
  readonly memoryGb: number;
  /** Sorted. */
  readonly labels: readonly string[];
}

/** What a worker has. */
export interface Abilities {
  readonly providers: readonly string[];
  readonly cores: number;
  readonly memoryGb: number;
  readonly labels: readonly string[];
}

/** Whether a worker can take what has these needs. */
export function isAble({ providers, cores, memoryGb, labels }: Abilities, needs: Needs): boolean {
  return (
    providers.includes(needs.provider) &&
    cores >= needs.cores &&
    memoryGb >= needs.memoryGb &&
    needs.labels.every((label) => labels.includes(label))
  );
}

/**
 * Needs as one token of a subject: tasks with the same needs wait in one queue.
 *
 * @example
 * needsToken({ provider: 'simulated', cores: 1, memoryGb: 32, labels: ['rack-7'] }); // 'simulated_1_32_rack-7'
 */
export function needsToken({ provider, cores, memoryGb, labels }: Needs): string {
  return [provider, cores, memoryGb, ...labels].join('_');
}

/** The needs that a token stands for; null where it is none. */
export function needsOf(token: string): Needs | null {
  const [provider = '', cores = '', memoryGb = '', ...labels] = token.split('_');
  const good = /^[a-z]+$/.test(provider) && /^\d+$/.test(cores) && /^\d+$/.test(memoryGb);
  return good ? { provider, cores: Number(cores), memoryGb: Number(memoryGb), labels } : null;
}
