import type { ImportedHost, HostObservation } from '../../host-import/index.js';

/** What a machine admits to as faults of `kelpie ping`; none for what has no such fault. */
export function faultsOf({ part, observation, link, bytes }: HostObservation, host: ImportedHost): string[] {
  switch (observation) {
    case 'link-downgraded': {
      const lanes = link === undefined ? 1 : link.now.lanes / link.able.lanes;
      const speed = link === undefined ? 1 : link.now.gigatransfers / link.able.gigatransfers;
      return [
        ...(lanes < 1 ? [`pcie-width@${part}:${lanes}`] : []),
        ...(speed < 1 ? [`pcie-speed@${part}:${speed}`] : []),
      ];
    }
    case 'acs-redirect': {
      const above = host.links.find(({ between }) => between[1] === part)?.between[0];
      return above?.startsWith('switch') ? [`acs@${above}`] : [];
    }
    case 'ats-off':
    case 'ordering-strict':
      return [`${observation}@${part}`];
    case 'payload-small':
      return [`mps-small@${part}:${bytes}`];
    case 'read-request-small':
      return [`mrrs-small@${part}:${bytes}`];
  }
}
