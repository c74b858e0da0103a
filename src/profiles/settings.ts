/** A choice that an operator makes (or a fault that a host came with): named values, one of them the default. */
export interface SettingSpec {
  readonly values: readonly string[];
  readonly meaning: string;
}

/** Every setting. A host profile says how the machine is set up; a subsystem profile or a run may say otherwise. */
export const settings = {
  ordering: {
    values: ['relaxed', 'strict'],
    meaning: 'Whether the RNIC is a relaxed-ordering PCIe device; `strict` is the fault behind Collie #9.',
  },
  acs: {
    values: ['direct', 'redirect'],
    meaning:
      'Peer traffic under one PCIe switch goes straight, or by ACS request redirect up to the root complex: the fault behind Collie #12.',
  },
  ats: {
    values: ['enabled', 'disabled'],
    meaning:
      'Address translation service; without it peer traffic with untranslated addresses goes up to the root complex (Hostping #8).',
  },
  interSocket: {
    values: ['healthy', 'weak'],
    meaning:
      'The inter-socket link carries DMA at its rate, or at interSocketSharedGbps: the conjectured cause of Collie #11.',
  },
  ddio: { values: ['enabled', 'disabled'], meaning: 'DMA writes go to the last-level cache or to DRAM.' },
  pfc: {
    values: ['enabled', 'disabled'],
    meaning: 'Priority flow control on the links, so that the class is lossless.',
  },
  ecn: {
    values: ['disabled', 'enabled'],
    meaning: 'The switch marks packets by ecnKmin, ecnKmax and ecnPmax.',
  },
  receiverEcn: {
    values: ['disabled', 'enabled'],
    meaning:
      'The RNIC marks packets that arrive while its receive buffer is above xonBytes, so that senders react to a slow host (Hostping §7).',
  },
  congestionControl: {
    values: ['none', 'dcqcn', 'dcqcn-paper', 'dcqcn-nic', 'dctcp', 'timely', 'swift', 'hpcc'],
    meaning:
      "The senders' congestion control. `dcqcn` on ConnectX and `dctcp` on SRNIC have the constants of the device; all others, and those on other devices, are those of light NICs ([fabric.md](fabric.md)).",
  },
} as const satisfies Readonly<Record<string, SettingSpec>>;

/** The names of the settings. */
export type SettingName = keyof typeof settings;

/** A value for each setting. */
export type Settings = { readonly [Name in SettingName]: (typeof settings)[Name]['values'][number] };

/** The first value of each setting: a healthy host on a lossless class without congestion control. */
export function defaultSettings(): Settings {
  return Object.fromEntries(
    Object.entries(settings).map(([name, spec]) => [name, spec.values[0]]),
  ) as Settings;
}
