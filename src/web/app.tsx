import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { JobId, LaboratoryBackend } from '../laboratory/desk/backend.js';
import type { Catalogue } from '../laboratory/desk/catalogue.js';
import { LinkFault, readLink } from '../laboratory/setup/link.js';
import { LabPage } from './lab/lab-page.js';
import type { JobModel } from './model/job-model.js';
import type { LabModel } from './model/lab-model.js';
import type { BoardEntry } from './model/made-ahead.js';
import { CampaignsPage } from './pages/campaigns-page.js';
import { HuntPage } from './pages/hunt-page.js';
import { JobsPage } from './pages/jobs-page.js';
import { PapersPage } from './pages/papers-page.js';
import { ResultsPage } from './pages/results-page.js';
import { Fault } from './parts.js';
import { Top } from './top.js';

const ROUTES = [
  ['run', 'Laboratory'],
  ['hunt', 'Hunt'],
  ['papers', 'Papers'],
  ['jobs', 'Other jobs'],
  ['results', 'Results'],
  ['campaigns', 'Campaigns'],
] as const;

type RouteName = (typeof ROUTES)[number][0];

/** What everything on the page works with. */
export interface AppProps {
  readonly backend: LaboratoryBackend;
  readonly catalogue: Catalogue;
  readonly board: Readonly<Record<string, BoardEntry>>;
  readonly lab: LabModel;
  readonly hunt: JobModel;
  readonly rows: Map<string, JobModel>;
  readonly isServer: boolean;
  readonly isReached: boolean;
}

/** The laboratory as a page. */
export function App(props: AppProps): JSX.Element {
  const { lab, catalogue, isServer, isReached, backend } = props;
  const routes = ROUTES.filter(([name]) => name !== 'campaigns' || backend.campaigns !== undefined);
  const [route, setRoute] = useState<RouteName>('run');
  const [open, setOpen] = useState<JobId | null>(null);
  const [fault, setFault] = useState<string | null>(null);
  useEffect(() => {
    const go = () => {
      const { name, rest, query } = partsOf(location.hash);
      if (name === null) return;
      setRoute(name);
      setOpen(name === 'results' && rest !== '' ? rest : null);
      setFault(null);
      if (name !== 'run' || query === '') return;
      try {
        const { linked, version } = readLink(query);
        const note =
          version !== null && version !== catalogue.version
            ? `The link was made with version ${version}; figures may differ in ${catalogue.version}.`
            : '';
        lab.show(linked, note);
      } catch (error) {
        if (!(error instanceof LinkFault)) throw error;
        setFault(error.message);
      }
    };
    addEventListener('hashchange', go);
    go();
    return () => removeEventListener('hashchange', go);
  }, []);
  return (
    <>
      <Top links={routes.map(([name, title]) => ({ name, title }))} current={route}>
        {isServer ? (isReached ? 'kelpie serve' : 'the server does not answer …') : 'runs in this tab'},{' '}
        {catalogue.version}
      </Top>
      <main class="wrap" id="main" tabIndex={-1}>
        {fault !== null && <Fault text={fault} />}
        <Page {...props} route={route} open={open} />
        <footer class="foot xs dim">
          Every figure here was simulated by Kelpie {catalogue.version},{' '}
          {isServer ? 'on the server of this page' : 'in this tab: nothing is sent anywhere'}. The same seed
          and version give the same bits. Queue and link levels come from the run; each point of the curves
          above the sliders is a run of its own.
        </footer>
      </main>
    </>
  );
}

function Page({
  route,
  open,
  backend,
  catalogue,
  board,
  lab,
  hunt,
  rows,
  isServer,
}: AppProps & { route: RouteName; open: JobId | null }): JSX.Element {
  switch (route) {
    case 'run':
      return <LabPage model={lab} backend={backend} catalogue={catalogue} />;
    case 'hunt':
      return <HuntPage model={hunt} catalogue={catalogue} />;
    case 'papers':
      return <PapersPage backend={backend} catalogue={catalogue} board={board} jobs={rows} />;
    case 'jobs':
      return <JobsPage backend={backend} catalogue={catalogue} />;
    case 'results':
      return <ResultsPage backend={backend} version={catalogue.version} open={open} isServer={isServer} />;
    case 'campaigns':
      return <CampaignsPage backend={backend} />;
  }
}

/** The parts of an address of the page; its name is null where it leads to a place on the page that is open. */
function partsOf(hash: string): { name: RouteName | null; rest: string; query: string } {
  const [, path = '', query = ''] = /^#\/([^?]*)\??(.*)$/s.exec(hash) ?? [];
  if (hash !== '' && !hash.startsWith('#/')) return { name: null, rest: '', query: '' };
  const [given = '', ...rest] = path.split('/');
  const known = ROUTES.find(([name]) => name === given);
  return { name: known?.[0] ?? 'run', rest: rest.join('/'), query };
}
