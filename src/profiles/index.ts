/**
 * Profiles: what is known of RNICs, hosts, fabrics and the subsystems made of them, as data. Each constant has a unit
 * and a range in a table here, and a value, an evidence class and a source in a profile. `docs/profiles.md` tells how
 * to write one.
 *
 * @example
 * import { findProfile, resolveSubsystem } from 'kelpie/profiles';
 *
 * const subsystem = resolveSubsystem(findProfile('subsystem', 'collie-e'));
 * console.log(subsystem.device.constants.portGbps, subsystem.settings.ordering); // 200 strict
 *
 * const { portGbps } = findProfile('device', 'connectx-6-200g').constants;
 * console.log(portGbps?.value, portGbps?.evidence); // 200 documented
 *
 * @example
 * import { ProfileLibrary, resolveDevice } from 'kelpie/profiles';
 *
 * const text = `
 * profile: device
 * name: my-nic
 * extends: connectx-6-100g
 * title: ConnectX-6 on a short bus
 * constants:
 *   pcieLanes: { value: 8, evidence: documented, source: lspci on our server }
 *   pcieGbps: { value: 60, evidence: measured, source: our copy benchmark }
 * `;
 * const library = new ProfileLibrary();
 * library.add(text, 'my-nic.yaml'); // a ProfileError lists every fault with its line
 * console.log(resolveDevice(library.find('device', 'my-nic')).pcieLanes); // 8
 *
 * @module
 */
export { nearest } from '../schema/index.js';
export { ArchitectureSet } from './architecture/architecture-set.js';
export type { ConnectxConstants } from './architecture/connectx-constants.js';
export type { DcqcnConstants } from './architecture/dcqcn-constants.js';
export type { DctcpConstants } from './architecture/dctcp-constants.js';
export { type DeviceConstants, deviceConstants } from './architecture/device-constants.js';
export {
  type ArchitectureChoice,
  type ArchitectureTable,
  type NicSlot,
  nicSlots,
  type PartTable,
} from './architecture/part-table.js';
export type { CachedReceiveConstants, OnDemandReceiveConstants } from './architecture/receive-constants.js';
export type {
  GoBackNConstants,
  OnloadedConstants,
  RepeatConstants,
  SelectiveConstants,
} from './architecture/recovery-constants.js';
export type { CacheFreeSendConstants, UnitSendConstants } from './architecture/send-constants.js';
export { shippedArchitectures } from './architecture/shipped-architectures.js';
export type {
  CachedContextConstants,
  CachedTranslationConstants,
  MissConstants,
  PagedTranslationConstants,
  ResidentContextConstants,
  SpilledContextConstants,
} from './architecture/state-constants.js';
export {
  type Constant,
  type ConstantSpec,
  type ConstantTable,
  type Evidence,
  evidenceClasses,
  flag,
  real,
  type Values,
  whole,
} from './constant.js';
export { type FabricConstants, fabricConstants } from './fabric-constants.js';
export { ProfileError, type ProfileFault, type ProfileFaultCode } from './fault.js';
export { type HostConstants, hostConstants } from './host-constants.js';
export { type HostWay, nearestNode, shortestWay } from './host-graph.js';
export { type JsonSchema, jsonSchema } from './json-schema.js';
export { findProfile, listProfiles, ProfileLibrary, parseProfile, profileText } from './library.js';
export {
  type DeviceProfile,
  type FabricProfile,
  type HostProfile,
  type Placement,
  type Profile,
  type ProfileKind,
  profileKinds,
  type SubsystemProfile,
  type WorldProfile,
} from './profile.js';
export { profileYaml } from './profile-yaml.js';
export {
  type DeviceNumbers,
  type Host,
  type HostLink,
  resolveDevice,
  resolveFabric,
  resolveHost,
  type Subsystem,
} from './resolve.js';
export { type ResolveOptions, resolveSubsystem } from './resolve-subsystem.js';
export { defaultSettings, type SettingName, type SettingSpec, type Settings, settings } from './settings.js';
export {
  isPcie,
  type PcieTraining,
  pcieLinkGbps,
  type HostTopology,
  type TopologyLink,
  type TopologyNode,
} from './topology.js';
export type {
  Duration,
  FaultDescription,
  LossKind,
  WorldDescription,
  WorldDeviceDescription,
  WorldHostDescription,
  WorldLinkDescription,
  WorldRouteDescription,
  WorldSwitchDescription,
} from './world/description.js';
export { durationNs } from './world/duration.js';
export type {
  FaultEffect,
  FaultPlace,
  WorldDevice,
  WorldFault,
  WorldGraph,
  WorldHost,
  WorldLink,
  WorldRoute,
  SwitchNode,
} from './world/graph.js';
export { isEndOf } from './world/places.js';
export {
  type ResolveWorldOptions,
  resolveWorld,
  resolveWorldFault,
  worldOfSubsystem,
} from './world/resolve-world.js';
