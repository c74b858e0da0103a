import { KelpieError } from '../../../error.js';
import {
  type DeviceProfile,
  evidenceClasses,
  type ProfileKind,
  type ProfileLibrary,
  profileKinds,
  profileText,
  resolveSubsystem,
} from '../../../profiles/index.js';
import { noSuch } from '../../../schema/index.js';
import { boundsOf, libraryOf } from '../../../testbeds/index.js';
import { formatProfile, SEARCHED_KINDS } from '../../catalogue/profile-text.js';
import { defineCommand, type InvocationOf } from '../../command.js';
import { ExitCode } from '../../exit-code.js';
import type { OptionSpec } from '../../option.js';
import { profileFlag, readOwnProfiles } from '../../providers.js';
import { formatTable, shellWord } from '../../terminal.js';

const listFlags = [
  profileFlag,
  { flags: '--json', description: 'print the list as JSON' },
] as const satisfies readonly OptionSpec[];

type ListInvocation = InvocationOf<typeof listFlags>;

/** `kelpie subsystems`: what a workload can run on. */
export const subsystems = defineCommand({
  options: listFlags,
  examples: ['kelpie subsystems', 'kelpie subsystems --profile my-lab'],
  async run({ options, terminal }: ListInvocation) {
    const library = libraryFrom(options.profile);
    const rows = library.list('subsystem').map((name) => {
      const profile = library.find('subsystem', name);
      const subsystem = resolveSubsystem(profile, { library });
      const { device, host, fabric, settings } = subsystem;
      const portGbps = boundsOf(subsystem).lineRateGbps;
      const parts = { device: device.name, host: host.name, fabric: fabric.name };
      return { name, title: profile.title, ...parts, portGbps, settings };
    });
    if (options.json === true) terminal.out(`${JSON.stringify(rows)}\n`);
    else {
      const cells = rows.map(({ name, portGbps, device, host, fabric, title }) => {
        return [name, String(portGbps), device, host, fabric, title];
      });
      const head = ['subsystem', 'Gb/s', 'device', 'host', 'fabric', 'title'];
      terminal.out(
        `${formatTable([head, ...cells], [1])}\nkelpie show NAME prints settings, constants and sources\n`,
      );
    }
    return ExitCode.GOOD;
  },
});

/** `kelpie devices`: the NICs that are known. */
export const devices = defineCommand({
  options: listFlags,
  examples: ['kelpie devices', 'kelpie devices --json'],
  async run({ options, terminal }: ListInvocation) {
    const library = libraryFrom(options.profile);
    const rows = library.list('device').map((name) => {
      const profile = library.find('device', name);
      const { title, vendor, protocol, architecture } = profile;
      const portGbps = profile.constants['portGbps']?.value;
      return {
        name,
        title,
        vendor,
        protocol,
        architecture: architecture.base,
        portGbps,
        evidence: countOf(profile),
      };
    });
    if (options.json === true) terminal.out(`${JSON.stringify(rows)}\n`);
    else {
      const cells = rows.map(({ name, portGbps, architecture, protocol, evidence, title }) => {
        const counts = evidenceClasses.map((each) => String(evidence[each]));
        return [name, String(portGbps), architecture, protocol, ...counts, title];
      });
      const head = ['device', 'Gb/s', 'architecture', 'protocol', ...evidenceClasses, 'title'];
      terminal.out(
        `${formatTable([head, ...cells], [1, 4, 5, 6])}\nkelpie show NAME prints constants and sources\n`,
      );
    }
    return ExitCode.GOOD;
  },
});

const showFlags = [
  { flags: '--kind <kind>', description: 'which one, if several have the same name', choices: profileKinds },
  profileFlag,
  { flags: '--yaml', description: 'print a shipped profile as a file, to start from' },
  { flags: '--json', description: 'print the whole profile as JSON' },
] as const satisfies readonly OptionSpec[];

/** `kelpie show NAME`: a profile with the source of each constant. */
export const show = defineCommand({
  options: showFlags,
  examples: ['kelpie show collie-f', 'kelpie show connectx-6-100g --json', 'kelpie show sn2100 --yaml'],
  async run({ options, arguments: [name], terminal }: InvocationOf<typeof showFlags>) {
    const library = libraryFrom(options.profile);
    const [kind, ...others] = kindsOf(name, library, options.kind);
    const profile = library.find(kind, name);
    if (options.yaml === true) {
      requireShipped(library, kind, name);
      terminal.out(profileText(kind, name));
    } else if (options.json === true) terminal.out(`${JSON.stringify(profile)}\n`);
    else {
      terminal.out(formatProfile(profile, library));
      const same = others.map((other) => `kelpie show ${shellWord(name)} --kind ${other}\n`);
      if (same.length > 0) terminal.out(`\nwith the same name:\n${same.join('')}`);
    }
    return ExitCode.GOOD;
  },
});

/** The shipped profiles, and a user's own. */
export function libraryFrom(paths: readonly string[] | undefined): ProfileLibrary {
  return libraryOf(paths === undefined ? {} : { profiles: readOwnProfiles(paths).profiles });
}

function countOf({ constants }: DeviceProfile): Record<(typeof evidenceClasses)[number], number> {
  const counts = { documented: 0, measured: 0, calibrated: 0 };
  for (const { evidence } of Object.values(constants)) counts[evidence]++;
  return counts;
}

/** The kinds that have a profile of this name. */
function kindsOf(name: string, library: ProfileLibrary, wanted: ProfileKind | undefined): ProfileKind[] {
  const searched = wanted === undefined ? SEARCHED_KINDS : [wanted];
  const found = searched.filter((kind) => library.list(kind).includes(name));
  if (found.length > 0) return found;
  throw noSuch(
    'PROFILE_NOT_FOUND',
    'profile',
    name,
    searched.flatMap((kind) => library.list(kind)),
    { field: 'name', allowed: 'a name that kelpie subsystems or kelpie devices lists' },
  );
}

function requireShipped(library: ProfileLibrary, kind: ProfileKind, name: string): void {
  if (!library.added().some((each) => each.kind === kind && each.name === name)) return;
  throw new KelpieError('BAD_FLAG', 'this profile is your own: use your own file', {
    field: '--yaml',
    given: name,
    allowed: 'a shipped profile',
  });
}
