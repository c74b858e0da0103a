/**
 * What a user may give and nothing reads yet, and why. Whoever makes one do something takes it off this list: the test
 * fails on one that is read, and on one that does not exist any more.
 */
export const unreadInputs: Readonly<Record<string, string>> = {
  'device.virtualFunctions': 'how many functions a device can have is not bounded by its profile',
  'device.cnpDscp': 'CNPs have the traffic class of what they answer',
  'device.trafficClasses': 'every port has eight classes',
  'host.coresPerSocket': 'a host has as many cores as a workload has threads',
  'host.memoryGigabytes': 'memory does not run out',
  'fabric.pfcHeadroomBytes': 'a switch keeps no headroom apart: its buffer is bounded as a whole',
  'device.pcieGeneration': 'with pcieLanes it bounds pcieGbps, which is read, when a profile is checked',
  'device.pcieLanes': 'with pcieGeneration it bounds pcieGbps, which is read, when a profile is checked',
  'host.sockets': "the host's graph says it too, and is checked against it",
  'WorldDescription.name': 'for people',
  'WorldDescription.title': 'for people',
  'LinkOptions.segmentation': 'passed on whole: the socket reads it',
  'InterposeOptions.tenants': 'for schemes that must know all tenants before the first one comes',
  'InterposeOptions.seed': 'for schemes that draw; those of today do not',
  'ThreadOptions.socket': 'threads have no place in a host',
};
