/**
 * One server with a queue, as arithmetic instead of events: it remembers how much work is waiting, not which slots of
 * time are taken. Work that is booked for a later arrival therefore never makes earlier work wait behind an idle
 * server, which is what 'next free time' arithmetic gets wrong.
 */
export class FluidServer {
  /** Picoseconds of service that have been booked in all. */
  bookedPs = 0;
  private backlogPs = 0;
  private updatedPs = 0;

  /** Books `servicePs` of work that arrives at `arrivalPs` (now or later) and returns when it is done. */
  book(nowPs: number, arrivalPs: number, servicePs: number): number {
    const waiting = this.backlogPs - (nowPs - this.updatedPs);
    const backlogPs = waiting > 0 ? waiting : 0;
    this.updatedPs = nowPs;
    this.backlogPs = backlogPs + servicePs;
    this.bookedPs += servicePs;
    const free = nowPs + backlogPs;
    return (free > arrivalPs ? free : arrivalPs) + servicePs;
  }

  /** How long work that arrives now would wait. */
  waitPs(nowPs: number): number {
    const waiting = this.backlogPs - (nowPs - this.updatedPs);
    return waiting > 0 ? waiting : 0;
  }
}
