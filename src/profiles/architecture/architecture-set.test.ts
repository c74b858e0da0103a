import { describe, expect, it } from 'vitest';
import { real } from '../constant.js';
import { ProfileError } from '../fault.js';
import { ProfileLibrary } from '../library.js';
import { resolveDevice } from '../resolve.js';
import { ArchitectureSet } from './architecture-set.js';
import type { ArchitectureTable } from './part-table.js';
import { shippedArchitectures } from './shipped-architectures.js';

const connectxTable = shippedArchitectures.compose({ base: 'connectx', parts: {} });

const slowConstants = { contextNs: real('Toy', 'ns', [0, 1000], 'To find a context.') };

/** As a ConnectX, with other contexts, and without what holds a port when no receive is posted. */
const toy: ArchitectureTable = {
  ...connectxTable,
  name: 'toy',
  without: { rnrHoldReliableNs: 0, rnrHoldUnreliableNs: 0 },
  parts: { ...connectxTable.parts, contexts: { name: 'slow', constants: slowConstants } },
};

const device = (architecture: string, constants = '') => `profile: device
name: mine
extends: connectx-6-100g
title: Mine
architecture: ${architecture}
constants: { ${constants} }
`;
const contextNs = "contextNs: { value: 7, evidence: calibrated, source: 'assumed' }";

function libraryWith(text: string): ProfileLibrary {
  const library = new ProfileLibrary({ architectures: [toy] });
  library.add(text, 'mine.yaml');
  return library;
}

describe('the constants of an architecture', () => {
  it('are those of every device but what it has not, and those of its parts', () => {
    const table = new ArchitectureSet([toy]).tableOf({ base: 'toy', parts: {} });
    expect(table).toHaveProperty('contextNs');
    expect(table).toHaveProperty('portGbps');
    for (const name of ['contextCacheEntries', 'rnrHoldReliableNs', 'rnrHoldUnreliableNs'])
      expect(table).not.toHaveProperty(name);
  });

  it('are asked of a profile, all of them and no others', () => {
    const faults = (text: string) => {
      try {
        libraryWith(text).find('device', 'mine');
      } catch (error) {
        if (error instanceof ProfileError) return error.faults.map(({ code, field }) => [code, field]);
        throw error;
      }
      return [];
    };
    expect(faults(device('toy', contextNs))).toEqual([]);
    expect(faults(device('toy'))).toEqual([['PROFILE_MISSING_FIELD', 'constants.contextNs']]);
    const entries = "contextCacheEntries: { value: 9, evidence: calibrated, source: 'assumed' }";
    expect(faults(device('toy', `${contextNs}, ${entries}`))).toEqual([
      ['PROFILE_UNKNOWN_FIELD', 'constants.contextCacheEntries'],
    ]);
    expect(faults(device('abacus'))).toEqual([['PROFILE_UNKNOWN_REFERENCE', 'architecture']]);
    expect(faults(device('{ base: toy, contexts: beads }'))).toEqual([
      ['PROFILE_UNKNOWN_REFERENCE', 'architecture.contexts'],
    ]);
  });

  it('follow the parts: one of another architecture brings its own', () => {
    const mixed = libraryWith(device('{ base: connectx, contexts: slow }', contextNs)).find('device', 'mine');
    expect(mixed.architecture).toEqual({ base: 'connectx', parts: { contexts: 'slow' } });
    // Inherited constants of the part that was replaced are gone; those of the others stay.
    expect(mixed.constants).toMatchObject({ contextNs: { value: 7 }, processingUnits: { value: 16 } });
    expect(mixed.constants).not.toHaveProperty('contextCacheEntries');
  });

  it('are numbers for the models, with those that say that a mechanism is not there', () => {
    const numbers = resolveDevice(libraryWith(device('toy', contextNs)).find('device', 'mine'));
    expect(numbers).toMatchObject({ contextNs: 7, rnrHoldReliableNs: 0, portGbps: 100 });
  });

  it('mean one thing each', () => {
    const other = { contextNs: real('Toy', 'ns', [0, 5], 'Something else.') };
    const clashing = {
      ...toy,
      name: 'clash',
      parts: { ...toy.parts, sends: { name: 'odd', constants: other } },
    };
    expect(() => new ArchitectureSet([toy, clashing])).toThrowError(
      expect.objectContaining({ code: 'ARCHITECTURE_CLASH', given: 'contextNs' }),
    );
  });
});
