import { increases } from './device-counters.js';
import type { Findings } from './findings.js';
import type { CounterSeries, MeasurementSeries } from './measurement.js';

/** The run in slices, from its start. */
export function seriesOf(findings: Findings): MeasurementSeries {
  const { sampler, places, rigs } = findings;
  const tenants: MeasurementSeries['tenants'] = {};
  for (const { tenant } of rigs) {
    const own = sampler.lanes.flatMap((lane, index) => (lane.tenant === tenant.name ? [index] : []));
    const goodputGbps = sampler.perSlice(0, (before, after) => {
      const bytes = own.reduce((sum, lane) => sum + after.lanes[lane].bytes - before.lanes[lane].bytes, 0);
      return (bytes * 8) / (after.timeNs - before.timeNs);
    });
    tenants[tenant.name] = { goodputGbps };
  }
  const devices = new Map(places.all.map(({ name }, place) => [name, deviceSeries(findings, place)]));
  const hosts: MeasurementSeries['hosts'] = {};
  for (const host of places.hostNames) {
    const own = places.all.filter((place) => place.host === host).map(({ name }) => devices.get(name)!);
    hosts[host] = own.length === 1 ? own[0] : together(own);
  }
  const levels = sampler.levelSeries((name) => namedAs(findings, name));
  return {
    timeNs: sampler.samples.slice(1).map((sample) => sample.timeNs),
    tenants,
    hosts,
    ...(devices.size > places.hostNames.length ? { devices: Object.fromEntries(devices) } : {}),
    ...(levels === null ? {} : { levels }),
  };
}

/** The name of a part with its host called as everywhere else in the measurement. */
function namedAs({ testbed, places }: Findings, name: string): string {
  const [host, ...rest] = name.split('/');
  const place = testbed.hosts.findIndex((each) => each.name === host);
  return place < 0 ? name : [places.hostNames[place], ...rest].join('/');
}

function deviceSeries({ sampler }: Findings, place: number): CounterSeries {
  const { samples } = sampler;
  const last = samples[samples.length - 1];
  const reader = sampler.readers[place];
  const counters: Record<string, number[]> = {};
  const grown = increases(reader.valuesOf(samples[0].counters[place]), reader.valuesOf(last.counters[place]));
  for (const counter of Object.keys(grown)) {
    // A counter that never moved has nothing to show over time.
    if (grown[counter] === 0) continue;
    const column = reader.names.indexOf(counter);
    counters[counter] = sampler.perSlice(
      0,
      (before, after) => (after.counters[place][column] ?? 0) - (before.counters[place][column] ?? 0),
    );
  }
  const counted = sampler.pauseRatio(samples[0], last, place) !== null;
  return {
    pauseRatio: counted
      ? sampler.perSlice(0, (before, after) => sampler.pauseRatio(before, after, place) ?? 0)
      : null,
    counters,
  };
}

/** Counters of several devices added up, slice by slice; of pauses the longest. */
function together(all: readonly CounterSeries[]): CounterSeries {
  const merge = (lists: readonly (readonly number[])[], combine: (one: number, other: number) => number) =>
    lists.reduce<number[]>((sum, list) => list.map((value, slice) => combine(sum[slice] ?? 0, value)), []);
  const names = new Set(all.flatMap(({ counters }) => Object.keys(counters)));
  const pauses = all.flatMap(({ pauseRatio }) => (pauseRatio === null ? [] : [pauseRatio]));
  return {
    pauseRatio: pauses.length === 0 ? null : merge(pauses, Math.max),
    counters: Object.fromEntries(
      [...names].map((name) => {
        const lists = all.flatMap(({ counters }) => (counters[name] === undefined ? [] : [counters[name]]));
        return [name, merge(lists, (one, other) => one + other)];
      }),
    ),
  };
}
