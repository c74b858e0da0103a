import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { HuntArchive } from '../../../jobs/hunt/index.js';
import { Crew, catalogueOf, Desk, type JobEntry } from '../../../laboratory/index.js';
import { LmdbStore, leaveStore, takeStore } from '../../../node/index.js';
import { CAMPAIGNS_FOLDER } from '../../campaign/archive-file.js';
import { campaignsOf } from '../../campaign/look.js';
import { defineCommand } from '../../command.js';
import { ExitCode } from '../../exit-code.js';
import { numberFlag } from '../../flag-value.js';
import { openArchive } from '../../hunt/archive-file.js';
import { timeFlag } from '../../ping/time-flag.js';
import { profileFlag, readOwnProfiles } from '../../providers.js';
import { hireThreads } from '../../serve/hire-threads.js';
import { LabServer } from '../../serve/lab-server.js';
import { openBrowser } from '../../serve/open-browser.js';
import { PAGE_FOLDER, readPageFiles } from '../../serve/page-files.js';
import type { Terminal } from '../../terminal.js';
import { workersFlag } from '../../workers-flag.js';
import { DEFAULT_FOLDER as HUNTS_FOLDER } from '../jobs/hunt.js';

/** The port of RoCE v2, in another protocol. */
const DEFAULT_PORT = '4791';
const LAB_FOLDER = 'kelpie-lab';
const FORMAT = 'kelpie-lab/1';
const TOKEN_BYTES = 24;
/** A process that has a folder says so from time to time. */
const ALIVE_MS = 60_000;

/** `kelpie serve`: the laboratory as a page of this machine, with every job behind it. */
export const serve = defineCommand({
  options: [
    {
      flags: '--port <number>',
      description: 'port on 127.0.0.1; 0: any free one',
      default: DEFAULT_PORT,
    },
    { flags: '--open', description: 'open the page in the browser' },
    { flags: '--folder <path>', description: 'where jobs and their results are kept', default: LAB_FOLDER },
    {
      flags: '--hunts <path>',
      description: 'where hunts are kept, shared with kelpie hunt',
      default: HUNTS_FOLDER,
    },
    {
      flags: '--campaigns <path>',
      description: 'folder of the campaigns that the page shows',
      default: CAMPAIGNS_FOLDER,
    },
    profileFlag,
    { flags: '--workers <number>', description: 'threads; default: number of processors' },
    { flags: '--for <time>', description: 'end after this time, such as 30s or 8h; default: at Ctrl-C' },
    { flags: '--json', description: 'print the address as JSON' },
  ],
  examples: [
    'kelpie serve --open',
    'kelpie serve --profile my-lab',
    'kelpie serve --port 0 --folder /tmp/lab',
  ],
  endsByInterrupt: (options) => options.for === undefined,
  async run({ options, terminal, signal }) {
    const port = numberFlag(options, '--port', { min: 0, max: 65535 })!;
    const workers = workersFlag(options, '--workers');
    const endMs =
      options.for === undefined ? null : timeFlag('--for', options.for, { minMs: 100, maxMs: 864e5 });
    const { profiles } = options.profile === undefined ? { profiles: [] } : readOwnProfiles(options.profile);
    const files = readPageFiles(PAGE_FOLDER);
    const { folder } = options;
    const store = await LmdbStore.open({
      ...{ path: join(folder, 'lab.mdb'), format: FORMAT, field: '--folder', noun: 'jobs' },
    });
    const owner = { field: '--folder', given: folder, noun: 'server' };
    try {
      await takeStore(store, Date.now(), owner);
    } catch (error) {
      await store.close();
      throw error;
    }
    const alive = setInterval(() => void takeStore(store, Date.now(), owner).catch(() => {}), ALIVE_MS);
    let hunts: Promise<HuntArchive> | null = null;
    const desk = new Desk({
      ...{
        catalogue: catalogueOf(workers, profiles),
        crew: new Crew(workers, hireThreads()),
        store,
        profiles,
      },
      hunts: () => {
        hunts ??= openArchive(options.hunts);
        return hunts;
      },
      nowMs: () => Date.now(),
    });
    let left: readonly JobEntry[] = [];
    let removeFile = () => {};
    try {
      const token = randomBytes(TOKEN_BYTES).toString('base64url');
      const more = { campaigns: () => campaignsOf(options.campaigns) };
      const server = await LabServer.open({ desk, files, token, port, more });
      try {
        const url = `${server.url}#token=${token}`;
        tell(terminal, options.json === true, url, server.port);
        if (options.open === true)
          removeFile = openBrowser(url, folder, () =>
            terminal.err('kelpie: no browser was found; open the address above\n'),
          );
        await sleep(endMs ?? 2 ** 31 - 1, undefined, { signal }).catch(() => {});
        left = (await desk.jobs()).filter(({ state }) => state === 'running');
      } finally {
        await desk.close();
        await server.close();
      }
    } finally {
      removeFile();
      clearInterval(alive);
      await leaveStore(store);
      await store.close();
      await (hunts as Promise<HuntArchive> | null)?.then((archive) => archive.close());
    }
    for (const job of left) terminal.err(`kelpie: ${goOn(job)}\n`);
    return ExitCode.GOOD;
  },
});

function tell(terminal: Terminal, json: boolean, url: string, port: number): void {
  if (json) {
    terminal.out(`${JSON.stringify({ url, port, pid: process.pid })}\n`);
    return;
  }
  terminal.out(`the laboratory is at ${url}\n`);
  terminal.err(
    'kelpie: anyone with this address can run jobs here; Ctrl-C stops the server and keeps the results\n',
  );
}

/** What became of a job that was under way. */
function goOn({ id, request, hunt }: JobEntry): string {
  const what = `job ${id}, ${request.job}, was stopped; what it has is kept`;
  return hunt === undefined ? what : `${what}; continue on the page, or with kelpie hunt --resume ${hunt}`;
}
