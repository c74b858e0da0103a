import { DescriptionError, type DocumentKind, type Fault } from '../schema/index.js';

/** The codes of what can be wrong with a profile. */
export type ProfileFaultCode =
  | 'PROFILE_SYNTAX'
  | 'PROFILE_UNKNOWN_FIELD'
  | 'PROFILE_MISSING_FIELD'
  | 'PROFILE_OUT_OF_RANGE'
  | 'PROFILE_BAD_TYPE'
  | 'PROFILE_INCONSISTENT'
  | 'PROFILE_UNKNOWN_BASE'
  | 'PROFILE_UNKNOWN_REFERENCE'
  | 'PROFILE_CYCLE';

/** What a profile is to the reader. */
export const PROFILE: DocumentKind = {
  noun: 'a profile',
  reference: 'docs/profiles.md',
  codes: {
    syntax: 'PROFILE_SYNTAX',
    unknownField: 'PROFILE_UNKNOWN_FIELD',
    missingField: 'PROFILE_MISSING_FIELD',
    badType: 'PROFILE_BAD_TYPE',
    outOfRange: 'PROFILE_OUT_OF_RANGE',
  },
};

/** One thing that is wrong with a profile, and where. */
export type ProfileFault = Fault;

/** Everything that is wrong with a profile. */
export const ProfileError = DescriptionError;
/** Everything that is wrong with a profile. */
export type ProfileError = DescriptionError;
