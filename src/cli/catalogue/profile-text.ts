import {
  type Constant,
  type ConstantTable,
  fabricConstants,
  hostConstants,
  type Profile,
  type ProfileKind,
  type ProfileLibrary,
} from '../../profiles/index.js';
import { formatTable } from '../terminal.js';

/** A profile for people: what it is, what it is made of, and each constant with where it comes from. */
export function formatProfile(profile: Profile, library: ProfileLibrary): string {
  const head = [
    ['kind', profile.profile],
    ['name', profile.name],
    ['title', profile.title],
    ...(profile.description === undefined ? [] : [['description', profile.description]]),
    ['file', profile.file],
    ...(profile.extends === undefined ? [] : [['extends', profile.extends]]),
    ...fieldsOf(profile).map(([name, value]) => [name, value]),
  ];
  const constants = 'constants' in profile ? constantTable(profile.constants, tableOf(profile, library)) : '';
  return `${formatTable(head)}${constants}`;
}

/** What a kind of profile says besides its constants. */
function fieldsOf(profile: Profile): [string, string][] {
  const settings = (given: object) =>
    Object.entries(given)
      .map(([name, value]) => `${name}: ${value}`)
      .join(', ') || 'none';
  switch (profile.profile) {
    case 'device':
      return [
        ['vendor', profile.vendor],
        ['protocol', profile.protocol],
        ['architecture', profile.architecture.base],
      ];
    case 'host':
      return [
        ['processor', profile.processor],
        ['settings', settings(profile.settings)],
        ['nodes', profile.topology.nodes.map(({ name }) => name).join(', ')],
      ];
    case 'fabric':
      return [];
    case 'subsystem':
      return [
        ['device', profile.device],
        ['host', profile.host],
        ['fabric', profile.fabric],
        ['settings', settings(profile.settings)],
        ['placement', `${profile.placement.rnic}, ${profile.placement.memory}`],
        ...(profile.fixed === undefined ? [] : [['fixed', profile.fixed] as [string, string]]),
      ];
    case 'world':
      return [
        [
          'hosts',
          profile.hosts.map(({ name, subsystem, host }) => name ?? subsystem ?? String(host)).join(', '),
        ],
        ['switches', String(profile.switches?.length ?? 0)],
        ['faults', String(profile.faults?.length ?? 0)],
      ];
  }
}

/** What is known of the constants of a profile. */
function tableOf(profile: Profile, library: ProfileLibrary): ConstantTable {
  if (profile.profile === 'device') return library.architectures.tableOf(profile.architecture);
  return profile.profile === 'host' ? hostConstants : fabricConstants;
}

function constantTable(constants: Readonly<Record<string, Constant>>, table: ConstantTable): string {
  const groups = [...new Set(Object.keys(constants).map((name) => table[name]?.group ?? ''))];
  return groups
    .map((group) => {
      const rows = Object.entries(constants)
        .filter(([name]) => (table[name]?.group ?? '') === group)
        .map(([name, { value, evidence, source }]) => [
          name,
          String(value),
          table[name]?.unit ?? '',
          evidence,
          source,
        ]);
      return `\n${group}\n${formatTable([['constant', 'value', 'unit', 'evidence', 'source'], ...rows], [1])}`;
    })
    .join('');
}

/** The kinds in which a name is looked for, the ones that commands take first. */
export const SEARCHED_KINDS: readonly ProfileKind[] = ['subsystem', 'device', 'world', 'host', 'fabric'];
