import { KelpieError } from '../../error.js';
import { DEFAULT_SUBSYSTEM, libraryOf, opensWorld, type ProviderEntry } from '../../testbeds/index.js';
import { PACKET_KINDS, type PacketKind } from '../../wire/index.js';
import { numberFlag } from '../flag-value.js';
import type { OptionSpec, OptionsOf } from '../option.js';
import type { ChosenTestbed } from '../providers.js';
import { withRecovery } from './recovery-flag.js';
import { congestionSettings, softwareRecovery, transportFlags } from './transport-flags.js';

/** The flags that change the network and the NICs of a run. */
export const networkFlags = [
  {
    flags: '--architecture <name>',
    description: 'use a device of another NIC architecture: irn, srnic, melo, ideal, or one from --profile',
  },
  ...transportFlags,
  {
    flags: '--loss <probability>',
    description: 'loss probability of packets to the second host, or at --loss-at',
  },
  { flags: '--back-loss <probability>', description: 'loss probability of packets to the first host' },
  {
    flags: '--loss-kinds <kinds>',
    description: `what is lost, separated by commas: ${PACKET_KINDS.join(', ')}; default: all`,
  },
  {
    flags: '--loss-burst <packets>',
    description: 'mean length of a burst of losses; default: single losses',
  },
  { flags: '--loss-at <name>', description: 'the device or cable where --loss applies; default: h1' },
] as const satisfies readonly OptionSpec[];

/** What those flags were given. */
export type NetworkOptions = Partial<OptionsOf<typeof networkFlags>>;

type Impairments = NonNullable<ChosenTestbed['impairments']>;

/** A testbed as the flags change it. */
export function withNetwork(
  chosen: ChosenTestbed,
  options: NetworkOptions,
  entry: ProviderEntry,
): ChosenTestbed {
  congestionSettings(options, entry);
  const { architecture, recovery, congestion: _, ...others } = options;
  const ownRecovery = entry.recoveries !== undefined;
  const changes: NetworkOptions = { architecture, ...(ownRecovery ? {} : { recovery }), ...others };
  const given = networkFlags
    .map(({ flags }) => flags.split(' ')[0])
    .find((flag) => changes[keyOfFlag(flag)] !== undefined);
  if (given === undefined)
    return recovery === undefined || !ownRecovery
      ? chosen
      : { ...chosen, recovery: softwareRecovery(recovery) };
  if (!entry.takesProfiles)
    throw new KelpieError('BAD_FLAG', `the ${chosen.provider} provider has no network of its own`, {
      field: given,
      given: options[keyOfFlag(given)],
      allowed: '--provider simulated',
    });
  const impairments = lossesOf(options);
  const built = architecture === undefined ? chosen : withArchitecture(chosen, architecture);
  const changed = recovery === undefined ? built : withRecovery(built, recovery);
  return impairments === null ? changed : { ...changed, impairments };
}

function keyOfFlag(flag: string): keyof NetworkOptions {
  return flag
    .slice(2)
    .replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase()) as keyof NetworkOptions;
}

const PROBABILITY = { min: 0, max: 1, fraction: true } as const;

/** What happens to packets, by the name of the device or cable; null where nothing does. */
function lossesOf(options: NetworkOptions): Impairments | null {
  const loss = numberFlag(options, '--loss', PROBABILITY);
  const backLoss = numberFlag(options, '--back-loss', PROBABILITY);
  const packets = numberFlag(options, '--loss-burst', { min: 1, max: 1e6, fraction: true });
  const kinds = kindsOf(options.lossKinds);
  const alone = options.lossBurst ?? options.lossKinds ?? options.lossAt;
  if (loss === undefined && backLoss === undefined) {
    if (alone === undefined) return null;
    throw new KelpieError('BAD_FLAG', 'this says how packets are lost, and none are', {
      field:
        options.lossBurst !== undefined
          ? '--loss-burst'
          : options.lossKinds !== undefined
            ? '--loss-kinds'
            : '--loss-at',
      given: alone,
      allowed: '--loss or --back-loss beside it',
    });
  }
  const impairment = (probability: number) => ({
    ...(packets === undefined ? { loss: probability } : { burst: burstOf(probability, packets) }),
    ...(kinds === undefined ? {} : { kinds }),
  });
  return {
    ...(backLoss === undefined ? {} : { h0: impairment(backLoss) }),
    ...(loss === undefined ? {} : { [options.lossAt ?? 'h1']: impairment(loss) }),
  };
}

/** Gilbert's model: bad times of this many packets on average, in which all are lost, as often as gives the probability. */
function burstOf(probability: number, packets: number): { begin: number; end: number; loss: number } {
  const end = 1 / packets;
  if (probability === 1) return { begin: 1, end: 0, loss: 1 };
  return { begin: Math.min(1, (probability * end) / (1 - probability)), end, loss: 1 };
}

function kindsOf(given: string | undefined): PacketKind[] | undefined {
  return given?.split(',').map((name) => {
    const kind = PACKET_KINDS.find((each) => each === name.trim());
    if (kind !== undefined) return kind;
    throw new KelpieError('BAD_FLAG', 'there is no such kind of packet', {
      field: '--loss-kinds',
      given: name,
      allowed: PACKET_KINDS.join(', '),
    });
  });
}

/**
 * The subsystem with the device of an architecture in place of its own. Where it has that architecture already nothing
 * changes; else there must be one device that is built that way and no other.
 */
function withArchitecture(chosen: ChosenTestbed, architecture: string): ChosenTestbed {
  if (opensWorld(chosen))
    throw new KelpieError('BAD_FLAG', 'the hosts of a world name their devices themselves', {
      field: '--architecture',
      given: architecture,
      allowed: '--subsystem in place of the world',
    });
  const { subsystem = DEFAULT_SUBSYSTEM, profiles = [] } = chosen;
  const library = libraryOf(chosen);
  const devices = library.list('device').map((name) => library.find('device', name));
  const own = library.find('device', library.find('subsystem', subsystem).device);
  if (own.architecture.base === architecture) return chosen;
  const whole = devices.filter(
    (device) =>
      device.architecture.base === architecture && Object.keys(device.architecture.parts).length === 0,
  );
  if (whole.length !== 1)
    throw new KelpieError(
      'BAD_FLAG',
      whole.length === 0 ? 'no device is built that way' : 'several devices are built that way',
      {
        field: '--architecture',
        given: architecture,
        allowed:
          whole.length === 0
            ? [...new Set(devices.map((device) => device.architecture.base))].join(', ')
            : `--subsystem with one of ${whole.map(({ name }) => name).join(', ')}`,
      },
    );
  const name = `${subsystem}-${architecture}`;
  const fields = { profile: 'subsystem', name, extends: subsystem, title: name, device: whole[0].name };
  return {
    ...chosen,
    subsystem: name,
    profiles: [...profiles, { text: JSON.stringify(fields), file: '--architecture' }],
  };
}
