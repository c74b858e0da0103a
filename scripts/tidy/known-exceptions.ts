/**
 * What a user may give and nothing reads yet, and why. Whoever makes one do something takes it off this list: the test
 * fails on one that is read, and on one that does not exist any more.
 */
export const unreadInputs: Readonly<Record<string, string>> = {
  'device.pcieGeneration': 'with pcieLanes it bounds pcieGbps, which is read, when a profile is checked',
  'device.pcieLanes': 'with pcieGeneration it bounds pcieGbps, which is read, when a profile is checked',
  'WorldDescription.name': 'for people',
  'WorldDescription.title': 'for people',
  'LinkOptions.segmentation': 'passed on whole: the socket reads it',
  'InterposeOptions.tenants': 'for schemes that must know all tenants before the first one comes',
  'InterposeOptions.seed': 'for schemes that draw; those of today do not',
};
