import { cutNs } from '../core/events/rounding.js';
import type { TextReader } from './text-reader.js';

const RATE_UNITS: Readonly<Record<string, number>> = {
  bps: 1,
  'b/s': 1,
  Bps: 8,
  'B/s': 8,
  kbps: 1e3,
  'kb/s': 1e3,
  Kbps: 1e3,
  'Kb/s': 1e3,
  kBps: 8e3,
  'kB/s': 8e3,
  KBps: 8e3,
  'KB/s': 8e3,
  'Kib/s': 1024,
  'KiB/s': 8192,
  Mbps: 1e6,
  'Mb/s': 1e6,
  MBps: 8e6,
  'MB/s': 8e6,
  'Mib/s': 1_048_576,
  'MiB/s': 8_388_608,
  Gbps: 1e9,
  'Gb/s': 1e9,
  GBps: 8e9,
  'GB/s': 8e9,
  'Gib/s': 1_073_741_824,
  'GiB/s': 8_589_934_592,
};

const DELAY_UNITS_NS: Readonly<Record<string, number>> = { s: 1e9, ms: 1e6, us: 1e3, ns: 1 };

/** A rate such as `100Gbps` or `50Mb/s`, in bits per second. */
export function readRate(reader: TextReader, field: string): number {
  const word = reader.word(field, 'a rate such as 100Gbps');
  const bps = parseRate(word);
  if (bps === null) reader.refuse(field, word, 'a rate such as 100Gbps, 50Mb/s or 1000000000');
  return bps;
}

/** A rate in bits per second, or null if this is none. */
export function parseRate(text: string): number | null {
  const match = /^(\d+\.?\d*|\.\d+)([A-Za-z/]*)$/.exec(text);
  if (match === null) return null;
  const unit = match[2] === '' ? 1 : RATE_UNITS[match[2]];
  if (unit === undefined) return null;
  return Math.floor(Number(match[1]) * unit);
}

/** A delay such as `1000ns` or `0.001ms`, in nanoseconds, cut as ns-3 does; a bare number is in seconds. */
export function readDelay(reader: TextReader, field: string): number {
  const word = reader.word(field, 'a delay such as 1000ns');
  const match = /^(\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+)(s|ms|us|ns)?$/.exec(word);
  if (match === null) return reader.refuse(field, word, 'a delay such as 1000ns, 1us or 0.001ms');
  return cutNs(Number(match[1]), DELAY_UNITS_NS[match[2] ?? 's']);
}
