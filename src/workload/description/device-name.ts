/**
 * How workloads name hosts and their devices. A host has a place in its testbed: `h0`, `h1`, …; the first 26 are also
 * `a` to `z`. A testbed may give hosts names of their own. `h0/rnic1` is a device of a host; `h0` alone is its default
 * device.
 */
export interface DeviceName {
  host: string;
  /** Null: the host's default device. */
  device: string | null;
}

/** More hosts than any testbed is opened with; a bound on what a name such as `h999999999` can cost. */
export const MAX_HOSTS = 4096;
/** The form of a device's name: a host, and perhaps a device. */
export const DEVICE_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}(\/[A-Za-z0-9][A-Za-z0-9._-]{0,99})?$/;
/** The same in words. */
export const DEVICE_NAME_WORDS = 'a host (a, h0, or its name), or a device of one (h0/rnic1)';

const LETTERS = 'abcdefghijklmnopqrstuvwxyz';

/**
 * Takes the name of a device apart.
 *
 * @example
 * parseDeviceName('h0/rnic1'); // { host: 'h0', device: 'rnic1' }
 */
export function parseDeviceName(text: string): DeviceName {
  const slash = text.indexOf('/');
  return slash < 0
    ? { host: text, device: null }
    : { host: text.slice(0, slash), device: text.slice(slash + 1) };
}

/** The place that a name stands for by itself: 2 for `c` and for `h2`; null for a name that a testbed must know. */
export function placeOf(host: string): number | null {
  if (host.length === 1 && LETTERS.includes(host)) return LETTERS.indexOf(host);
  return /^h(0|[1-9]\d{0,15})$/.test(host) ? Number(host.slice(1)) : null;
}

/** The name of a place: `h2`. */
export function hostName(place: number): string {
  return `h${place}`;
}

/** The name of a place in the style of another name: a letter beside letters, as far as they go. */
export function hostNameLike(sample: string, place: number): string {
  const lettered = sample.length === 1 && LETTERS.includes(sample);
  return lettered && place < LETTERS.length ? LETTERS[place] : hostName(place);
}

/** One spelling for all aliases of a host or a device: `h0` for `a`, `h0/rnic1` for `a/rnic1`. */
export function canonical(given: string): string {
  const { host, device } = parseDeviceName(given);
  const place = placeOf(host);
  const name = place === null ? host : hostName(place);
  return device === null ? name : `${name}/${device}`;
}
