import { z } from 'zod';
import { list, name, number, object, pattern, withWords, word } from '../../schema/index.js';
import { type SettingName, settings } from '../settings.js';
import { lossKinds } from './description.js';
import { DURATION, DURATION_IN_WORDS, MAX_DURATION_NS } from './duration.js';

/** More than any machine here can simulate; a limit on what a hostile file can cost. */
export const MAX_HOSTS = 16_384;
const MAX_LINKS = 262_144;

/** Something in a world: a name, or names with slashes between them. */
function place(meaning: string): z.ZodString {
  const words =
    'names of lower-case letters, digits and single hyphens, with slashes between them, up to 200';
  return pattern(meaning, /^[a-z0-9]+([-/][a-z0-9]+)*$/, 200, words);
}

function amount(meaning: string, unit: string, min: number, max: number, integer = false): z.ZodNumber {
  return number(meaning, { unit, min, max, integer });
}

/** A length of time: nanoseconds, or a number with its unit. */
function duration(meaning: string): z.ZodType {
  const spelled = z.string().regex(DURATION);
  const schema = z.union([z.number().min(0).max(MAX_DURATION_NS), spelled]).describe(meaning);
  return withWords(schema, DURATION_IN_WORDS);
}

const pcieSizes = () => ({
  maxPayloadBytes: amount('Payload of a PCIe packet.', 'B', 64, 4096, true),
  maxReadRequestBytes: amount('PCIe read request.', 'B', 64, 4096, true),
});

function setting(of: SettingName): z.ZodType {
  return word(settings[of].meaning, settings[of].values);
}

function hostSchema(settingsSchema: z.ZodObject): z.ZodObject {
  const device = object(
    'An RNIC of the host.',
    {
      rnic: name("The node of the host's graph that it is."),
      device: name('Name of the device profile.'),
      memory: name('Where its queues lie, and memory that is placed nowhere else.'),
      settings: settingsSchema,
      ...pcieSizes(),
    },
    ['rnic'],
  );
  return object('A host, or several alike.', {
    name: name('Its name; h0, h1, ... by default.'),
    count: amount('So many alike.', 'hosts', 1, MAX_HOSTS, true),
    subsystem: name('Name of the subsystem profile that it takes its host, device and settings from.'),
    host: name('Name of the host profile.'),
    device: name('Name of the device profile of every RNIC that names none.'),
    devices: list('Its RNICs; all of the host profile by default.', device, 256),
    settings: settingsSchema,
  });
}

const switchSchema = () =>
  object(
    'A switch.',
    { name: name('Its name.'), fabric: name('Name of the fabric profile with its thresholds.') },
    ['name'],
  );

const linkSchema = () =>
  object(
    'A cable.',
    {
      name: place('Its name; those of its ends by default.'),
      between: list('Its two ends: devices or switches.', place('A device or a switch.'), 2),
      gbps: amount('Its rate.', 'Gb/s', 0.001, 1600),
      propagationNs: amount('Its length, one way.', 'ns', 0, 1e7),
    },
    ['between'],
  );

const routeSchema = () =>
  object(
    'Next hops in place of those on the shortest paths.',
    {
      at: name('The switch.'),
      to: place('The device.'),
      via: list('The neighbours that take it further.', place('A device or a switch.'), 256),
    },
    ['at', 'to', 'via'],
  );

const faultSchema = () =>
  object(
    'Something that is wrong: where, how badly and when.',
    {
      at: place('A link, a port, a device, a memory channel, a host or a cable.'),
      rate: amount('The share of its rate that it keeps.', 'of its rate', 0.000001, 1),
      latencyNs: amount('Added to its latency, one way.', 'ns', 0, 1e9),
      lanes: amount('A PCIe link trains with no more lanes.', 'lanes', 1, 32, true),
      generation: amount('A PCIe link trains at no higher generation.', 'PCIe generation', 1, 6, true),
      replay: amount('Probability that a PCIe packet is damaged and sent again.', 'probability', 0, 0.999),
      load: amount('The share of it that traffic of others takes.', 'of its rate', 0, 0.999),
      presence: word('A memory channel or a GPU that is not there.', ['missing']),
      peerMemory: word('Memory of GPUs cannot be registered.', ['unavailable']),
      affinity: word("Threads run on another socket than the RNIC's.", ['remote']),
      coreWakeNs: amount('Time that a sleeping core takes to wake.', 'ns', 0, 1e7),
      iommuWalkNs: amount(
        'An IOMMU translates what devices address, and takes this long to walk its tables for a page that is not cached.',
        'ns',
        0,
        1e6,
      ),
      coreClock: amount('Share of their clock that cores run at.', 'of the clock', 0.01, 1),
      transmitWindowPackets: amount('Packets of a queue pair in flight.', 'packets', 1, 2 ** 23, true),
      slowStartGbps: amount('Queue pairs begin at this rate.', 'Gb/s', 0.001, 1600),
      receiveBuffer: amount('Share of the receive buffer that is used.', 'of the buffer', 0.001, 1),
      loss: amount('Probability that a packet is lost.', 'probability', 0, 1),
      burst: object(
        'Losses in bursts (Gilbert and Elliott): bad times that come and go.',
        {
          begin: amount('Probability per packet that a bad time begins.', 'probability', 0, 1),
          end: amount('Probability per packet that it ends.', 'probability', 0, 1),
          loss: amount('Probability that a packet is lost during one.', 'probability', 0, 1),
        },
        ['begin', 'end', 'loss'],
      ),
      towards: place('The end of a cable that packets are lost on their way to; both by default.'),
      lossOf: list('The kinds of packets that are lost; all by default.', word('A kind.', lossKinds), 5),
      acs: setting('acs'),
      ats: setting('ats'),
      ordering: setting('ordering'),
      interSocket: setting('interSocket'),
      ddio: setting('ddio'),
      ...pcieSizes(),
      from: duration('When it begins; at once by default.'),
      for: duration('How long it lasts; to the end by default.'),
      every: duration('Time until it repeats.'),
    },
    ['at'],
  );

/** The fields of a world file beside its head. */
export function worldFields(settingsSchema: z.ZodObject): Readonly<Record<string, z.ZodType>> {
  return {
    fabric: name('Fabric profile of every switch and cable that names none.'),
    hosts: list('The hosts.', hostSchema(settingsSchema), MAX_HOSTS),
    switches: list('The switches of the fabric.', switchSchema(), MAX_HOSTS),
    links: list('The cables.', linkSchema(), MAX_LINKS),
    routes: list('Next hops that are not those of the shortest paths.', routeSchema(), MAX_LINKS),
    settings: settingsSchema,
    faults: list('What is wrong, where and when.', faultSchema(), 4096),
  };
}
