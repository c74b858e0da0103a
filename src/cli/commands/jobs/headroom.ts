import { KelpieError } from '../../../error.js';
import { HEADROOM_DEFAULTS, headroomOf, headroomRates } from '../../../jobs/fabric/index.js';
import { defineCommand, type InvocationOf } from '../../command.js';
import { ExitCode } from '../../exit-code.js';
import type { OptionSpec } from '../../option.js';

const flags = [
  { flags: '--speed <rate>', description: 'rate of the port: 40G, 100G, 400G', default: '100G' },
  { flags: '--length <length>', description: 'length of the cable: 300m, 80km', default: '300m' },
  {
    flags: '--mtu <bytes>',
    description: 'largest frame of the port',
    default: String(HEADROOM_DEFAULTS.portMtuBytes),
  },
  {
    flags: '--lossless-mtu <bytes>',
    description: 'largest lossless packet',
    default: String(HEADROOM_DEFAULTS.losslessMtuBytes),
  },
  {
    flags: '--cell <bytes>',
    description: "cell of the switch's memory",
    default: String(HEADROOM_DEFAULTS.cellBytes),
  },
  { flags: '--json', description: 'print the result as JSON' },
] as const satisfies readonly OptionSpec[];

/** `kelpie headroom`: the memory that a lossless queue needs behind its pause. */
export const headroom = defineCommand({
  options: flags,
  examples: [
    'kelpie headroom --speed 100G --length 80km',
    'kelpie headroom --speed 40G --length 300m --json',
  ],
  run,
});

async function run({ options, terminal }: InvocationOf<typeof flags>): Promise<ExitCode> {
  const gbps = read(
    '--speed',
    options.speed,
    /^(\d+(?:\.\d+)?)(G|M)(?:b\/s|bps)?$/,
    { G: 1, M: 0.001 },
    '100G',
  );
  const metres = read(
    '--length',
    options.length,
    /^(\d+(?:\.\d+)?)(m|km)$/,
    { m: 1, km: 1000 },
    '300m, 80km',
  );
  const terms = {
    gbps,
    metres,
    portMtuBytes: bytes('--mtu', options.mtu),
    losslessMtuBytes: bytes('--lossless-mtu', options.losslessMtu),
    cellBytes: bytes('--cell', options.cell),
    gearboxBytes: HEADROOM_DEFAULTS.gearboxBytes,
  };
  const found = headroomOf(terms);
  if (found === null)
    throw new KelpieError('BAD_FLAG', 'the answer of a peer at this rate is not known', {
      field: '--speed',
      given: options.speed,
      allowed: headroomRates.map((rate) => (rate < 1 ? `${rate * 1000}M` : `${rate}G`)).join(', '),
    });
  if (options.json === true) {
    terminal.out(`${JSON.stringify({ ...terms, ...found }, null, 2)}\n`);
    return ExitCode.GOOD;
  }
  const rows: [string, number][] = [
    ['on the cable, both ways', found.cableBytes],
    ['largest frame that was under way', terms.portMtuBytes],
    ['MAC and PHY', found.macPhyBytes],
    ['the peer until it obeys', found.peerBytes],
  ];
  for (const [name, value] of rows) terminal.out(`${Math.round(value).toString().padStart(12)} B  ${name}\n`);
  terminal.out(`${found.cellFactor.toFixed(2).padStart(12)} x  memory per byte of small packets\n`);
  terminal.out(`${found.xoffBytes.toString().padStart(12)} B  headroom (xoff) of a lossless queue\n`);
  return ExitCode.GOOD;
}

function read(
  field: string,
  given: string,
  form: RegExp,
  units: Readonly<Record<string, number>>,
  allowed: string,
): number {
  const match = form.exec(given);
  const value = match === null ? Number.NaN : Number(match[1]) * units[match[2]];
  if (value > 0 && value <= 1e7) return value;
  throw new KelpieError('BAD_FLAG', 'this cannot be read', {
    field,
    given,
    allowed: `a number with its unit: ${allowed}`,
  });
}

function bytes(field: string, given: string): number {
  const value = Number(given);
  if (Number.isInteger(value) && value >= 1 && value <= 65_536) return value;
  throw new KelpieError('BAD_FLAG', 'this cannot be read', { field, given, allowed: '1 to 65536 bytes' });
}
