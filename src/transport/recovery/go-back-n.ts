import type {
  GapReporter,
  InOrderRecovery,
  RequesterRecovery,
  Resender,
  ResponderRecovery,
} from './loss-recovery.js';
import { AS_SPECIFIED, type RetransmissionTiming, retransmissionTiming } from './retransmission-timing.js';

class GoBackNRequester implements RequesterRecovery {
  private readonly resender: Resender;

  constructor(resender: Resender) {
    this.resender = resender;
  }

  onSequenceNak(psn: number): void {
    this.resender.resendFrom(psn);
  }

  onImpliedNak(): void {
    this.resender.resendFrom(this.resender.unackedPsn);
  }

  onTimeout(): void {
    this.resender.resendFrom(this.resender.unackedPsn);
  }
}

class GoBackNResponder implements ResponderRecovery {
  private readonly reporter: GapReporter;

  constructor(reporter: GapReporter) {
    this.reporter = reporter;
  }

  onGap(): void {
    // Once per gap: the requester rewinds for the first, a second would make it rewind again (9.7.5.2.3).
    if (!this.reporter.gapReported) this.reporter.reportGap();
  }
}

/**
 * Go-back-N on a device with its own timing.
 *
 * @example
 * goBackNTimed({ nakHandlingPs: 17e6, nakEachRound: true });
 */
export function goBackNTimed(timing: Partial<RetransmissionTiming>): InOrderRecovery {
  return {
    name: 'go-back-n',
    selective: false,
    wholeMessages: false,
    timing: retransmissionTiming(timing),
    requester: (resender) => new GoBackNRequester(resender),
    responder: (reporter) => new GoBackNResponder(reporter),
  };
}

/** The specification's recovery: everything from the first missing PSN on is sent again (9.7.3, 9.7.5.1). */
export const goBackN: InOrderRecovery = goBackNTimed(AS_SPECIFIED);
