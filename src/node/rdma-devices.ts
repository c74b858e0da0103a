import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const SYSFS = '/sys/class/infiniband';

/**
 * What the RNICs of this machine are called: each by its name, its family and its type, as `mlx5_0`, `mlx5` and `MT4119`.
 * Soft ones such as rxe's have no device behind them and do not count. Nothing where there are none.
 */
export function rdmaDevices(folder: string = SYSFS): readonly string[] {
  if (!existsSync(folder)) return [];
  const names = readdirSync(folder).filter((name) => existsSync(join(folder, name, 'device')));
  return [
    ...new Set(names.flatMap((name) => [name, name.replace(/_\d+$/, ''), ...typeOf(join(folder, name))])),
  ].sort();
}

/** Drivers that know no type leave the file out. */
function typeOf(folder: string): string[] {
  try {
    const type = readFileSync(join(folder, 'hca_type'), 'utf8').trim();
    return type === '' ? [] : [type];
  } catch {
    return [];
  }
}
