import { KelpieError } from '../../../error.js';
import { ledgerOf, nicArchitectures } from '../../../models/index.js';
import { resolveDevice } from '../../../profiles/index.js';
import { defineCommand, type InvocationOf } from '../../command.js';
import { ExitCode } from '../../exit-code.js';
import { asFlags, numberFlag } from '../../flag-value.js';
import type { OptionSpec } from '../../option.js';
import { profileFlag } from '../../providers.js';
import { libraryFrom } from './catalogue.js';

/** As the papers count memory. */
const MEGABYTE = 2 ** 20;
const UNITS: Readonly<Record<string, number>> = { '': 1, KB: 2 ** 10, MB: 2 ** 20, GB: 2 ** 30, TB: 2 ** 40 };
const MOST_BYTES = 2 ** 50;

const flags = [
  { flags: '--qps <number>', description: 'queue pairs', default: '10000' },
  {
    flags: '--regions <size>',
    description: 'registered memory, in pages of 4 KB: 100MB, 4GB',
    default: '4GB',
  },
  profileFlag,
  { flags: '--json', description: 'print the rows as JSON' },
] as const satisfies readonly OptionSpec[];

/** `kelpie ledger`: the memory of every structure of a device, on chip and in host memory. */
export const ledger = defineCommand({
  options: flags,
  examples: [
    'kelpie ledger srnic-fpga-100g',
    'kelpie ledger connectx-6-100g --qps 1000 --regions 100MB --json',
    'kelpie ledger my-nic --profile my-lab',
  ],
  run,
});

async function run(invocation: InvocationOf<typeof flags>): Promise<ExitCode> {
  const { options, terminal } = invocation;
  const device = libraryFrom(options.profile).find('device', invocation.arguments[0]);
  const use = {
    queuePairs: numberFlag(options, '--qps', { min: 1, max: 2 ** 24 }),
    regionsBytes: sizeOf(options.regions),
  };
  const rows = asFlags({ queuePairs: '--qps' }, null, () =>
    ledgerOf(nicArchitectures().compose(device.architecture), resolveDevice(device), use),
  );
  const chipBytes = rows.reduce((sum, { place, bytes }) => (place === 'chip' ? sum + bytes : sum), 0);
  if (options.json === true) {
    terminal.out(`${JSON.stringify({ device: device.name, ...use, rows, chipBytes }, null, 2)}\n`);
    return ExitCode.GOOD;
  }
  for (const { structure, place, bytes } of rows) terminal.out(line(bytes, place, structure));
  terminal.out(line(chipBytes, 'chip', 'in all'));
  return ExitCode.GOOD;
}

function line(bytes: number, place: string, structure: string): string {
  return `${(bytes / MEGABYTE).toFixed(3).padStart(12)} MB  ${place.padEnd(6)}  ${structure}\n`;
}

function sizeOf(given: string): number {
  const match = /^(\d+)(KB|MB|GB|TB|)$/.exec(given);
  const bytes = match === null ? Number.NaN : Number(match[1]) * UNITS[match[2]];
  if (bytes >= 1 && bytes <= MOST_BYTES) return bytes;
  throw new KelpieError('BAD_FLAG', 'not a size of memory', {
    field: '--regions',
    given,
    allowed: 'a whole number with KB, MB, GB or TB, up to 1024TB',
  });
}
