import { describe, expect, it } from 'vitest';
import { type CheckUp, checkUp } from './check-up.js';
import { parseFault } from './faults/fault-text.js';
import { type HealthyTwin, healthyTwin, openServer } from './server.js';
import { parseService } from './service.js';

const PROBES = { smallBytes: 64, repetitions: 3, memoryWindowBytes: 64 * 2 ** 20 };
const twins = new Map<string, Promise<HealthyTwin>>();

/** A check-up of a server with faults, and with service traffic where that is given. */
async function checked(host: string, faults: string[], service: string[] = []): Promise<CheckUp> {
  const choice = { host, device: 'connectx-6-200g', seed: 1 };
  if (!twins.has(host)) twins.set(host, healthyTwin(choice, PROBES));
  const twin = await twins.get(host)!;
  const injected = [
    ...faults.map((text) => parseFault(text, twin.plan).description),
    ...service.flatMap((text) => parseService(text, twin.plan, twin.portGbps)),
  ];
  const server = await openServer(choice, injected, PROBES);
  const result = await checkUp(server, twin);
  await server.close();
  return result;
}

describe('a check-up of an idle server', () => {
  it.each([
    ['slow-start@rnic1', 'rnic1-up', 'slow-start', 'probes A and B'],
    ['slow-start@rnic1:40', 'rnic1-up', 'slow-start', 'slow only after a pause'],
    ['tx-window@rnic2:4', 'rnic2-up', 'tx-window', 'slow only for one queue pair'],
    // So wide that only the longer ways of the RNIC show it.
    ['tx-window@rnic2:16', 'rnic2-up', 'tx-window', 'probes A and B'],
    ['root-port@switch0', 'switch0-up', 'root-port', 'root port of the processor'],
    ['numa-misbind@rnic0', 'rnic0-up', 'numa-misbind', 'probe F'],
    ['c-states@host', '', 'c-states', 'probe F'],
    ['governor@host', '', 'governor', 'coreClock is 0.25'],
    ['iommu-on@host', '', 'iommu-on', 'probe E, a page apart: 1346 ns in 64 KiB, 1946 ns in 256 KiB'],
    ['gpu-off-bus@gpu1', 'gpu1-up', 'gpu-off-bus', 'does not answer'],
    ['gdr-dead@host', '', 'gdr-dead', 'none of 8 GPUs'],
    ['memory-missing@memory0', 'memory0-up', 'memory-missing', 'probe D'],
    ['ddio-off@memory1', 'memory1-up', 'ddio-off', 'DDIO is off'],
    ['load-upi@socket0-socket1', 'socket0-socket1', 'load-upi', '95 % of it is in use'],
    ['load-memory@memory1', 'memory1-up', 'load-memory', 'in use'],
    ['load-pcie@gpu0', 'gpu0-up', 'load-pcie', 'in use'],
    ['load-loopback@rnic3', 'rnic3-up', 'load-loopback', 'in use'],
  ])('names %s', async (fault, link, cause, evidence) => {
    const { findings } = (await checked('hostping', [fault])).diagnosis;
    expect(findings.map((each) => `${each.cause}@${each.links.join()}`)).toEqual([`${cause}@${link}`]);
    expect(findings[0].evidence.join('; ')).toContain(evidence);
    expect(findings[0].advice).not.toBe('');
  });

  it('names a transmit window that slows a path all of whose links others acquit', async () => {
    const { findings } = (await checked('hgx', ['tx-window@rnic1:18'])).diagnosis;
    expect(findings).toMatchObject([{ cause: 'tx-window', links: ['rnic1-up'] }]);
    expect(findings[0].evidence).toContain('other paths acquit every link of these');
  });

  it('tells a slow link of an RNIC from what streams would mend', async () => {
    const { findings } = (await checked('hostping', ['pcie-silent@rnic0:0.2'])).diagnosis;
    expect(findings).toMatchObject([{ cause: 'pcie-silent', certainty: 'verified' }]);
  });

  it('blames no link for a small buffer of an RNIC that pauses its peer', async () => {
    const choice = { host: 'hostping', device: 'connectx-6-200g', seed: 1 };
    const twin = await twins.get('hostping')!;
    const { description } = parseFault('rnic-buffer@rnic0', twin.plan);
    const server = await openServer(choice, [description], PROBES);
    const quiet = await checkUp(server, twin);
    expect(quiet.diagnosis.findings).toEqual([]);
    const { diagnosis } = await checkUp(server, twin, { pauses: new Map([['rnic0', 0.2]]) });
    await server.close();
    expect(diagnosis.findings).toMatchObject([{ links: [], cause: 'rnic-buffer', causeClass: 'outside' }]);
  });
});

describe('a check-up of a busy server', () => {
  it('finds nothing where there is nothing but service traffic', async () => {
    const { busyRnics, diagnosis, sweep } = await checked('hostping', [], ['rnic0=0.6']);
    expect([...busyRnics]).toEqual(['rnic0']);
    expect(diagnosis.findings).toEqual([]);
    // Affinitive paths alone.
    expect(sweep.readings.filter((reading) => reading !== null)).toHaveLength(16);
  });

  it.each([
    ['load-upi@socket0-socket1', ['rnic0=0.6', 'rnic2=0.6'], 'socket0-socket1', 'load-upi'],
    ['load-memory@memory0', ['rnic0=0.6', 'rnic2=0.6'], 'memory0-up', 'load-memory'],
    ['pcie-width@gpu0', ['rnic0=0.6'], 'gpu0-up', 'pcie-width'],
    ['pcie-silent@switch0:0.2', ['rnic0=0.6'], 'switch0-up', 'pcie-silent'],
    ['acs@switch0', ['rnic0=0.6'], 'gpu0-up,gpu1-up', 'acs'],
  ])('names %s', async (fault, service, links, cause) => {
    const { diagnosis } = await checked('hostping', [fault], service);
    expect(diagnosis.findings.map((each) => `${each.cause}@${each.links.join()}`)).toEqual([
      `${cause}@${links}`,
    ]);
  });

  it.each([
    // Affinitive paths cross both links together; a further path, to the GPU on the other switch, parts them.
    ['hostping-cascaded', 'root-port@switch0:0.4', 'switch0-up', 'root-port'],
    ['hostping-cascaded', 'pcie-silent@switch0a:0.2', 'switch0a-up', 'pcie-silent'],
    // Beside service traffic to another memory, which leaves that one less than usual.
    ['epyc-nps4', 'memory-channel@memory1', 'memory1-up', 'memory-channel'],
    // Only GPUs next to an RNIC are probed.
    ['hostping-cascaded', 'gdr-dead@host', '', 'gdr-dead'],
    // One path alone, which a late link would explain as well: the setting decides.
    ['hostping-cascaded', 'acs@switch1a', 'gpu2-up', 'acs'],
  ])('names on %s %s', async (host, fault, links, cause) => {
    const { findings } = (await checked(host, [fault], ['rnic0=0.6'])).diagnosis;
    expect(findings.map((each) => `${each.cause}@${each.links.join()}`)).toEqual([`${cause}@${links}`]);
  });

  it('judges links below the root port of a busy RNIC by that RNIC alone', async () => {
    const { statuses, diagnosis } = await checked('hgx', [], ['rnic0=0.6']);
    expect(diagnosis.findings).toEqual([]);
    expect(statuses.some(({ why }) => why?.includes('service traffic of another RNIC'))).toBe(true);
  });

  it('refuses service traffic that it cannot read', async () => {
    const { plan, portGbps } = await twins.get('hostping')!;
    for (const text of ['rnic0', 'rnic9=0.5', 'rnic0=2', 'rnic0=-1'])
      expect(() => parseService(text, plan, portGbps)).toThrow(expect.objectContaining({ code: 'BAD_FLAG' }));
  });
});
