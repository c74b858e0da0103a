import { afterAll, describe, expect, it } from 'vitest';
import { planNamed, recordWith } from '../../../jobs/ping/agent/testing/records.js';
import { AgentMetrics, type Plan, type RunRecord } from '../../../jobs/ping/index.js';
import { html } from '../../../report/html.js';
import { Fleet } from './fleet.js';
import { fleetMain } from './fleet-page.js';
import { fleetRoutes } from './fleet-routes.js';
import { hostMain } from './host-page.js';
import { hostRoutes } from './host-routes.js';
import { parseReport } from './report-schema.js';
import { placeOf, type WebRoutes, WebServer } from './web-server.js';

// Goal: names from outside stay names, and a collector takes what is a report, in bounded numbers.

const HOSTILE = `<img src=x onerror="alert(1)">&'"</script><script>alert(2)</script>`;
const plan = planNamed('hostping');

/** A plan, and a record of it, whose every name and sentence is hostile. */
function hostile(): { plan: Plan; record: RunRecord } {
  const say = (text: string) => `${text.slice(0, 8)}${HOSTILE.slice(0, 54)}`;
  const evil: Plan = {
    host: say(plan.host),
    links: plan.links.map((link) => ({
      ...link,
      name: say(link.name),
      ends: [say(link.ends[0]), say(link.ends[1])],
    })),
    rnics: plan.rnics.map(say),
    endpoints: plan.endpoints.map(say),
    paths: plan.paths.map((path) => ({ ...path, rnic: say(path.rnic), endpoint: say(path.endpoint) })),
  };
  const finding = {
    ...{
      links: [evil.links[0].name],
      cause: HOSTILE.slice(0, 60),
      causeClass: 'failure' as const,
      certainty: 'suspected' as const,
    },
    ...{ alternatives: [HOSTILE.slice(0, 60)], evidence: [HOSTILE], advice: HOSTILE, tellApart: [HOSTILE] },
  };
  const record = recordWith(evil, {
    ...{
      host: say('host'),
      why: HOSTILE,
      findings: [finding],
      unjudged: [HOSTILE],
      version: HOSTILE.slice(0, 60),
    },
    ...{ flapping: [evil.links[1].name], settingsHash: HOSTILE.slice(0, 60) },
  });
  return { plan: evil, record };
}

/** Every tag of a piece of markup. */
const tags = (text: string) => new Set([...text.matchAll(/<\/?([a-z0-9]+)/gi)].map(([, tag]) => tag));

describe('markup', () => {
  it('escapes what is no markup', () => {
    expect(html`<b title="${HOSTILE}">${HOSTILE}</b>`.text).not.toMatch(/<(img|script)/);
    expect(html`${[html`<i>${'<'}</i>`]}${7}`.text).toBe('<i>&#60;</i>7');
  });

  it('of a page has no tag that a name brought along', () => {
    const { plan: evil, record } = hostile();
    const page = hostMain({ name: HOSTILE, plan: evil, records: [record, record], path: 3 }).text;
    expect(tags(page)).toEqual(
      tags(
        hostMain({
          name: 'x',
          plan,
          records: [recordWith(plan, { ...record, flapping: ['gpu0-up'] }), recordWith(plan, record)],
          path: 3,
        }).text,
      ),
    );
    expect(page).not.toMatch(/<(img|script)/i);
    const fleet = new Fleet();
    fleet.take({ plan: evil, record }, 0);
    expect(fleetMain(fleet, 0).text).not.toMatch(/<(img|script)/i);
  });

  it.each(['hostping', 'hostping-cascaded', 'hgx', 'two-socket', 'epyc-nps4', 'single-rnic'])(
    'draws every link and part of %s, no part over another',
    (name) => {
      const drawn = planNamed(name);
      const [wide, narrow] = hostMain({ name, plan: drawn, records: [recordWith(drawn)] })
        .text.split('class="topo ')
        .slice(1);
      for (const picture of [wide, narrow]) {
        for (const link of drawn.links) expect(picture).toContain(`data-name="${link.name}"`);
        const boxes = [
          ...picture.matchAll(/<rect x="([\d.-]+)" y="([\d.-]+)" width="(\d+)" height="(\d+)" rx/g),
        ].map((each) => each.slice(1).map(Number));
        const parts = new Set(drawn.links.flatMap(({ ends }) => ends));
        expect(boxes).toHaveLength(parts.size);
        const [, width, height] = /viewBox="0 0 ([\d.]+) ([\d.]+)"/.exec(picture)!.map(Number);
        boxes.forEach(([x, y, w, h], index) => {
          expect(x >= 0 && y >= 0 && x + w <= width && y + h <= height).toBe(true);
          for (const [x2, y2, w2, h2] of boxes.slice(index + 1))
            expect(x + w <= x2 || x2 + w2 <= x || y + h <= y2 || y2 + h2 <= y).toBe(true);
        });
      }
    },
  );
});

describe('a server', () => {
  const servers: WebServer[] = [];
  afterAll(() => Promise.all(servers.map((server) => server.close())));
  const serve = async (routes: WebRoutes) => {
    const server = await WebServer.open('--serve', '127.0.0.1:0', routes);
    servers.push(server);
    return `http://127.0.0.1:${server.port}`;
  };

  it('serves the page, its parts, runs and metrics of a host, and nothing else', async () => {
    const metrics = new AgentMetrics(plan);
    const records = [recordWith(plan), recordWith(plan, { atMs: 300_000 })];
    for (const record of records) metrics.run(record);
    const url = await serve(hostRoutes({ name: 'gpu-17', plan, metrics, records: () => records }));
    const page = await fetch(url);
    expect(page.headers.get('content-security-policy')).toMatch(/default-src 'none'.*script-src 'nonce-/);
    const text = await page.text();
    expect(text).toContain('gpu-17');
    expect(text.match(/(src|href)="(?!#|data:)[^"]*"/g)).toBeNull();
    expect(text).not.toMatch(/ style="/);
    expect(await (await fetch(`${url}/main?run=0&path=4`)).text()).toContain('Run 1 of 2');
    expect(await (await fetch(`${url}/main?run=-1&path=__proto__`)).text()).toContain('Run 2 of 2');
    expect(await (await fetch(`${url}/runs`)).json()).toMatchObject({
      name: 'gpu-17',
      runs: [{}, { atMs: 300_000 }],
    });
    const scraped = await fetch(`${url}/metrics`);
    expect(scraped.headers.get('content-type')).toContain('text/plain; version=0.0.4');
    expect(await scraped.text()).toContain('kelpie_ping_runs_total{trigger="idle"} 2');
    for (const path of ['/constructor', '/../etc/passwd', '/report'])
      expect((await fetch(url + path)).status).toBe(404);
    expect((await fetch(url, { method: 'DELETE' })).status).toBe(405);
    expect((await fetch(`${url}/report`, { method: 'POST', body: '{}' })).status).toBe(404);
  });

  it('refuses a place that is none, and one that is taken', async () => {
    for (const bad of ['8080', '127.0.0.1:99999', 'a b:80', ''])
      expect(() => placeOf('--serve', bad)).toThrow(/ADDRESS:PORT/);
    expect(placeOf('--serve', ':80')).toEqual({ address: '127.0.0.1', port: 80 });
    expect(placeOf('--serve', '[::1]:80')).toEqual({ address: '::1', port: 80 });
    const url = await serve({ get: {} });
    await expect(WebServer.open('--serve', url.slice('http://'.length), { get: {} })).rejects.toMatchObject({
      code: 'CANNOT_RUN',
      message: expect.stringContaining('EADDRINUSE'),
    });
  });

  it('takes reports and shows the fleet; what is no report is refused with a reason', async () => {
    const fleet = new Fleet(2);
    const url = await serve(
      fleetRoutes(
        fleet,
        () => 0,
        () => {},
      ),
    );
    const post = async (body: string) => {
      const response = await fetch(`${url}/report`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
      });
      return { status: response.status, ...((await response.json()) as object) };
    };
    const report = (host: string, change = {}) =>
      JSON.stringify({ plan, record: { ...recordWith(plan), host, ...change } });
    expect(await post(report('one'))).toEqual({ status: 202, taken: 'one' });
    const { plan: evil, record } = hostile();
    expect(await post(JSON.stringify({ plan: evil, record }))).toMatchObject({ status: 202 });
    expect(await post(report('three'))).toMatchObject({ status: 400, error: 'TOO_MANY_HOSTS' });
    expect(await post('{')).toMatchObject({
      status: 400,
      error: 'BAD_REPORT',
      message: expect.stringContaining('body'),
    });
    expect(await post(report('one', { atMs: 'now' }))).toMatchObject({
      message: expect.stringContaining('record.atMs'),
    });
    expect(await post(report('one', { links: [] }))).toMatchObject({
      message: expect.stringContaining('record.links'),
    });
    expect(await post(report('one', { host: 'x'.repeat(65) }))).toMatchObject({
      message: expect.stringContaining('record.host'),
    });
    expect(
      await post(JSON.stringify({ plan: { ...plan, paths: [] }, record: recordWith(plan) })),
    ).toMatchObject({
      message: expect.stringContaining('plan.paths'),
    });
    expect(await post(' '.repeat(300_000))).toMatchObject({ status: 413, error: 'TOO_LARGE' });
    for (let run = 0; run < 100; run++) await post(report('one', { atMs: run }));
    expect(fleet.host('one')!.records).toHaveLength(12);
    expect((await fetch(`${url}/report`, { method: 'POST', body: report('one') })).status).toBe(415);
    expect(await (await fetch(url)).text()).toContain('1 of 2 hosts need somebody');
    expect(
      await (await fetch(`${url}/host?${new URLSearchParams({ name: record.host })}`)).text(),
    ).not.toMatch(/<img/);
    expect(await (await fetch(`${url}/host?name=nobody`)).text()).toContain(
      'No host with this name has reported',
    );
  });

  it('shows hosts that are unlike their equals, and proposes what is usual as a baseline', async () => {
    const fleet = new Fleet();
    const url = await serve(
      fleetRoutes(
        fleet,
        () => 0,
        () => {},
      ),
    );
    const usual = recordWith(plan);
    for (const host of ['a', 'b', 'c', 'd', 'e']) fleet.take({ plan, record: { ...usual, host } }, 0);
    const slow = usual.paths.map((path, index) => (index < 5 ? { ...path!, gbps: 100 } : path));
    fleet.take({ plan, record: { ...usual, host: 'odd', paths: slow } }, 0);
    const page = await (await fetch(url)).text();
    expect(page).toContain('1 of 6 hosts need somebody');
    expect(page).toMatch(/data-health="outlier".*odd.*unlike its equals: rnic0 to memory0, .* and 2 more/);
    const [group] = (await (await fetch(`${url}/baselines`)).json()) as {
      paths: object[];
      outliers: unknown[];
    }[];
    expect(group.paths[0]).toEqual({ gbps: 210, latencyNs: 2500 });
    expect(group.outliers).toHaveLength(1);
  });

  it('draws a graph from outside that has cycles and parts of no socket', () => {
    const link = (name: string, a: string, b: string) => ({
      name,
      place: 'switch' as const,
      ends: [a, b] as [string, string],
      gbps: 1,
      pcie: null,
    });
    const odd: Plan = {
      ...plan,
      links: [
        ...plan.links,
        link('x', 'switch0', 'switch1'),
        link('y', 'a', 'b'),
        link('z', 'b', 'a'),
        link('s', 'a', 'a'),
      ],
    };
    const { plan: read, record } = parseReport(JSON.stringify({ plan: odd, record: recordWith(odd) }));
    expect(hostMain({ name: 'odd', plan: read, records: [record] }).text).toContain('data-name="x"');
  });
});
