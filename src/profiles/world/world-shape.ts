import { type SettingName, settings } from '../settings.js';
import { duration, list, name, type ObjectShape, object, type Shape, word } from '../shape.js';

/** More than any machine here can simulate; a limit on what a hostile file can cost. */
export const MAX_HOSTS = 16_384;
const MAX_LINKS = 262_144;

/** Something in a world: a name, or names with slashes between them. */
function place(meaning: string): Shape {
  return {
    kind: 'text',
    meaning,
    maxLength: 200,
    pattern: {
      expression: /^[a-z0-9]+([-/][a-z0-9]+)*$/,
      words: 'names of lower-case letters, digits and single hyphens, with slashes between them',
    },
  };
}

function number(meaning: string, unit: string, min: number, max: number, integer = false): Shape {
  return { kind: 'number', meaning, min, max, integer, unit };
}

const pcieSizes = {
  maxPayloadBytes: number('Payload of a PCIe packet.', 'B', 64, 4096, true),
  maxReadRequestBytes: number('PCIe read request.', 'B', 64, 4096, true),
};

function setting(of: SettingName): Shape {
  return word(settings[of].meaning, settings[of].values);
}

function hostShape(settingsShape: ObjectShape): ObjectShape {
  const device = object(
    'An RNIC of the host.',
    {
      rnic: name("The node of the host's graph that it is."),
      device: name('Name of the device profile.'),
      memory: name('Where its queues lie, and memory that is placed nowhere else.'),
      settings: settingsShape,
      ...pcieSizes,
    },
    ['rnic'],
  );
  return object('A host, or several alike.', {
    name: name('Its name; h0, h1, ... by default.'),
    count: number('So many alike.', 'hosts', 1, MAX_HOSTS, true),
    subsystem: name('Name of the subsystem profile that it takes its host, device and settings from.'),
    host: name('Name of the host profile.'),
    device: name('Name of the device profile of every RNIC that names none.'),
    devices: list('Its RNICs; all of the host profile by default.', device, 256),
    settings: settingsShape,
  });
}

const switchShape = object(
  'A switch.',
  { name: name('Its name.'), fabric: name('Name of the fabric profile with its thresholds.') },
  ['name'],
);

const linkShape = object(
  'A cable.',
  {
    name: place('Its name; those of its ends by default.'),
    between: list('Its two ends: devices or switches.', place('A device or a switch.'), 2),
    gbps: number('Its rate.', 'Gb/s', 0.001, 1600),
    propagationNs: number('Its length, one way.', 'ns', 0, 1e7),
  },
  ['between'],
);

const routeShape = object(
  'Next hops in place of those on the shortest paths.',
  {
    at: name('The switch.'),
    to: place('The device.'),
    via: list('The neighbours that take it further.', place('A device or a switch.'), 256),
  },
  ['at', 'to', 'via'],
);

const faultShape = object(
  'Something that is wrong: where, how badly and when.',
  {
    at: place('A link, a port, a device, a memory channel, a host or a cable.'),
    rate: number('The share of its rate that it keeps.', 'of its rate', 0.000001, 1),
    latencyNs: number('Added to its latency, one way.', 'ns', 0, 1e9),
    loss: number('Probability that a packet is lost.', 'probability', 0, 1),
    acs: setting('acs'),
    ats: setting('ats'),
    ordering: setting('ordering'),
    interSocket: setting('interSocket'),
    ddio: setting('ddio'),
    ...pcieSizes,
    from: duration('When it begins; at once by default.'),
    for: duration('How long it lasts; to the end by default.'),
    every: duration('It comes again after so long.'),
  },
  ['at'],
);

/** The fields of a world file beside its head. */
export function worldFields(settingsShape: ObjectShape): Readonly<Record<string, Shape>> {
  return {
    fabric: name('Fabric profile of every switch and cable that names none.'),
    hosts: list('The hosts.', hostShape(settingsShape), MAX_HOSTS),
    switches: list('The switches of the fabric.', switchShape, MAX_HOSTS),
    links: list('The cables.', linkShape, MAX_LINKS),
    routes: list('Next hops that are not those of the shortest paths.', routeShape, MAX_LINKS),
    settings: settingsShape,
    faults: list('What is wrong, where and when.', faultShape, 4096),
  };
}
