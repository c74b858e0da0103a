import { render } from 'preact';
import type { LaboratoryBackend } from '../laboratory/desk/backend.js';
import { App, type AppProps } from './app.js';
import { ServerBackend } from './backend/server-backend.js';
import { openTab } from './backend/tab-backend.js';
import { CampaignApp } from './campaign-app.js';
import { JobModel } from './model/job-model.js';
import { LabModel } from './model/lab-model.js';
import { fetchMadeAhead } from './model/made-ahead.js';

const TOKEN = 'kelpie-token';

/** Opens the page: what was made ahead is shown at once, and the first run begins beside it. */
async function open(): Promise<void> {
  const root = document.getElementById('app')!;
  const kind = document.documentElement.dataset['backend'];
  const isServer = kind === 'server';
  restoreTheme();
  if (kind === 'campaign') {
    root.textContent = '';
    render(<CampaignApp />, root);
    return;
  }
  let isReached = true;
  let draw = () => {};
  const backend: LaboratoryBackend = isServer
    ? new ServerBackend(takeToken(), (reached) => {
        if (reached === isReached) return;
        isReached = reached;
        draw();
      })
    : openTab();
  const ahead = await fetchMadeAhead();
  // What a tab has to choose from was made ahead; a server may have more.
  const catalogue = isServer
    ? await backend.catalogue()
    : { ...ahead.catalogue, workers: Math.max(1, navigator.hardwareConcurrency) };
  // Each run that is watched holds one of a browser's six connections to a server: some stay for what is asked for here.
  const lab = new LabModel(backend, ahead, isServer ? Math.min(3, catalogue.workers) : catalogue.workers);
  const hunt = new JobModel(backend);
  const props: Omit<AppProps, 'isReached'> = {
    ...{ backend, catalogue, lab, hunt, isServer, board: ahead.board, rows: new Map() },
  };
  root.textContent = '';
  draw = () => render(<App {...props} isReached={isReached} />, root);
  draw();
  performance.mark('kelpie-shown');
  // For whoever wants more of a result than the page shows, from the console of the browser.
  Object.assign(window, { kelpie: { backend, catalogue, lab } });
  if (!location.hash.startsWith('#/run?')) lab.again();
  void comeBack(backend, hunt);
}

/** A hunt that goes on while its reader was away is shown where it is. */
async function comeBack(backend: LaboratoryBackend, hunt: JobModel): Promise<void> {
  const jobs = await backend.jobs().catch(() => []);
  const going = jobs.find(({ request, state }) => request.job === 'hunt' && state === 'running');
  if (going !== undefined) hunt.watchJob(going.id, going.request);
}

/** The token comes behind the address once; this browser keeps it for this server alone. */
function takeToken(): string {
  const [, given] = /^#token=([\w-]+)/.exec(location.hash) ?? [];
  if (given === undefined) return localStorage.getItem(TOKEN) ?? '';
  try {
    localStorage.setItem(TOKEN, given);
  } catch {
    // It lasts as long as the page then.
  }
  history.replaceState(null, '', `${location.pathname}#/run`);
  return given;
}

function restoreTheme(): void {
  try {
    const theme = localStorage.getItem('kelpie-theme');
    if (theme === 'light' || theme === 'dark') document.documentElement.dataset['theme'] = theme;
  } catch {
    // The system says it then.
  }
}

open().catch((error: unknown) => {
  const main = document.getElementById('main') ?? document.body;
  const isToken = (error as { code?: string }).code === 'BAD_TOKEN';
  const heading = document.createElement('h1');
  heading.textContent = isToken
    ? 'This page needs the address that kelpie serve printed.'
    : 'The laboratory did not open.';
  const reason = document.createElement('p');
  reason.textContent = isToken
    ? 'The token is in that address. Each start of the server makes a new one.'
    : `${(error as Error).message}. Reload the page.`;
  main.replaceChildren(heading, reason);
});

// A folder of files on any server works without it from the second time on.
if (document.documentElement.dataset['backend'] === 'tab' && 'serviceWorker' in navigator && isSecureContext)
  void navigator.serviceWorker.register('sw.js').catch(() => {});
