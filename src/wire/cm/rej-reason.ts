/** Why a connection is rejected (IBTA vol. 1, table 109). */
export const REJ_REASON = {
  noQpAvailable: 1,
  noEecAvailable: 2,
  noResources: 3,
  timeout: 4,
  unsupportedRequest: 5,
  invalidCommunicationId: 6,
  invalidCommunicationInstance: 7,
  invalidServiceId: 8,
  invalidTransportServiceType: 9,
  staleConnection: 10,
  rdcDoesNotExist: 11,
  primaryRemotePortGidRejected: 12,
  primaryRemotePortLidRejected: 13,
  invalidPrimarySl: 14,
  invalidPrimaryTrafficClass: 15,
  invalidPrimaryHopLimit: 16,
  invalidPrimaryPacketRate: 17,
  alternateRemotePortGidRejected: 18,
  alternateRemotePortLidRejected: 19,
  invalidAlternateSl: 20,
  invalidAlternateTrafficClass: 21,
  invalidAlternateHopLimit: 22,
  invalidAlternatePacketRate: 23,
  portAndCmRedirection: 24,
  portRedirection: 25,
  invalidPathMtu: 26,
  insufficientResponderResources: 27,
  consumerReject: 28,
  rnrRetryCountReject: 29,
  duplicateLocalCommunicationId: 30,
  unsupportedClassVersion: 31,
  invalidPrimaryFlowLabel: 32,
  invalidAlternateFlowLabel: 33,
  vendorOptionNotSupported: 35,
} as const;

/** The name of a reason that the table has. */
export type RejReasonName = keyof typeof REJ_REASON;

const NAME_BY_CODE = new Map<number, RejReasonName>(
  Object.entries(REJ_REASON).map(([name, code]) => [code, name as RejReasonName]),
);

/** The name of a reason code; undefined for a code that the table does not have. */
export function rejReasonName(code: number): RejReasonName | undefined {
  return NAME_BY_CODE.get(code);
}
