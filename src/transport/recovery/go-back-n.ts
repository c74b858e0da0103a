import type { LossRecovery } from './loss-recovery.js';

/** The specification's recovery: everything from the first missing PSN on is sent again (9.7.3, 9.7.5.1). */
export const goBackN: LossRecovery = {
  name: 'go-back-n',
  onSequenceNak(requester, psn) {
    requester.resendFrom(psn);
  },
  onImpliedNak(requester) {
    requester.resendFrom(requester.unackedPsn);
  },
  onTimeout(requester) {
    requester.resendFrom(requester.unackedPsn);
  },
  onGap(responder) {
    // Once per gap: the requester rewinds for the first, a second would make it rewind again (9.7.5.2.3).
    if (!responder.gapReported) responder.reportGap();
  },
};
