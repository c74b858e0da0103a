import type {
  GapReporter,
  InOrderRecovery,
  RequesterRecovery,
  Resender,
  ResponderRecovery,
} from './loss-recovery.js';
import { AS_SPECIFIED, type RetransmissionTiming, retransmissionTiming } from './retransmission-timing.js';

class GoBackZeroRequester implements RequesterRecovery {
  private readonly resender: Resender;

  constructor(resender: Resender) {
    this.resender = resender;
  }

  onSequenceNak(psn: number): void {
    // The responder names the first packet of a message.
    this.resender.resendFrom(psn);
  }

  onImpliedNak(): void {
    this.resender.restartOldest();
  }

  onTimeout(): void {
    this.resender.restartOldest();
  }
}

class GoBackZeroResponder implements ResponderRecovery {
  private readonly reporter: GapReporter;

  constructor(reporter: GapReporter) {
    this.reporter = reporter;
  }

  onGap(): void {
    if (this.reporter.gapReported) return;
    this.reporter.restartMessage();
    this.reporter.reportGap();
  }
}

/**
 * The recovery of early RoCE NICs, with the timing of a device: a message that lost a packet is sent again from its first
 * one.
 *
 * @example
 * goBackZeroTimed({ nakHandlingPs: 17e6, nakEachRound: true });
 */
export function goBackZeroTimed(timing: Partial<RetransmissionTiming>): InOrderRecovery {
  return {
    name: 'go-back-0',
    selective: false,
    wholeMessages: true,
    timing: retransmissionTiming(timing),
    requester: (resender) => new GoBackZeroRequester(resender),
    responder: (reporter) => new GoBackZeroResponder(reporter),
  };
}

/** The same as fast as the specification allows. */
export const goBackZero: InOrderRecovery = goBackZeroTimed(AS_SPECIFIED);
