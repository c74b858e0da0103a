import { createHash } from 'node:crypto';
import { closeSync, openSync, renameSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { KelpieError } from '../../error.js';
import {
  type CampaignArchive,
  type CampaignEntry,
  type CampaignSummary,
  mergedLine,
  type TaskRecord,
} from '../../jobs/campaign/index.js';
import { makeFolder } from '../../node/index.js';
import { campaignPage } from '../../report/pages/campaign.js';

/** What was written of a campaign. */
export interface WrittenReport {
  readonly page: string;
  readonly results: string;
  /** SHA-256 of the merged results: the same on one machine and on many. */
  readonly digest: string;
}

/** Runs that a page lists; the file has them all. */
const MOST_LISTED = 500;
/** Results are written in pieces of this much. */
const PIECE_BYTES = 2 ** 20;

/** Writes the merged results, a line per task in the order of the tasks, and the page. */
export async function writeReport(
  folder: string,
  entry: CampaignEntry,
  summary: CampaignSummary,
  archive: CampaignArchive,
): Promise<WrittenReport> {
  const place = join(folder, String(entry.id));
  const results = join(place, 'results.jsonl');
  const page = join(place, 'report.html');
  try {
    makeFolder(place);
    const { digest, listed } = await writeResults(results, archive.records(entry.id));
    writeFileSync(page, campaignPage(entry, summary, listed, digest));
    return { page, results, digest };
  } catch (cause) {
    if (cause instanceof KelpieError) throw cause;
    throw new KelpieError('CANNOT_RUN', `the report cannot be written: ${(cause as Error).message}`, {
      field: '--folder',
      given: place,
      allowed: `a folder on a disk with free space; then kelpie campaign report ${entry.id}`,
      cause,
    });
  }
}

async function writeResults(
  file: string,
  records: AsyncIterable<TaskRecord>,
): Promise<{ digest: string; listed: TaskRecord[] }> {
  const hash = createHash('sha256');
  const listed: TaskRecord[] = [];
  const partial = `${file}.partial`;
  const descriptor = openSync(partial, 'w');
  try {
    let piece = '';
    const flush = () => {
      hash.update(piece);
      writeSync(descriptor, piece);
      piece = '';
    };
    for await (const record of records) {
      if (listed.length < MOST_LISTED) listed.push(record);
      piece += mergedLine(record);
      if (piece.length >= PIECE_BYTES) flush();
    }
    flush();
  } finally {
    closeSync(descriptor);
  }
  renameSync(partial, file);
  return { digest: hash.digest('hex'), listed };
}
