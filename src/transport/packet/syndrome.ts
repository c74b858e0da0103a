import { CREDITS_UNLIMITED, NAK_CODE } from '../../wire/ib/aeth.js';

/**
 * The kinds of an AETH syndrome: its upper three bits (9.7.5.2.1, table 'AETH syndrome field'). The one that the
 * specification reserves acknowledges READ data, between peers with SRNIC's headers.
 */
export const SyndromeKind = { ACK: 0x00, RNR_NAK: 0x20, READ_ACK: 0x40, NAK: 0x60 } as const;

/** The bits of a syndrome that say its kind. */
export const SYNDROME_KIND_MASK = 0xe0;
/** The bits of a syndrome that hold credits, timer or code. */
export const SYNDROME_VALUE_MASK = 0x1f;

/** The syndromes that need nothing more. */
export const Syndrome = {
  ACK_UNLIMITED: SyndromeKind.ACK | CREDITS_UNLIMITED,
  READ_ACK: SyndromeKind.READ_ACK,
  SEQUENCE_ERROR: SyndromeKind.NAK | NAK_CODE.PSN_SEQUENCE_ERROR,
  INVALID_REQUEST: SyndromeKind.NAK | NAK_CODE.INVALID_REQUEST,
  REMOTE_ACCESS: SyndromeKind.NAK | NAK_CODE.REMOTE_ACCESS_ERROR,
  REMOTE_OPERATION: SyndromeKind.NAK | NAK_CODE.REMOTE_OPERATIONAL_ERROR,
} as const;
