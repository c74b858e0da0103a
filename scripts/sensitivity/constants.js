// The calibrated constants of the shipped profiles, and what a subsystem is opened with when one of them is moved.
import { parse } from 'yaml';

/** By how much a constant is moved. */
export const MOVE = 0.1;
/** The kinds of profile that have constants. */
const KINDS = ['device', 'host', 'fabric'];

/**
 * Every calibrated constant that can be moved, where it is written: inherited ones belong to the profile that gives them.
 * Left out are 0, which says that a device has no such mechanism, switches, of which there is no tenth, and those that
 * the rest of their profile allows no other value, as the number of sockets of a drawn host.
 */
export function calibratedConstants(profiles) {
  const specs = {
    device: profiles.shippedArchitectures.constants(),
    host: profiles.hostConstants,
    fabric: profiles.fabricConstants,
  };
  return KINDS.flatMap((kind) =>
    profiles.listProfiles(kind).flatMap((profile) => {
      const { constants } = profiles.findProfile(kind, profile);
      return Object.entries(constants)
        .filter(([name]) => ownerOf(profiles, kind, profile, name) === profile)
        .filter(([name, { value, evidence }]) => {
          const { min, max, integer } = specs[kind][name];
          return evidence === 'calibrated' && value !== 0 && !(integer && min === 0 && max === 1);
        })
        .map(([name, { value, source }]) => ({
          ...{ kind, profile, name, value, source },
          moves: movesOf(value, specs[kind][name]).filter((moved) =>
            isTaken(profiles, { kind, profile, name }, moved),
          ),
        }))
        .filter(({ moves }) => moves.length > 0);
    }),
  );
}

/** The values that a constant is moved to, within its range; whole numbers by at least one. */
export function movesOf(value, { integer, min, max }) {
  const step = integer ? Math.max(1, Math.round(Math.abs(value) * MOVE)) : Math.abs(value) * MOVE;
  return [value - step, value + step].filter((moved) => moved >= min && moved <= max);
}

/** Whether a profile that differs in this constant alone is a right one: some go with others, as a bus with its lanes. */
function isTaken(profiles, { kind, profile, name }, value) {
  const library = new profiles.ProfileLibrary();
  const constants = { [name]: { value, evidence: 'calibrated', source: 'moved' } };
  const text = { profile: kind, name: 'moved', extends: profile, title: 'moved', constants };
  library.add(JSON.stringify(text), 'moved');
  try {
    return library.find(kind, 'moved').name === 'moved';
  } catch {
    return false;
  }
}

/** The profile from which another has a constant: itself, or one that it extends. */
export function ownerOf(profiles, kind, profile, name) {
  for (let at = profile; ; ) {
    const { own, parent } = partsOf(profiles, kind, at);
    if (own.has(name)) return at;
    if (parent === undefined) return null;
    at = parent;
  }
}

const read = new Map();

/** What a profile itself gives, and what it extends. */
function partsOf(profiles, kind, profile) {
  const key = `${kind} ${profile}`;
  if (!read.has(key)) {
    const { constants = {}, extends: parent } = parse(profiles.profileText(kind, profile));
    read.set(key, { own: new Set(Object.keys(constants)), parent });
  }
  return read.get(key);
}

/** The profiles that a subsystem is made of when a row opens it with its own changes. */
export function profilesOf(profiles, subsystem, changes = {}) {
  const base = profiles.findProfile('subsystem', subsystem);
  return Object.fromEntries(KINDS.map((kind) => [kind, String(changes[kind] ?? base[kind])]));
}

/** The subsystem that these settings stand for: with its registers fixed it is another, which a change is to be made to. */
export function variantOf(profiles, subsystem, settings = {}) {
  const { fixed } = profiles.findProfile('subsystem', subsystem);
  return settings.registers === 'fixed' && fixed !== undefined && fixed !== null ? fixed : subsystem;
}

/** The changes with which a row opens a subsystem, and the moved constant where it has it from that profile. */
export function withMove(profiles, subsystem, changes = {}, { kind, profile, name }, value) {
  const used = profilesOf(profiles, subsystem, changes)[kind];
  const field = `${kind}.${name}`;
  // What a row sets itself is what it is about.
  if (changes[field] !== undefined || ownerOf(profiles, kind, used, name) !== profile) return changes;
  return { ...changes, [field]: value };
}
