import { KelpieError } from '../../error.js';
import { settings } from '../../profiles/index.js';
import {
  type SoftwareOptions,
  softwareControls,
  softwareRecoveries,
} from '../../providers/software/index.js';
import type { ProviderEntry } from '../../testbeds/index.js';
import type { SettingOverrides } from '../../workload/index.js';
import type { OptionSpec, OptionsOf } from '../option.js';

/** The flags that choose how senders react: on simulated NICs and on software devices alike. */
export const transportFlags = [
  {
    flags: '--congestion <name>',
    description: `how senders react to congestion: ${settings.congestionControl.values.join(', ')}; software devices: ${softwareControls.join(', ')}`,
  },
  {
    flags: '--recovery <name>',
    description:
      'use another loss recovery on the same device: go-back-n, go-back-0, irn, melo, srnic; NAME@DEVICE uses the timers of DEVICE',
  },
] as const satisfies readonly OptionSpec[];

/** What those flags were given. */
export type TransportOptions = Partial<OptionsOf<typeof transportFlags>>;

/** Controls that react to marks: without a switch that marks they would see nothing. */
const BY_MARKS: readonly string[] = ['dcqcn', 'dcqcn-paper', 'dcqcn-nic', 'dctcp'];

/**
 * Settings with the control that `--congestion` asks for; where it goes by marks switches mark, unless the settings say
 * that they do not.
 */
export function congestionSettings(
  { congestion }: TransportOptions,
  entry: ProviderEntry,
  own: SettingOverrides = {},
): SettingOverrides {
  if (congestion === undefined) return own;
  const { controls = [] } = entry;
  if (controls.includes(congestion)) {
    const marks = BY_MARKS.includes(congestion) && entry.takesProfiles;
    return { ...(marks ? { ecn: 'enabled' } : {}), ...own, congestionControl: congestion };
  }
  throw new KelpieError(
    'BAD_FLAG',
    controls.length === 0
      ? `devices of the ${entry.name} provider meet no congestion`
      : `devices of the ${entry.name} provider have no such congestion control`,
    {
      field: '--congestion',
      given: congestion,
      allowed: controls.length === 0 ? '--provider simulated or software' : controls.join(', '),
    },
  );
}

/** The loss recovery of software devices. */
export function softwareRecovery(recovery: string): NonNullable<SoftwareOptions['recovery']> {
  const found = softwareRecoveries.find((name) => name === recovery);
  if (found !== undefined) return found;
  throw new KelpieError('BAD_FLAG', 'software devices have no such loss recovery', {
    field: '--recovery',
    given: recovery,
    allowed: softwareRecoveries.join(', '),
  });
}

/** What the flags say of a software device whose peer is another program. */
export function softwareOptions(options: TransportOptions, entry: ProviderEntry): SoftwareOptions {
  const { congestionControl } = congestionSettings(options, entry);
  const { recovery } = options;
  return {
    ...(congestionControl === undefined
      ? {}
      : { congestion: congestionControl as NonNullable<SoftwareOptions['congestion']> }),
    ...(recovery === undefined ? {} : { recovery: softwareRecovery(recovery) }),
  };
}
