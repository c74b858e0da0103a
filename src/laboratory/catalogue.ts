import { rows } from '../jobs/reproduce/index.js';
import { findProfile, listProfiles } from '../profiles/index.js';
import { subsystemOf } from '../testbeds/index.js';
import { VERSION } from '../version.js';
import type { Catalogue } from './backend.js';

/**
 * The shipped subsystems and the rows of the papers.
 *
 * @example
 * const { subsystems, rows } = catalogueOf(navigator.hardwareConcurrency);
 */
export function catalogueOf(workers: number): Catalogue {
  return {
    version: VERSION,
    workers,
    subsystems: listProfiles('subsystem').map((name) => ({
      name,
      title: findProfile('subsystem', name).title,
      portGbps: subsystemOf({ subsystem: name }).device.constants.portGbps,
    })),
    rows: rows.map(({ id, paper, setting, metric, unit, expected, tolerance, slow = false, encoded }) => ({
      ...{ id, paper, setting, metric, unit, expected, tolerance, slow },
      ...(encoded === undefined ? {} : { encoded }),
    })),
  };
}
