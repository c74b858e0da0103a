import { badLine, linesOf } from './import-error.js';
import { type MachineFacts, type PciFacts, type PciRole, pciAddress, roleByTitle } from './pci-facts.js';

type Draft = { -readonly [Key in keyof PciFacts]: PciFacts[Key] };

const ROLES: readonly (readonly [RegExp, PciRole])[] = [
  [/^Root Port/, 'root-port'],
  [/^Upstream Port/, 'upstream-port'],
  [/^Downstream Port/, 'downstream-port'],
];

/**
 * `lspci -vvv`: settings and link states. Without privileges capabilities read `<access denied>`: everything in them
 * stays unknown.
 *
 * @example
 * const { functions } = parseLspciVerbose(text);
 * functions.find(({ role }) => role === 'rnic')?.link; // { gigatransfers: 16, lanes: 16 }
 */
export function parseLspciVerbose(text: string, source = 'lspci -vvv'): MachineFacts {
  const drafts: Draft[] = [];
  const secondary = new Map<string, string>();
  let draft: Draft | null = null;
  linesOf(source, text).forEach((line, index) => {
    if (line.trim() === '') {
      draft = null;
      return;
    }
    if (!/^\s/.test(line)) {
      const head = /^((?:[0-9a-f]{4,8}:)?[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]) (.+)$/i.exec(line);
      if (head === null)
        throw badLine(source, index + 1, line, "a function such as '3b:00.0 Infiniband controller: ...'");
      draft = { address: pciAddress(head[1]), title: head[2], role: roleByTitle(head[2]) };
      drafts.push(draft);
      return;
    }
    if (draft === null)
      throw badLine(source, index + 1, line, 'an indented line below the line of a function');
    readProperty(draft, line.trim(), secondary);
  });
  if (drafts.length === 0)
    throw badLine(source, 1, text.slice(0, 80), 'functions, each with an address at the start of a line');
  const functions = drafts.map((each) => {
    const [domain, bus] = each.address.split(':');
    const parent = secondary.get(`${domain}:${bus}`);
    return parent === undefined ? each : { ...each, parent };
  });
  return { source, functions, numaNodes: [], distances: [] };
}

/** Reads one indented line; lines that say nothing about the graph are many and are passed over. */
function readProperty(draft: Draft, line: string, secondary: Map<string, string>): void {
  const capability = /Express \(v\d+\) (.+?)(?:,|\(|$)/.exec(line);
  if (capability !== null) {
    const role = ROLES.find(([pattern]) => pattern.test(capability[1]));
    if (role !== undefined) draft.role = role[1];
  }
  const bus = /^Bus: primary=[0-9a-f]{2}, secondary=([0-9a-f]{2})/i.exec(line);
  if (bus !== null) secondary.set(`${draft.address.split(':')[0]}:${bus[1].toLowerCase()}`, draft.address);
  const link = /^(LnkCap|LnkSta):.*?Speed ([\d.]+)GT\/s.*?Width x(\d+)/.exec(line);
  if (link !== null && Number(link[3]) > 0) {
    const state = { gigatransfers: Number(link[2]), lanes: Number(link[3]) };
    if (link[1] === 'LnkCap') draft.linkMax = state;
    else draft.link = state;
  }
  const ordering = /\bRlxdOrd([+-])/.exec(line);
  if (ordering !== null) draft.relaxedOrdering = ordering[1] === '+';
  const sizes = /\bMaxPayload (\d+) bytes, MaxReadReq (\d+) bytes/.exec(line);
  if (sizes !== null) {
    draft.maxPayloadBytes = Number(sizes[1]);
    draft.maxReadRequestBytes = Number(sizes[2]);
  }
  const acs = /^ACSCtl:.*ReqRedir([+-])/.exec(line);
  if (acs !== null) draft.acsRedirect = acs[1] === '+';
  const ats = /^ATSCtl:\s*Enable([+-])/.exec(line);
  if (ats !== null) draft.ats = ats[1] === '+';
  const numa = /^NUMA node: (\d+)/.exec(line);
  if (numa !== null) draft.numaNode = Number(numa[1]);
  const group = /^IOMMU group: (\d+)/.exec(line);
  if (group !== null) draft.iommuGroup = Number(group[1]);
}
