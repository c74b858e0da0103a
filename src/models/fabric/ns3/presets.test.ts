import { describe, expect, it } from 'vitest';
import { referenceRun } from '../testing/runs.js';
import { hpccHeader } from '../../../transport/congestion/rates/feedback.js';
import type { ControlName } from '../../../transport/index.js';
import { TELEMETRY_BPS } from './constants.js';
import { firstHostLink } from './ns3-spec.js';
import { presetBuffer, presetControl, presetMarking, presetNic } from './presets.js';

// Goal: a control by name is what ns-3's configurations of the reference runs say.
describe('presets', () => {
  it.each([
    ['g92-dcqcn', 'dcqcn', {}],
    ['g92-dcqcn_paper', 'dcqcn-paper', {}],
    // The reference runs were made with an additive increase of 50 Mb/s of their own. A preset knows no gaps in a header.
    ['g92-hp', 'hpcc', { additiveBps: 50e6, telemetry: { ...hpccHeader(4), codedBps: TELEMETRY_BPS } }],
    ['g92-dctcp', 'dctcp', {}],
    ['g92-timely', 'timely', {}],
  ] as [string, ControlName, object][])('%s is %s', (run, name, own) => {
    const { spec } = referenceRun(run);
    const { rateBps } = firstHostLink(spec.topology);
    const terms = { nicBps: rateBps, payloadBytes: 1000 };
    expect({ ...presetControl(name, terms), ...own }).toEqual(spec.control);
    expect({ ...presetNic(name, terms), forgetsDone: true }).toEqual(spec.nic);
    expect(presetMarking(name, spec.topology)).toEqual(spec.marking);
    expect(presetBuffer(terms)).toEqual(spec.buffer);
  });
});
